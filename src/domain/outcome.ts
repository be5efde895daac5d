import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';
import { AssayError, type ErrorCode, errorTable } from './errors.ts';

/** How a trial ended. `error` means that it could not be judged: it is never a pass and never a fail. */
export const outcomeSchema = z.enum(['pass', 'fail', 'error', 'skipped']);
export type Outcome = z.infer<typeof outcomeSchema>;

const errorCodes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

/** Why something could not be judged, and whose fault that is. */
export const faultSchema = lazySchema(() =>
  z.object({
    code: z.enum(errorCodes),
    blame: z.enum(['user', 'target', 'agent', 'model', 'judge', 'store', 'engine']),
    message: z.string(),
    hint: z.string(),
  }),
);
export type Fault = z.infer<typeof faultSchema>;

/** An error as it is kept in a record. */
export function faultOf(error: AssayError): Fault {
  return { code: error.code, blame: error.blame, message: error.message, hint: error.hint };
}

/** The result of one evaluator for one trial. `state` is the answer; `success` is its two-valued form for older readers. */
export const evaluatorResultSchema = lazySchema(() =>
  z.object({
    type: z.string(),
    id: z.string().optional().describe('of the evaluator, where the scenario gives one'),
    name: z.string().optional().describe('of the figure in `metrics`, where it is not the type'),
    kind: z.enum(['assertion', 'metric']),
    state: z.enum(['pass', 'fail', 'measured', 'no-data', 'error', 'skipped', 'pending']),
    success: z.boolean(),
    value: z.number().optional(),
    reason: z.string(),
    metadata: z.record(z.string(), z.unknown()).optional().describe('figures and names behind the reason'),
    isPart: z.literal(true).optional().describe('it counts only through the `expression` that names it'),
    turn: z.number().optional().describe('the answer of a conversation that decided'),
    fault: faultSchema.optional(),
    voids: faultSchema.optional().describe('why the trial cannot be judged, whatever its assertions say'),
  }),
);
export type EvaluatorResult = z.infer<typeof evaluatorResultSchema>;

interface Decision {
  readonly outcome: Outcome;
  readonly reason: string;
  readonly fault: Fault | null;
}

/**
 * The one place where answers become an outcome. A trial whose execution broke, or whose conditions did not hold, is
 * `error`. A failed assertion is a fact whatever else broke. An assertion that was wanted and has no verdict makes the trial `error`. A pass needs at least
 * one assertion that passed: metrics and skipped assertions never make one. Assertions that an expression decides about
 * count through it only.
 */
export function decideOutcome(results: readonly EvaluatorResult[], executionFault: Fault | undefined): Decision {
  if (executionFault) return { outcome: 'error', reason: executionFault.message, fault: executionFault };
  const voided = results.find(({ voids }) => voids)?.voids;
  if (voided) return { outcome: 'error', reason: voided.message, fault: voided };
  const { failed, unevaluated, passed, passes, skipped } = sortedAssertions(results);
  if (failed) return { outcome: 'fail', reason: failed.reason, fault: unevaluated?.fault ?? null };
  if (unevaluated) return undecided(unevaluated);
  if (!passed) return nothingAsserted(skipped);
  const reason = passes === 1 ? passed.reason : `All ${passes} assertions passed`;
  return skipped.length === 0 ? { outcome: 'pass', reason, fault: null } : partlyJudged(reason, skipped);
}

/** The first assertion that ended in each way, and all that were skipped. */
function sortedAssertions(results: readonly EvaluatorResult[]) {
  const skipped: EvaluatorResult[] = [];
  let failed: EvaluatorResult | undefined;
  let unevaluated: EvaluatorResult | undefined;
  let passed: EvaluatorResult | undefined;
  let passes = 0;
  for (const result of results) {
    const { state } = result;
    if (result.kind !== 'assertion' || result.isPart) continue;
    if (state === 'fail') failed ??= result;
    else if (state === 'skipped') skipped.push(result);
    else if (state !== 'pass') unevaluated ??= result;
    else {
      passed ??= result;
      passes++;
    }
  }
  // An assertion that does not apply was never planned; alone it asserts nothing all the same.
  const planned = skipped.filter(({ metadata }) => metadata?.applies !== false);
  return { failed, unevaluated, passed, passes, skipped: passed ? planned : skipped };
}

/** Whether a trial passed although one of its assertions was left out of the verdict. */
export function isPartlyJudged(record: { readonly outcome: Outcome; readonly fault: Fault | null }): boolean {
  return record.outcome === 'pass' && record.fault?.code === 'NOT_JUDGED';
}

function undecided({ type, reason, fault }: EvaluatorResult): Decision {
  const kept = fault ?? faultOf(new AssayError('EVALUATOR_FAILED', `${type} gave no verdict.`));
  return { outcome: 'error', reason: `${type}: ${reason}`, fault: kept };
}

function nothingAsserted(skipped: readonly EvaluatorResult[]): Decision {
  const message =
    skipped.length === 0
      ? 'Nothing was asserted: only metrics were evaluated.'
      : `Nothing was asserted: every assertion was skipped (${namesAndReasons(skipped)}).`;
  const fault = faultOf(new AssayError('NOTHING_ASSERTED', message));
  return { outcome: 'error', reason: message, fault };
}

function partlyJudged(reason: string, skipped: readonly EvaluatorResult[]): Decision {
  const fault = faultOf(new AssayError('NOT_JUDGED', `Not judged: ${namesAndReasons(skipped)}.`));
  return { outcome: 'pass', reason: `${reason} (not judged: ${skipped.map(({ type }) => type).join(', ')})`, fault };
}

function namesAndReasons(results: readonly EvaluatorResult[]): string {
  return results.map(({ type, reason }) => `${type}: ${reason.replace(/\.$/, '')}`).join('; ');
}
