import { type JudgeSpending, totalSpending } from '../domain/judge-result.ts';
import type { RunHeader, RunSummary } from '../domain/run.ts';
import type { Scenario } from '../domain/scenario.ts';
import { RunLease } from '../keep/store/run-lease.ts';
import { eachTrial, type FinishedTrial, type Store } from '../keep/store/store.ts';
import { EvaluatorRunner } from './evaluate.ts';
import { PlanCursor, plan } from './plan.ts';
import { keptTrial, recordOf } from './record.ts';
import type { KeptWorkspace } from './rescore.ts';
import { type RunControl, storedSummary } from './store-trials.ts';
import type { TrialParts } from './try-trial.ts';

interface WaitingParts extends Pick<TrialParts, 'evaluators' | 'judging' | 'services' | 'recordSink' | 'targets'> {
  readonly store: Store;
  openWorkspace(trial: Parameters<EvaluatorRunner['rejudge']>[0], finished: FinishedTrial): Promise<KeptWorkspace>;
}

/** Steps around the judging, while no other process runs the run. */
interface BatchSteps {
  /** Before: gets the replies that are there. */
  collect(): Promise<void>;
  /** After: sends the questions that have no reply. */
  send(): Promise<void>;
}

/** Judges stored trials that wait for their judge, as far as its replies are there. The others go on waiting. */
export async function judgeWaiting(
  header: RunHeader,
  scenarios: readonly Scenario[],
  parts: WaitingParts,
  steps: BatchSteps,
  control: RunControl,
): Promise<RunSummary> {
  const { store } = parts;
  const { runId } = header;
  await using lease = await RunLease.take(runId, store, control);
  await steps.collect();
  await judgeAll(header, scenarios, parts, lease.signal, control);
  if (!lease.signal.aborted) await steps.send();
  await lease.end(lease.signal.aborted ? 'interrupted' : 'finished', header.finishedAt ?? Date.now());
  return storedSummary(header, store);
}

async function judgeAll(
  { runId }: RunHeader,
  scenarios: readonly Scenario[],
  parts: WaitingParts,
  signal: AbortSignal,
  { emit }: Pick<RunControl, 'emit'>,
): Promise<void> {
  const { store, recordSink, targets } = parts;
  const evaluatorRunner = new EvaluatorRunner(parts.evaluators, parts.judging, parts.services, signal);
  const cursor = new PlanCursor(() => plan(runId, scenarios));
  for await (const record of eachTrial(store, runId, ['error'])) {
    if (signal.aborted) break;
    if (record.fault?.code !== 'JUDGE_WAITING') continue;
    const trial = await cursor.find(record.ordinal, record.trialId);
    const trace = await store.readTrace(record.trialId);
    // Removed meanwhile: without its trace there is nothing to judge.
    if (!trace) continue;
    const past = { record, trace };
    await using work = await parts.openWorkspace(trial, past);
    const { workspace, workspaceFault } = work;
    const findings = await evaluatorRunner.rejudge(trial, past, { workspace, workspaceFault });
    if (findings === 'interrupted') break;
    const { startedAt, durationMs, artifacts } = record;
    const execution = {
      ...{ trace, startedAt, durationMs, artifacts, workspace, workspaceFault },
      ...{ fault: undefined, conversation: undefined, cachedFrom: undefined },
    };
    const judged = recordOf(trial, execution, findings, withEarlier(past, evaluatorRunner.spentOnJudge(trial)));
    const finished = keptTrial(trial, judged, recordSink);
    if (finished.record.fault?.code === 'JUDGE_WAITING') continue;
    await store.replaceWaiting([finished]);
    emit({ type: 'trial-finished', record: finished.record });
    if (targets.isAgentDriven(trial.scenario)) {
      await recordSink.leaveArtifacts(trial, finished).catch((error: unknown) => {
        emit({ type: 'warning', message: `The artifacts of ${record.trialId} could not be written: ${String(error)}` });
      });
    }
  }
  await cursor.close();
}

/** Spending on evaluators that did not wait counts too. */
function withEarlier({ record }: FinishedTrial, spent: JudgeSpending | undefined): JudgeSpending | undefined {
  const { judgeUsage: usage, costs } = record;
  if (!usage) return spent;
  return totalSpending([{ usage, costUsd: costs ? costs.judgeUsd : 0 }, ...(spent ? [spent] : [])]);
}
