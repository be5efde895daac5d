import * as z from 'zod';
import { AssayError } from '../../../../domain/errors.ts';
import { composed } from '../../../../shared/composed-text.ts';
import {
  compileTextPattern,
  problemOfPattern,
  type TextPattern,
  UnusablePattern,
} from '../../../../shared/patterns.ts';
import { defineEvaluator, type Evaluate } from '../../evaluator.ts';
import { shortened } from '../../excerpt.ts';
import { judgeText, judgeWords, shownAnswer, verdict } from './answer-text.ts';

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
      .describe('`i` ignores case, `m` lets `^` and `$` match at line ends, `s` lets `.` match line ends'),
    mustMatch: z.boolean().default(true).describe('false: the pattern must not match'),
  });

type RegexConfig = z.output<ReturnType<typeof configSchema>>;

/** The answer matches a regular expression, or does not. */
export const regex = defineEvaluator({
  type: 'regex',
  kind: 'assertion',
  summary: 'the answer matches a regular expression; with mustMatch: false, no answer does',
  example: { pattern: '\\d{1,2}:\\d{2}' },
  reads: ({ mustMatch }) => ({ channels: { answers: mustMatch ? 'presence' : 'absence' }, scope: 'answer' }),
  configSchema,
  when: ({ mustMatch }) => (mustMatch ? 'eventually' : 'every-turn'),
  prepare: checkRegex,
});

function checkRegex({ pattern, flags, mustMatch }: RegexConfig): Evaluate<'assertion'> {
  const meaningful = [...new Set(flags)].filter((flag) => 'ims'.includes(flag)).join('');
  const compiled = compileTextPattern(composed(meaningful === '' ? pattern : `(?${meaningful})${pattern}`));
  const written = `/${shortened(pattern)}/${flags}`;
  const judge = mustMatch ? judgeText : judgeWords;
  return (context) =>
    judge(context, (text) => {
      const isMatch = occursIn(composed(text), compiled, written);
      const reason = `The answer ${isMatch ? 'matches' : 'does not match'} ${written}`;
      return verdict(isMatch === mustMatch, isMatch === mustMatch ? reason : `${reason}; ${shownAnswer(text)}`);
    });
}

function occursIn(text: string, pattern: TextPattern, written: string): boolean {
  try {
    return pattern.occursIn(text);
  } catch (error) {
    if (!(error instanceof UnusablePattern)) throw error;
    throw new AssayError('CRITERION_UNUSABLE', `${written} cannot be used: ${error.message}`);
  }
}
