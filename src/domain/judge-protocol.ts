import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';

/** Input of a judge: a scenario, what the tool did, and the boolean criteria for both verdicts. */
export const judgeInputSchema = lazySchema(() =>
  z.strictObject({
    testScenario: z
      .strictObject({
        name: z.string().describe('name of the test'),
        input: z.record(z.string(), z.unknown()).default({}).describe('available to criteria as `input`'),
        expectedBehavior: z.string().optional().describe('what should happen, in plain words'),
      })
      .describe('the test'),
    actualResult: z
      .unknown()
      .refine((value) => value !== undefined, 'actualResult is missing')
      .describe('result of the tool: `{ success, result }`, `{ success, error }`, or any value'),
    passCriteria: z.array(z.string()).default([]).describe('boolean expressions that must all be true'),
    failCriteria: z.array(z.string()).default([]).describe('boolean expressions that must all be false'),
  }),
);

/** The final answer of a judge. */
const judgeVerdictSchema = z.enum(['PASS', 'FAIL']);

/** How far a verdict can be relied on. */
const judgeConfidenceSchema = z.enum(['HIGH', 'MEDIUM', 'LOW']);

const countSchema = lazySchema(() => z.int().nonnegative());

/** Answer of a judge: each criterion with its explanation, and a summary. */
export const judgeOutputSchema = lazySchema(() =>
  z.object({
    testName: z.string(),
    verdict: judgeVerdictSchema,
    passCriteriaEvaluation: z.object({
      total: countSchema,
      passed: countSchema,
      failed: countSchema,
      details: z.array(z.object({ criterion: z.string(), result: z.boolean(), explanation: z.string() })),
    }),
    failCriteriaEvaluation: z.object({
      total: countSchema,
      triggered: countSchema,
      avoided: countSchema,
      details: z.array(z.object({ criterion: z.string(), triggered: z.boolean(), explanation: z.string() })),
    }),
    summary: z.object({
      verdict: judgeVerdictSchema,
      reason: z.string(),
      confidence: judgeConfidenceSchema,
      recommendation: z.string(),
    }),
  }),
);

/** A checked judge input, with absent lists filled in. */
export type JudgeInput = z.output<typeof judgeInputSchema>;
/** A judge's whole answer. */
export type JudgeOutput = z.output<typeof judgeOutputSchema>;
/** `PASS` or `FAIL`. */
export type JudgeVerdict = z.output<typeof judgeVerdictSchema>;
/** `HIGH`, `MEDIUM` or `LOW`. */
export type JudgeConfidence = z.output<typeof judgeConfidenceSchema>;

/** Output of a tool, as the two variables that criteria use. */
export interface ReportedResult {
  result?: unknown;
  error?: unknown;
}

const errorPrefix = 'Error:';

/**
 * Splits what a tool gave back into `result` and `error`.
 * A text starting with `Error:` is an error with the rest as its message, and there is no result.
 * An object that holds nothing but `error`, itself an object with a `message`, is that error, and there is no result.
 * An object that holds such an `error` among other fields is read both ways: `result.error.message` and `error.message`.
 * Everything else is a result, and there is no error.
 */
export function readActualResult(actualResult: unknown): ReportedResult {
  if (typeof actualResult === 'string' && actualResult.startsWith(errorPrefix)) {
    return { error: { name: 'Error', message: actualResult.slice(errorPrefix.length).trim() } };
  }
  const error = errorWithin(actualResult);
  if (error === undefined) return { result: actualResult };
  return Object.keys(Object(actualResult)).length === 1 ? { error } : { result: actualResult, error };
}

function errorWithin(value: unknown): object | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, 'error'))
    return undefined;
  const { error } = value as { error: unknown };
  if (typeof error !== 'object' || error === null || !Object.hasOwn(error, 'message')) return undefined;
  return typeof (error as { message: unknown }).message === 'string' ? error : undefined;
}
