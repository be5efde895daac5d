import * as z from 'zod';
import { defineEvaluator } from '../evaluator.ts';
import { checkedJsonSchema } from './checked-json-schema.ts';
import { lazily } from './lazily.ts';

const configSchema = () =>
  z.strictObject({
    schema: checkedJsonSchema().describe(
      'JSON Schema (2020-12; draft 7 is understood too) with references inside of itself only',
    ),
    onlyFinal: z.boolean().default(false).describe('look at the last answer of a conversation only'),
  });
export type JsonSchemaConfig = z.output<ReturnType<typeof configSchema>>;

/** The answer is JSON that fits a schema. */
export const jsonSchema = defineEvaluator({
  type: 'json-schema',
  label: 'JSON Schema',
  kind: 'assertion',
  summary: 'the answer is JSON that is valid against a JSON Schema',
  example: { schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } },
  needs: [],
  configSchema,
  when: ({ onlyFinal }) => (onlyFinal ? 'final' : 'every-turn'),
  prepare: (config) => lazily(async () => (await import('./checks/json-schema.ts')).checkJsonSchema(config)),
});
