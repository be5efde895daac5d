import type { TrialRecord } from '../../domain/record.ts';
import type { RunEvent, RunSummary } from '../../domain/run.ts';
import type { Scenario } from '../../domain/scenario.ts';
import { Threads } from '../../drive/targets/call/threads.ts';
import type { TargetKind } from '../../drive/targets/target.ts';
import { plannedCount } from '../../engine/plan.ts';
import type { RecordSink } from '../../engine/record-sink.ts';
import { runScenarios } from '../../engine/resume.ts';
import { run } from '../../engine/run.ts';
import { TargetPool } from '../../engine/target-pool.ts';
import { openStore } from '../../keep/store/open-store.ts';
import { eachTrial, type Store } from '../../keep/store/store.ts';
import type { Evaluator } from '../../score/evaluators/evaluator.ts';
import { redactionOf } from '../../shared/redaction/redaction.ts';
import { runHeader } from '../samples.ts';

interface EngineOptions {
  readonly targets: readonly TargetKind[];
  readonly evaluators: readonly Evaluator[];
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  readonly emit?: (event: RunEvent) => void;
  /** A new one in memory, unless another is given. */
  readonly store?: Store;
  /** Distinguishes the runs of one store. */
  readonly runId?: string;
}

/** Outcome of a run: its own summary, and its records in the store. */
export interface EngineRun {
  readonly summary: RunSummary;
  readonly records: Readonly<Record<string, TrialRecord>>;
}

/** Engine tests ask no judge. */
const noJudge = {
  ask: async () => {
    throw new Error('no evaluator of these tests needs the judge');
  },
  embed: async () => {
    throw new Error('no evaluator of these tests needs embeddings');
  },
  errorsIn: () => 'error' as const,
};

/** Engine tests have no secrets and no agents. */
const keepAll: RecordSink = {
  redact: (finished) => finished,
  redactText: (text) => text,
  leaveArtifacts: async () => undefined,
};

/** Runs scenarios on the real engine and a real store. */
export async function runOnEngine(scenarios: readonly Scenario[], options: EngineOptions): Promise<EngineRun> {
  const store = options.store ?? (await openStore('sqlite::memory:', '/'));
  const planned = plannedCount(scenarios);
  const header = runHeader(options.runId ?? 'r-engine', {
    planned,
    scenarios: runScenarios(scenarios, options.targets),
  });
  await store.createRun(header);
  await using targets = new TargetPool(new Map(options.targets.map((kind) => [kind.type, kind])), {
    env: {},
    threads: new Threads(),
  });
  const evaluators = new Map(options.evaluators.map((evaluator) => [evaluator.type, evaluator]));
  const control = {
    concurrency: options.concurrency ?? 1,
    signal: options.signal ?? new AbortController().signal,
    emit: options.emit ?? (() => undefined),
  };
  const summary = await run(
    header,
    scenarios,
    {
      store,
      targets,
      evaluators,
      judging: noJudge,
      services: { env: {}, updatesGolden: false, redact: redactionOf([]) },
      recordSink: keepAll,
    },
    control,
  );
  const records: Record<string, TrialRecord> = {};
  for await (const record of eachTrial(store, header.runId)) records[record.scenario] = record;
  if (!options.store) await store[Symbol.asyncDispose]();
  return { summary, records };
}
