import * as z from 'zod';
import { problemOfPattern } from '../../../shared/patterns.ts';
import { defineEvaluator } from '../evaluator.ts';
import { lazily } from './lazily.ts';

const configSchema = () =>
  z.strictObject({
    pattern: z
      .string()
      .min(1)
      .superRefine((pattern, context) => {
        const problem = problemOfPattern(pattern);
        if (problem) context.addIssue({ code: 'custom', message: `the regular expression cannot be used: ${problem}` });
      })
      .describe('regular expression (RE2 syntax: no look-around, no back references)'),
    flags: z
      .string()
      .regex(/^[gimsu]*$/, 'only the flags i, m and s change anything; g and u are allowed and ignored')
      .default('')
      .describe('i ignores case, m lets ^ and $ find line ends, s lets . find line ends'),
    mustMatch: z.boolean().default(true).describe('false: the pattern must not match'),
  });
export type RegexConfig = z.output<ReturnType<typeof configSchema>>;

/** The answer matches a regular expression, or does not. */
export const regex = defineEvaluator({
  type: 'regex',
  label: 'Regex',
  kind: 'assertion',
  summary: 'the answer matches a regular expression; with mustMatch: false, no answer does',
  example: { pattern: '\\d{1,2}:\\d{2}' },
  needs: [],
  configSchema,
  when: ({ mustMatch }) => (mustMatch ? 'eventually' : 'every-turn'),
  prepare: (config) => lazily(async () => (await import('./checks/regex.ts')).checkRegex(config)),
});
