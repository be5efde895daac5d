import type { AssayError } from '../domain/errors.ts';
import type { EvaluatedWorkspace } from '../domain/gate.ts';
import type { Fault } from '../domain/outcome.ts';
import type { TrialFindings } from '../domain/record.ts';
import type { RunHeader, RunSummary } from '../domain/run.ts';
import { eventsOf, type Trace, type TraceEvent } from '../domain/trace.ts';
import type { Trial } from '../domain/trial.ts';
import { RunLease } from '../keep/store/run-lease.ts';
import type { FinishedTrial } from '../keep/store/store.ts';
import { EvaluatorRunner } from './evaluate.ts';
import { emptyEvaluation } from './findings.ts';
import { keptTrial, recordOf } from './record.ts';
import { until } from './resume.ts';
import type { EngineParts } from './run.ts';
import { concludeRun, type RunControl, storeTrials } from './store-trials.ts';
import { startOf } from './try-trial.ts';
import type { TurnEvaluation } from './turn-evaluation.ts';

/** The work that an agent left behind long ago, as long as it is looked at. */
export interface KeptWorkspace extends AsyncDisposable {
  readonly workspace: EvaluatedWorkspace | undefined;
  /** Why there is none any more. */
  readonly workspaceFault: AssayError | undefined;
}

/** A trial that was executed before, to be evaluated by the scenario and the case of today. */
export interface PastTrial {
  readonly trial: Trial;
  readonly trace: Trace;
  /** The fault that kept it from being judged: it still does. */
  readonly fault: Fault | undefined;
  readonly startedAt: number;
  readonly durationMs: number | null;
  readonly cachedFrom: string | undefined;
  readonly artifacts: string | null;
  /** Whether its target gives one answer after the other. */
  readonly isConversation: boolean;
  /** Results of its turns when it was executed. */
  readonly turns: TrialFindings['turns'];
  /** Where its trace was collected. */
  readonly sourceSpan?: TrialFindings['sourceSpan'];
  openWorkspace(): Promise<KeptWorkspace>;
}

/** Evaluates stored trials as a new run. Nothing is executed; trials that cannot be evaluated come finished. */
export async function rescore(
  header: RunHeader,
  past: AsyncIterable<PastTrial | FinishedTrial>,
  parts: Pick<EngineParts, 'store' | 'evaluators' | 'judging' | 'services' | 'recordSink'>,
  control: RunControl,
): Promise<RunSummary> {
  const { store } = parts;
  const { emit } = control;
  await using lease = await RunLease.take(header.runId, store, control);
  const { signal } = lease;
  const evaluatorRunner = new EvaluatorRunner(parts.evaluators, parts.judging, parts.services, signal);
  emit({ type: 'run-started', run: header, alreadyStored: 0, concurrency: control.concurrency });
  await storeTrials(until(signal, past), { store, emit, room: control.concurrency }, async (item) => {
    if ('record' in item) return parts.recordSink.redact(item);
    emit(startOf(item.trial));
    const finished = await evaluateAgain(item, evaluatorRunner);
    return finished && keptTrial(item.trial, finished, parts.recordSink);
  });
  await lease.end(signal.aborted ? 'interrupted' : 'finished', Date.now());
  return concludeRun(header, store, emit);
}

/** Evaluates a trial that was executed before; undefined when it was interrupted. */
export async function evaluateAgain(
  past: PastTrial,
  evaluatorRunner: EvaluatorRunner,
): Promise<FinishedTrial | undefined> {
  const finished = await evaluated(past, evaluatorRunner);
  const { sourceSpan } = past;
  return finished && sourceSpan ? { ...finished, record: { ...finished.record, sourceSpan } } : finished;
}

async function evaluated(past: PastTrial, evaluatorRunner: EvaluatorRunner): Promise<FinishedTrial | undefined> {
  const { trial, trace, fault, startedAt, durationMs, cachedFrom, artifacts } = past;
  const unchanged = { trace, fault, startedAt, durationMs, cachedFrom, artifacts };
  if (fault) {
    const nothing = { ...unchanged, workspace: undefined, conversation: undefined };
    return recordOf(trial, nothing, { ...emptyEvaluation(), turns: [...past.turns] }, undefined);
  }
  await using kept = await past.openWorkspace();
  const { workspace, workspaceFault } = kept;
  const conversation = past.isConversation ? await hearAgain(past, evaluatorRunner) : undefined;
  const execution = { ...unchanged, workspace, workspaceFault, conversation };
  const findings = await evaluatorRunner.conclude(trial, execution);
  if (findings === 'interrupted') return undefined;
  return recordOf(trial, execution, findings, evaluatorRunner.spentOnJudge(trial));
}

/** Evaluates after each answer, with a trace that ends there. */
async function hearAgain(
  { trial, trace, turns }: PastTrial,
  evaluatorRunner: EvaluatorRunner,
): Promise<TurnEvaluation> {
  const soFar: TraceEvent[] = [];
  const conversation = evaluatorRunner.conversation(trial, soFar);
  const end = trace.findLastIndex(({ type }) => type === 'turn');
  for (const [index, event] of trace.entries()) {
    soFar.push(event);
    if (event.type !== 'turn') continue;
    const isEnd = index === end;
    // An answer that was lost after the last one is a loss of the last that there is.
    if (isEnd) soFar.push(...eventsOf(trace.slice(index), 'gap'));
    await conversation.afterPastTurn(isEnd && !wasCutShort(turns), isEnd);
  }
  return conversation;
}

/** A conversation that was decided before it came to its end left open what it was still waiting for. */
function wasCutShort(turns: PastTrial['turns']): boolean {
  return turns.at(-1)?.results.some(({ state }) => state === 'pending') ?? false;
}
