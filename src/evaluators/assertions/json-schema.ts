import * as z from 'zod';
import { problemOfJsonSchema } from '../../shared/json-schema-check.ts';
import { defineEvaluator } from '../evaluator.ts';
import { lazily } from './lazily.ts';

const configSchema = () =>
  z.strictObject({
    schema: z
      .union([z.record(z.string(), z.unknown()), z.boolean()])
      .superRefine((schema, context) => {
        const problem = problemOfJsonSchema(schema);
        if (!problem) return;
        const { path, message, hint } = problem;
        context.addIssue({
          code: 'custom',
          path: [...path],
          message: `unusable JSON Schema: ${message}`,
          params: { hint },
        });
      })
      .describe('JSON Schema (2020-12; draft 7 is understood too) with references inside of itself only'),
    onlyFinal: z.boolean().default(false).describe('look at the last answer of a conversation only'),
  });
export type JsonSchemaConfig = z.output<ReturnType<typeof configSchema>>;

/** The answer is JSON that fits a schema. */
export const jsonSchema = defineEvaluator({
  type: 'json-schema',
  label: 'JSON Schema',
  kind: 'assertion',
  summary: 'the answer is JSON that is valid against a JSON Schema',
  needs: [],
  configSchema,
  when: ({ onlyFinal }) => (onlyFinal ? 'final' : 'every-turn'),
  prepare: (config) => lazily(async () => (await import('./checks/json-schema.ts')).checkJsonSchema(config)),
});
