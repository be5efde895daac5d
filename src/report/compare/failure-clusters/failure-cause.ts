import type { ErrorCode } from '../../../domain/errors.ts';
import type { EvaluatorResult, Fault } from '../../../domain/outcome.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { type SplitText, splitVarying } from '../trajectory/normalize-text.ts';

/** The kinds of things that a trial can fail by, or that can keep it from being judged. */
export type FailureKind =
  | 'thrown'
  | 'gate'
  | 'criterion'
  | 'judge'
  | 'server-test'
  | 'workflow'
  | 'assertion'
  | 'verdict'
  | 'time-out'
  | 'crash'
  | 'rate-limit'
  | 'budget'
  | Fault['blame'];

/** Why one trial did not pass, in words that are the same for trials that failed alike. */
export interface FailureCause {
  readonly kind: FailureKind;
  /** Type of the gate or evaluator, the criterion, or the code of the fault; empty where nothing is named. */
  readonly what: string;
  /** The reason without numbers, quotes, paths and ids; empty where `what` says it all. */
  readonly pattern: string;
  /** The hint of the record; undefined where it has none. */
  readonly hint: string | undefined;
  /** The criterion or the reason as this trial has it. */
  readonly words: SplitText;
}

/** The parts of a record that explain why it did not pass. */
export type FailedRecord = Pick<
  TrialRecord,
  | 'outcome'
  | 'reason'
  | 'fault'
  | 'evaluatorResults'
  | 'gates'
  | 'criteria'
  | 'judge'
  | 'toolHealth'
  | 'workflow'
  | 'toolError'
>;

/** Kinds in which the error itself was observed: trials that share it share a cause, wherever they failed. */
const observedErrors: ReadonlySet<FailureKind> = new Set([
  'thrown',
  'crash',
  'agent',
  'target',
  'user',
  'store',
  'engine',
]);

/** Whether trials with this cause share more than the check that failed. */
export function isOneCause({ kind }: FailureCause): boolean {
  return observedErrors.has(kind);
}

/** The cause that trials with this ending share; empty where only a verdict is known. */
export function sharedCauseText(record: FailedRecord): string {
  const cause = causeOf(record);
  if (cause.kind === 'verdict') return '';
  return record.outcome === 'error' || isOneCause(cause) ? ' with the same error' : ' that failed the same check';
}

/** The evaluator that stands for a verdict made elsewhere: a reward of 0 says that a task failed, not why. */
const importedVerdict = 'imported';
const longestPattern = 200;

/** The first assertion that failed, or else the fault. */
export function causeOf(record: FailedRecord): FailureCause {
  const wanted = record.outcome === 'fail' ? 'fail' : 'error';
  const decisive = record.evaluatorResults.find(({ kind, state }) => kind === 'assertion' && state === wanted);
  if (wanted === 'error' && record.fault) return faultCause(record.fault, decisive);
  if (wanted === 'fail' && record.toolError) return thrownCause(record.toolError);
  if (!decisive || decisive.type === importedVerdict) return cause('verdict', '', record.reason);
  return (
    gateCause(record, decisive) ??
    criterionCause(record, decisive) ??
    judgeCause(record, decisive) ??
    serverCause(record, decisive) ??
    cause('assertion', decisive.type, decisive.reason)
  );
}

const kindsOfCodes: Partial<Record<ErrorCode, FailureKind>> = {
  TARGET_TIMEOUT: 'time-out',
  MCP_SERVER_TIMEOUT: 'time-out',
  MODEL_TIMEOUT: 'time-out',
  TARGET_CRASHED: 'crash',
  TARGET_STOPPED: 'crash',
  MCP_SERVER_DIED: 'crash',
  AGENT_CRASHED: 'crash',
  MODEL_RATE_LIMITED: 'rate-limit',
  MODEL_QUOTA: 'budget',
  MODEL_BUDGET_REACHED: 'budget',
};

function thrownCause({ name = '', message }: NonNullable<FailedRecord['toolError']>): FailureCause {
  return cause('thrown', name, message);
}

function faultCause({ code, blame, message, hint }: Fault, decisive: EvaluatorResult | undefined): FailureCause {
  const asker = decisive?.fault?.code === code ? `${decisive.type}: ` : '';
  return { ...cause(kindsOfCodes[code] ?? blame, code, `${asker}${message}`), hint };
}

function gateCause({ gates }: FailedRecord, { type }: EvaluatorResult): FailureCause | undefined {
  const gate = gates.find(({ gate_type, passed }) => !passed && gate_type === type);
  return gate && cause('gate', gate.gate_type, gate.message);
}

/** Explanations contain values, which differ; the criterion is what they have in common. */
function criterionCause({ criteria }: FailedRecord, { type }: EvaluatorResult): FailureCause | undefined {
  if (type !== 'criteria' || !criteria) return undefined;
  const missed = criteria.passCriteriaEvaluation.details.find(({ result }) => !result)?.criterion;
  const met = criteria.failCriteriaEvaluation.details.find(({ triggered }) => triggered)?.criterion;
  const criterion = missed ?? (met === undefined ? undefined : `not: ${met}`);
  if (criterion === undefined) return undefined;
  const { pattern, ...named } = cause('criterion', '', criterion);
  return { ...named, what: pattern, pattern: '' };
}

function judgeCause({ judge }: FailedRecord, { type, reason }: EvaluatorResult): FailureCause | undefined {
  if (judge?.state !== 'fail' || !type.endsWith('judge')) return undefined;
  const unmet = (judge.criteria ?? []).find(
    ({ kind, answer }) => (kind === 'failure' && answer === 'met') || (kind !== 'failure' && answer === 'not-met'),
  );
  return unmet ? cause('judge', type, unmet.text) : cause('judge', type, reason);
}

function serverCause({ toolHealth, workflow }: FailedRecord, { type }: EvaluatorResult): FailureCause | undefined {
  const test = type === 'tool-health' ? toolHealth.find(({ state }) => state === 'fail') : undefined;
  if (test) return cause('server-test', test.toolName, test.details);
  const metric = type.startsWith('workflow') ? workflow.find(({ passed }) => !passed) : undefined;
  return metric && cause('workflow', metric.metric, metric.details);
}

function cause(kind: FailureKind, what: string, reason: string): FailureCause {
  const { normalized, words } = splitVarying(reason);
  return { kind, what, pattern: normalized.slice(0, longestPattern), hint: undefined, words };
}
