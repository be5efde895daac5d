import * as z from 'zod';
import { type AssayError, type ErrorCode, errorTable } from './errors.ts';

/** How a trial ended. `error` means that it could not be judged: it is never a pass and never a fail. */
export const outcomeSchema = z.enum(['pass', 'fail', 'error', 'skipped']);
export type Outcome = z.infer<typeof outcomeSchema>;

const errorCodes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

/** Why something could not be judged, and whose fault that is. */
export const faultSchema = z.object({
  code: z.enum(errorCodes),
  blame: z.enum(['user', 'target', 'agent', 'model', 'judge', 'store', 'engine']),
  message: z.string(),
  hint: z.string(),
});
export type Fault = z.infer<typeof faultSchema>;

/** An error as it is kept in a record. */
export function faultOf(error: AssayError): Fault {
  return { code: error.code, blame: error.blame, message: error.message, hint: error.hint };
}

/** What one evaluator said of one trial. `state` is the answer; `success` is its two-valued form for older readers. */
export const evaluatorResultSchema = z.object({
  type: z.string(),
  kind: z.enum(['assertion', 'metric']),
  state: z.enum(['pass', 'fail', 'measured', 'error', 'skipped', 'pending']),
  success: z.boolean(),
  value: z.number().optional(),
  reason: z.string(),
  metadata: z.record(z.string(), z.unknown()).optional().describe('figures and names behind the reason'),
  turn: z.number().optional().describe('the answer of a conversation that decided'),
  fault: faultSchema.optional(),
});
export type EvaluatorResult = z.infer<typeof evaluatorResultSchema>;

interface Decision {
  readonly outcome: Outcome;
  readonly reason: string;
  readonly fault: Fault | null;
}

/**
 * The one place where answers become an outcome. A trial whose execution broke is `error`; a failed assertion is a
 * fact whatever else broke; otherwise an assertion without an answer makes the trial `error`. Metrics and assertions
 * that were skipped never count; a trial with nothing but skipped assertions is itself skipped.
 */
export function decideOutcome(results: readonly EvaluatorResult[], executionFault: Fault | undefined): Decision {
  if (executionFault) return { outcome: 'error', reason: executionFault.message, fault: executionFault };
  const asserted = results.filter((result) => result.kind === 'assertion');
  const assertions = asserted.filter((result) => result.state !== 'skipped');
  if (assertions.length === 0 && asserted[0]) return { outcome: 'skipped', reason: asserted[0].reason, fault: null };
  const failed = assertions.find((result) => result.state === 'fail');
  const broken = assertions.find((result) => result.state === 'error');
  if (failed) return { outcome: 'fail', reason: failed.reason, fault: broken?.fault ?? null };
  if (broken) return { outcome: 'error', reason: `${broken.type}: ${broken.reason}`, fault: broken.fault ?? null };
  const only = assertions.length === 1 ? assertions[0] : undefined;
  const all = assertions.length === 0 ? 'Measured; nothing was asserted' : `All ${assertions.length} assertions passed`;
  return { outcome: 'pass', reason: only?.reason ?? all, fault: null };
}
