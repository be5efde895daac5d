import { AssayError } from '../../domain/errors.ts';
import type { Emit } from '../../domain/run.ts';
import { PlanCursor, plan } from '../../engine/plan.ts';
import { assertUnchanged } from '../../engine/resume.ts';
import type { RunHooks } from '../../engine/run-hooks.ts';
import { RunPins } from '../../engine/run-pins.ts';
import { type TryTrial, trialsWith } from '../../engine/try-trial.ts';
import type { Lease } from '../../keep/distribution/distribution.ts';
import { retryWhileDatabaseIsDown, type WorkDatabase } from '../../keep/distribution/work-database.ts';
import { findWorkRun } from '../../keep/distribution/work-runs.ts';
import type { FinishedTrial, Store } from '../../keep/store/store.ts';
import { openProject, type Project } from '../config/project.ts';
import { type OpenTrialParts, openTrialParts } from '../run/open-trial-parts.ts';
import { selectScenarios } from '../run/prepare-run.ts';

interface RunContextOptions {
  readonly work: WorkDatabase;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of a bundle, unpacked. */
  openBundle(bundleId: string): Promise<string>;
  readonly emit: Emit;
}

/** Everything that a worker needs for the trials of one run: its files, its plan and its parts. */
class RunContext implements AsyncDisposable {
  readonly project: Project;
  readonly #parts: OpenTrialParts;
  readonly #cursor: PlanCursor;
  readonly #stopping: AbortController;
  readonly #tryTrial: TryTrial;
  readonly #endHooks: (() => Promise<void>) | undefined;

  private constructor(
    project: Project,
    parts: OpenTrialParts,
    cursor: PlanCursor,
    stopping: AbortController,
    tryTrial: TryTrial,
    endHooks: (() => Promise<void>) | undefined,
  ) {
    this.project = project;
    this.#parts = parts;
    this.#cursor = cursor;
    this.#stopping = stopping;
    this.#tryTrial = tryTrial;
    this.#endHooks = endHooks;
  }

  /** Opens the project of a run as its coordinator had it. */
  static async open(runId: string, { work, env, openBundle, emit }: RunContextOptions): Promise<RunContext> {
    const [header, workRun] = await Promise.all([work.store.findRun(runId), findWorkRun(work.db, runId)]);
    if (!header || !workRun) throw new AssayError('NOT_FOUND', `The run ${runId} no longer exists.`);
    const project = await openProject(await openBundle(workRun.bundleId), env);
    const { scenarios } = await selectScenarios(header.request, project, { env });
    assertUnchanged(header, scenarios);
    const parts = await openTrialParts({ project, env, options: { ...header.request, reuse: false } });
    parts.redaction.learn(scenarios);
    const stopping = new AbortController();
    const complete = parts.complete();
    const { signal } = stopping;
    const hooks = await complete.openHooks?.(header, { signal, isWorker: true });
    const patience = { signal, log: (message: string) => emit({ type: 'warning', message }) };
    const pins = new RunPins(runId, {
      pinTools: (id, met) => retryWhileDatabaseIsDown(patience, () => work.store.pinTools(id, met)),
    });
    const tryTrial = trialsWith(complete, { signal, emit, hooks, pins });
    const tryAndCountWaits: TryTrial = async (trial) => {
      const finished = await tryTrial(trial);
      const waits = (await complete.takeWaits?.()) ?? [];
      if (waits.length > 0) await retryWhileDatabaseIsDown(patience, () => work.store.addWaits(runId, waits));
      const problems = hooks?.takeProblems() ?? [];
      if (problems.length > 0)
        await retryWhileDatabaseIsDown(patience, () => work.store.addHookProblems(runId, problems));
      return finished;
    };
    const cursor = new PlanCursor(() => plan(runId, scenarios));
    const endHooks = hooks && (() => endHooksOfWorker(hooks, runId, work.store, patience.log));
    return new RunContext(project, parts, cursor, stopping, tryAndCountWaits, endHooks);
  }

  /** Runs a trial; undefined when it was interrupted. */
  async perform({ trial: { ordinal, trialId } }: Lease): Promise<FinishedTrial | undefined> {
    const { signal } = this.#stopping;
    const trial = await this.#cursor.find(ordinal, trialId).catch((error) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    return trial && !signal.aborted ? this.#tryTrial(trial) : undefined;
  }

  /** Interrupts running trials and closes everything. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#endHooks?.();
    await this.#cursor.close();
    await this.#parts[Symbol.asyncDispose]();
  }
}

/** The run may be over already, so its summary may lack what fails here: it is logged too. */
async function endHooksOfWorker(
  hooks: RunHooks,
  runId: string,
  store: Pick<Store, 'addHookProblems'>,
  log: (message: string) => void,
): Promise<void> {
  await hooks[Symbol.asyncDispose]();
  const problems = hooks.takeProblems();
  if (problems.length === 0) return;
  for (const { hook, command, message } of problems) log(`The hook ${hook} failed: ${command} ${message}`);
  await store.addHookProblems(runId, problems).catch((error: Error) => log(error.message));
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
    const opening = this.#open.get(runId) ?? RunContext.open(runId, this.#options);
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
