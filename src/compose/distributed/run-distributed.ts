import type { RunHeader } from '../../domain/run.ts';
import type { Trial } from '../../domain/trial.ts';
import type { Workers } from '../../engine/run.ts';
import type { RunFeatures } from '../../engine/run-features.ts';
import { reapExpiredLeases } from '../../keep/distribution/reap-expired-leases.ts';
import {
  openWorkDatabase,
  retryWhileDatabaseIsDown,
  type WorkDatabase,
} from '../../keep/distribution/work-database.ts';
import { cancelWorkRun, dropWaitingTrials, findWorkRun, unservedGroups } from '../../keep/distribution/work-runs.ts';
import { listWorkers } from '../../keep/distribution/workers.ts';
import { pause } from '../../shared/async.ts';
import { counted } from '../../shared/format.ts';
import { type PreparedRun, type ProjectRun, type RunProjectOptions, runProject } from '../run/run-project.ts';
import { workLoad } from './describe-work.ts';
import { enqueueRun } from './enqueue-run.ts';
import { FollowedTrials } from './follow-trials.ts';
import { packProject } from './pack-project.ts';
import { openWorkTelemetry } from './work-telemetry.ts';

export interface DistributedRunOptions
  extends Pick<RunProjectOptions, 'project' | 'request' | 'sources' | 'signal' | 'env' | 'listeners'> {
  readonly storeUrl: string;
}

const houseMs = 1_000;
const shortestPollMs = 200;
const longestPollMs = 2_000;
/** Polling takes at most about a fifth of the time, because on one machine it slows the workers down. */
const pausePerPoll = 4;

/** Lets workers run the scenarios of a project, and waits for them unless the run is detached. */
export async function runDistributed(given: DistributedRunOptions): Promise<ProjectRun> {
  const work = await openWorkDatabase(given.storeUrl);
  const close = () => work[Symbol.asyncDispose]();
  const workersFor = (run: PreparedRun) => new RunWorkers(run, work, given);
  const openStore = async () => ({ ...work.store, [Symbol.asyncDispose]: close });
  return runProject({ ...given, openStore, workersFor }).catch(async (error: unknown) => {
    await close();
    throw error;
  });
}

/** The workers of a shared store, for one run. */
class RunWorkers implements Workers {
  readonly #run: PreparedRun;
  readonly #work: WorkDatabase;
  readonly #options: DistributedRunOptions;

  constructor(run: PreparedRun, work: WorkDatabase, options: DistributedRunOptions) {
    this.#run = run;
    this.#work = work;
    this.#options = options;
  }

  async concurrency(): Promise<number> {
    const workers = (await listWorkers(this.#work.db)).filter(({ isLost }) => !isLost);
    return workers.reduce((sum, { facts }) => sum + facts.concurrency, 0);
  }

  async perform(trials: AsyncIterable<Trial>, features: RunFeatures, signal: AbortSignal): Promise<void> {
    const { header } = this.#run;
    const { env, request } = this.#options;
    const warn = (message: string): void => features.emit({ type: 'warning', message });
    const leftOut = await this.#share((await features.mayGoOn()) ? trials : []);
    if (leftOut.length > 0) warn(notSentText(leftOut));
    // Trials that were not queued before the interruption would be missing from a run that seems to be whole.
    if (signal.aborted) await cancelWorkRun(this.#work, header.runId);
    if (request.detach) return;
    await using _telemetry = await openWorkTelemetry({
      ...{ env, role: 'coordinator', instanceId: header.runId, log: warn },
      load: () => workLoad(this.#work.db),
    });
    await follow(header, this.#work, features, signal);
  }

  /** Puts the files and the trials of the run where workers find them; the files that were left out. */
  async #share(trials: AsyncIterable<Trial> | readonly Trial[]): Promise<readonly string[]> {
    const { project, env, request } = this.#options;
    const { runId } = this.#run.header;
    const bundle = await packProject(project, env, this.#work.db);
    await bundle.assign(runId);
    const { bundleId } = bundle;
    await enqueueRun(runId, trials, { project, env, work: this.#work, options: request, bundleId });
    return bundle.leftOut;
  }
}

const namedFiles = 5;

function notSentText(paths: readonly string[]): string {
  const more = paths.length > namedFiles ? ` and ${counted(paths.length - namedFiles, 'more file')}` : '';
  const named = paths.slice(0, namedFiles).join(', ');
  return `Not sent to workers, because credentials stay on their machine: ${named}${more}.`;
}

/** Emits the events of the workers until the run has ended; cancels it everywhere when the signal is aborted. */
async function follow(
  header: RunHeader,
  work: WorkDatabase,
  features: RunFeatures,
  signal: AbortSignal,
): Promise<void> {
  const { runId } = header;
  const { emit } = features;
  const followed = new FollowedTrials(work.store, runId, header.planned);
  const warned = new Set<string>();
  const warn = (message: string): void => emit({ type: 'warning', message });
  const patience = { signal: new AbortController().signal, log: warn };
  for await (const _ of followed.news(true)) if (signal.aborted) break;
  for (;;) {
    const began = performance.now();
    const isOver = await retryWhileDatabaseIsDown(patience, async () => {
      if (signal.aborted) await cancelWorkRun(work, runId);
      await reapExpiredLeases(work, houseMs);
      return (await findWorkRun(work.db, runId))?.isEnded ?? true;
    });
    await retryWhileDatabaseIsDown(patience, async () => {
      for await (const record of followed.news(isOver)) emit({ type: 'trial-finished', record });
      if (!(await features.mayGoOn())) await dropWaitingTrials(work.db, runId);
      for (const { message } of await unservedGroups(work.db, runId)) {
        if (!warned.has(message)) warn(message);
        warned.add(message);
      }
    });
    if (isOver) return;
    const tookMs = performance.now() - began;
    await pause(Math.min(Math.max(shortestPollMs, pausePerPoll * tookMs), longestPollMs), signal);
  }
}
