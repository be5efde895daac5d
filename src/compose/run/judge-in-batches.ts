import { join } from 'node:path';
import { AssayError, asAssayError } from '../../domain/errors.ts';
import type { RunOptions } from '../../domain/option-values.ts';
import type { RunHeader, RunSummary } from '../../domain/run.ts';
import type { Scenario } from '../../domain/scenario.ts';
import { BatchFolder } from '../../drive/models/batch/batch-folder.ts';
import { BatchedCalls } from '../../drive/models/batch/batched-calls.ts';
import { openBatchProvider } from '../../drive/models/batch/open-batch-provider.ts';
import { collectReplies, sendBatches } from '../../drive/models/batch/settle-batches.ts';
import { noBatches } from '../../drive/models/open-models.ts';
import { resolveModel } from '../../drive/models/resolve-model.ts';
import { judgeWaiting } from '../../engine/judge-waiting.ts';
import type { RunControl } from '../../engine/store-trials.ts';
import type { TrialParts } from '../../engine/try-trial.ts';
import type { Store } from '../../keep/store/store.ts';
import { artifactsFolder, type Project } from '../config/project.ts';
import { RunRedaction } from '../config/redaction.ts';
import { type JudgeOptions, ProjectJudging } from '../judge/judging.ts';
import { isJudged } from './cost-limits.ts';
import { pastTrial } from './rescore-trials.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface BatchedRun {
  readonly project: Project;
  readonly env: Env;
  readonly options: JudgeOptions & Pick<RunOptions, 'retryErrors'>;
  readonly prepared: { readonly header: RunHeader; readonly scenarios: readonly Scenario[] };
  readonly store: Store;
  readonly parts: TrialParts;
  readonly control: RunControl;
}

/** The folder of a run's batches. */
function batchesFolder({ folder }: Project, runId: string): string {
  return join(folder, '.assay', 'batches', runId);
}

/** Judges the trials of a run that wait, as far as the batches are done, and sends the other questions. */
export async function judgeInBatches(run: BatchedRun): Promise<RunSummary> {
  const { project, env, store, parts, control } = run;
  const { header, scenarios } = run.prepared;
  const redaction = new RunRedaction(project, env);
  redaction.learn(scenarios);
  const folder = new BatchFolder(batchesFolder(project, header.runId), redaction.redact);
  // Requests that an earlier batch did not answer are sent again.
  if (run.options.retryErrors) await folder.forgetFailures();
  const batched = new BatchedCalls(folder);
  const options = { ...run.options, batch: false };
  await using judging = new ProjectJudging(project, options, env, { redact: redaction.redact, batched });
  const providerOf = (name: string) => openBatchProvider(name, project.config.models, env);
  const warn = (message: string): void => control.emit({ type: 'warning', message });
  // A provider that cannot be reached leaves the trials waiting.
  const reported = async (step: () => Promise<readonly string[]>): Promise<void> => {
    const lines = await step().catch((error: unknown) => [asAssayError(error).message]);
    for (const line of lines) warn(`Batch: ${line}`);
  };
  const { targets, evaluators } = parts;
  const kinds = project.parts.targets;
  return judgeWaiting(
    header,
    scenarios,
    {
      ...{ store, evaluators, judging, targets, services: parts.services, recordSink: parts.recordSink },
      openWorkspace: (trial, past) => {
        const { artifacts } = past.record;
        const trialFolder = artifacts === null ? undefined : join(artifactsFolder(project), artifacts);
        const today = { scenario: trial.scenario, case: trial.case };
        const parts = { targets: kinds, evaluators, env, project };
        return pastTrial({ past, runId: header.runId }, today, parts, trialFolder).openWorkspace();
      },
    },
    {
      collect: () => reported(() => collectReplies(folder, providerOf)),
      send: () => reported(() => sendBatches(batched, providerOf)),
    },
    control,
  );
}

/** Refuses judges without batches before anything is run. */
export async function assertBatchable(
  scenarios: readonly Scenario[],
  project: Project,
  options: JudgeOptions,
  env: Env,
): Promise<void> {
  if (options.maxUsd !== undefined)
    throw new AssayError('USAGE', '--batch cannot be combined with a spending limit.', {
      hint: 'Leave out --max-usd, and LLM_TOOL_TEST_BUDGET_USD of the environment.',
    });
  const judging = new ProjectJudging(project, options, env);
  for (const scenario of scenarios) {
    if (!(await isJudged(scenario, project))) continue;
    for (const name of judging.modelNames(scenario.judge)) {
      if (!resolveModel(name, project.config.models).provider.batches) throw noBatches(name);
    }
  }
}
