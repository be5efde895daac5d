import * as z from 'zod';
import { defineEvaluator } from '../evaluator.ts';
import { lazily } from './lazily.ts';

const configSchema = () =>
  z.strictObject({
    subset: z
      .unknown()
      .optional()
      .describe(
        "what the answer's JSON must hold: objects may have more keys, arrays have the same items in the same order; by default the `expected` of the case",
      ),
  });
export type JsonSubsetConfig = z.output<ReturnType<typeof configSchema>>;

/** The answer's JSON holds at least what is given. */
export const jsonSubset = defineEvaluator({
  type: 'json-subset',
  label: 'JSON Subset',
  kind: 'assertion',
  summary: "the answer's JSON holds everything that is given, and maybe more",
  example: { subset: { status: 'booked', guests: 2 } },
  needs: [],
  configSchema,
  when: () => 'eventually',
  prepare: (config) => lazily(async () => (await import('./checks/json-subset.ts')).checkJsonSubset(config)),
});
