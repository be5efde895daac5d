import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import type { TrialRecord } from '../../domain/record.ts';
import { RecordWriter } from '../../engine/store-trials.ts';
import { BundleCache } from '../../keep/bundles/bundle-cache.ts';
import { StoredFiles } from '../../keep/bundles/stored-files.ts';
import { type Lease, protocolVersion, type WorkerFacts } from '../../keep/distribution/distribution.ts';
import { TrialWorker } from '../../keep/distribution/trial-worker.ts';
import { openWorkDatabase, type WorkDatabase } from '../../keep/distribution/work-database.ts';
import type { FinishedTrial } from '../../keep/store/store.ts';
import { openProject } from '../config/project.ts';
import { describeAgents } from '../config/project-agents.ts';
import { version } from '../program.ts';
import { summarizeFinished } from '../summaries/summarizing-store.ts';
import { SharedArtifacts } from './artifacts.ts';
import { heartbeatAge } from './describe-work.ts';
import { RunContexts } from './run-context.ts';
import { openWorkTelemetry, type WorkTelemetry } from './work-telemetry.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface WorkOptions {
  readonly storeUrl: string;
  readonly cwd: string;
  readonly env: Env;
  readonly concurrency: number;
  readonly tags: readonly string[];
  /** Undefined: those that are found on this machine. */
  readonly agents?: readonly string[] | undefined;
  /** Where bundles are unpacked. */
  readonly folder?: string | undefined;
  readonly leaseMs: number;
  readonly drainMs: number;
  /** Ends when no trial is left. */
  readonly isOnce: boolean;
  /** Protocol version that the worker reports; set only by tests of upgrades. */
  readonly protocol?: number | undefined;
  readonly signal: AbortSignal;
  log(message: string): void;
  /** Called when the worker has started. */
  started(facts: WorkerFacts): void;
  stored(record: TrialRecord): void;
}

/** Runs trials that wait in a shared store, until the signal is aborted. */
export async function work(options: WorkOptions): Promise<void> {
  const { env, signal, leaseMs, drainMs, log } = options;
  const facts = await factsOf(options);
  await using database = await openWorkDatabase(options.storeUrl);
  const folder = options.folder ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'assay', 'bundles');
  // Stops the search for a config file at this folder.
  await mkdir(join(folder, '.git'), { recursive: true });
  const files = new StoredFiles(database.db);
  const bundles = new BundleCache(folder, files);
  const artifacts = new SharedArtifacts({ stored: files, env, log });
  await using telemetry = await openWorkTelemetry({
    ...{ env, role: 'worker', instanceId: facts.workerId, log },
    heartbeatAge: () => heartbeatAge(database.db, facts.workerId),
  });
  const contexts = new RunContexts({
    work: database,
    env,
    openBundle: (bundleId) => bundles.open(bundleId),
    emit: (event) => {
      if (event.type === 'warning') log(event.message);
    },
  });
  const worker = new TrialWorker({
    work: withArtifacts(database, artifacts),
    facts,
    leaseMs,
    drainMs,
    signal,
    isOnce: options.isOnce,
    perform: (lease) => performMeasured(lease, contexts, artifacts, telemetry),
    async endRun(runId) {
      await contexts.end(runId);
      const run = await database.store.findRun(runId);
      if (run) await summarizeFinished(database.store, run);
    },
    openRuns: () => contexts.runs,
    writeWith: (saveTrials) => new RecordWriter({ saveTrials }, () => undefined),
    settled: ({ record }, isStored) => {
      if (isStored) options.stored(record);
      if (isStored) telemetry.trialFinished(record);
      void artifacts.forget(record);
    },
    log: log,
  });
  options.started(facts);
  await worker.run();
}

/** Artifacts are assigned to their trial in the transaction that stores its result. */
function withArtifacts(database: WorkDatabase, artifacts: SharedArtifacts): WorkDatabase {
  return {
    ...database,
    saveTrialsAtOnce: async (trials, condition) =>
      !trials.some((trial) => artifacts.isSent(trial)) && database.saveTrialsAtOnce(trials, condition),
    async saveTrials(transaction, trials) {
      await artifacts.assign(transaction, trials);
      await database.saveTrials(transaction, trials);
    },
  };
}

async function performMeasured(
  lease: Lease,
  contexts: RunContexts,
  artifacts: SharedArtifacts,
  telemetry: WorkTelemetry,
): Promise<FinishedTrial | undefined> {
  telemetry.trialStarted();
  const finished = await contexts.perform(lease).catch((error: unknown) => {
    telemetry.trialGivenBack();
    throw error;
  });
  if (!finished) telemetry.trialGivenBack();
  else if (finished.record.artifacts !== null) {
    await artifacts.send(finished, (await contexts.of(lease.group.runId)).project);
  }
  return finished;
}

async function factsOf({ cwd, env, concurrency, tags, agents, protocol }: WorkOptions): Promise<WorkerFacts> {
  const host = hostname();
  return {
    workerId: `${host}-${process.pid}-${randomBytes(2).toString('hex')}`,
    host,
    pid: process.pid,
    version,
    protocol: protocol ?? protocolVersion,
    concurrency,
    tags: [...tags],
    agents: agents ? [...agents] : await installedAgents(cwd, env),
    env: Object.keys(env)
      .filter((name) => env[name] !== undefined && env[name] !== '')
      .sort(),
  };
}

async function installedAgents(cwd: string, env: Env): Promise<string[]> {
  const described = await describeAgents(await openProject(cwd, env), env);
  return described.filter(({ isUsable }) => isUsable).map(({ name }) => name);
}
