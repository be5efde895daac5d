import { AssayError } from '../../domain/errors.ts';
import type { Emit } from '../../domain/run.ts';
import { PlanCursor, plan } from '../../engine/plan.ts';
import { assertUnchanged } from '../../engine/resume.ts';
import { RunFeatures } from '../../engine/run-features.ts';
import { trialsWith } from '../../engine/try-trial.ts';
import type { Lease } from '../../keep/distribution/distribution.ts';
import { retryWhileDatabaseIsDown, type WorkDatabase } from '../../keep/distribution/work-database.ts';
import { dropWaitingTrials, findWorkRun } from '../../keep/distribution/work-runs.ts';
import type { FinishedTrial, Store } from '../../keep/store/store.ts';
import { openProject, type Project } from '../config/project.ts';
import { openTrialParts } from '../run/open-trial-parts.ts';
import { selectScenarios } from '../run/prepare-run.ts';

interface RunContextOptions {
  readonly work: WorkDatabase;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of a bundle, unpacked. */
  openBundle(bundleId: string): Promise<string>;
  readonly emit: Emit;
}

/** Everything that a worker needs for the trials of one run: its files, its plan and its parts. */
interface RunContext extends AsyncDisposable {
  readonly project: Project;
  /** Runs a trial; undefined when it was interrupted. */
  perform(lease: Lease): Promise<FinishedTrial | undefined>;
}

/** Opens the project of a run as its coordinator had it. */
async function openContext(runId: string, options: RunContextOptions): Promise<RunContext> {
  const { work, env, openBundle, emit } = options;
  const [header, workRun] = await Promise.all([work.store.findRun(runId), findWorkRun(work.db, runId)]);
  if (!header || !workRun) throw new AssayError('NOT_FOUND', `The run ${runId} no longer exists.`);
  const project = await openProject(await openBundle(workRun.bundleId), env);
  const { scenarios } = await selectScenarios(header.request, project, { env });
  assertUnchanged(header, scenarios);
  const { experiment: _, ...kept } = header.request;
  const parts = await openTrialParts({ project, env, options: { ...kept, reuse: false } });
  parts.redaction.learn(scenarios);
  const stopping = new AbortController();
  const { signal } = stopping;
  const store = patientStore(work.store, { signal, log: (message) => emit({ type: 'warning', message }) });
  const complete = parts.complete();
  const place = { header, scenarios, store, signal, emit, role: 'worker' as const };
  const features = await RunFeatures.open(complete.openFeatures, place);
  const tryTrial = trialsWith(complete, features, signal);
  const cursor = new PlanCursor(() => plan(runId, scenarios));
  return {
    project,
    async perform({ trial: { ordinal, trialId } }) {
      const trial = await cursor.find(ordinal, trialId).catch((error) => {
        if (signal.aborted) return undefined;
        throw error;
      });
      if (!trial || signal.aborted) return undefined;
      if (!(await features.mayGoOn())) await dropWaitingTrials(work.db, runId);
      const finished = await tryTrial(trial);
      await features.save();
      return finished;
    },
    /** Interrupts running trials and closes everything. */
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await features[Symbol.asyncDispose]();
      await cursor.close();
      await parts[Symbol.asyncDispose]();
    },
  };
}

/** A store whose writes for features wait until the database can be reached again. */
function patientStore(store: Store, patience: Parameters<typeof retryWhileDatabaseIsDown>[0]): Store {
  const patiently = <Result>(write: () => Promise<Result>) => retryWhileDatabaseIsDown(patience, write);
  return {
    ...store,
    countTrials: (runId) => patiently(() => store.countTrials(runId)),
    pinTools: (runId, met) => patiently(() => store.pinTools(runId, met)),
    addWaits: (runId, waits) => patiently(() => store.addWaits(runId, waits)),
    addHookProblems: (runId, problems) => patiently(() => store.addHookProblems(runId, problems)),
  };
}

/** The contexts of a worker, one for each run that it takes part in. */
export class RunContexts {
  readonly #options: RunContextOptions;
  readonly #open = new Map<string, Promise<RunContext>>();

  constructor(options: RunContextOptions) {
    this.#options = options;
  }

  get runs(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** Runs a trial; undefined when it was interrupted. A context that cannot be opened is retried with the next trial. */
  async perform(lease: Lease): Promise<FinishedTrial | undefined> {
    return (await this.of(lease.group.runId)).perform(lease);
  }

  /** The context of a run. */
  of(runId: string): Promise<RunContext> {
    const opening = this.#open.get(runId) ?? openContext(runId, this.#options);
    this.#open.set(runId, opening);
    opening.catch(() => this.#open.delete(runId));
    return opening;
  }

  /** Interrupts the trials of a run and closes its context. */
  async end(runId: string): Promise<void> {
    const context = await this.#open.get(runId)?.catch(() => undefined);
    this.#open.delete(runId);
    await context?.[Symbol.asyncDispose]();
  }
}
