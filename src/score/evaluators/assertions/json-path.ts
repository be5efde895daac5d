import * as z from 'zod';
import { defineEvaluator } from '../evaluator.ts';
import { lazily } from './lazily.ts';

const configSchema = () =>
  z.strictObject({
    path: z.string().startsWith('$').describe("JSONPath (RFC 9535) into the answer's JSON"),
    assertion: z
      .string()
      .min(1)
      .default('exists')
      .describe('exists, equals, contains, matches, len or a comparison with a number, as in "len >= 3"'),
  });
export type JsonPathConfig = z.output<ReturnType<typeof configSchema>>;

/** The answer's JSON holds a value of which something is true. */
export const jsonPath = defineEvaluator({
  type: 'json-path',
  label: 'JSON Path',
  kind: 'assertion',
  summary: "the value at a JSONPath of the answer's JSON is as asserted",
  example: { path: '$.orders[0].customer', assertion: 'equals ada' },
  needs: [],
  configSchema,
  when: () => 'eventually',
  prepare: (config) => lazily(async () => (await import('./checks/json-path.ts')).checkJsonPath(config)),
});
