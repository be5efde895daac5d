import { KeptResults, type SummaryPart } from '../../../compose/summaries/kept-results.ts';
import { isLargeRun } from '../../../compose/summaries/large-run.ts';
import { endedKey } from '../../../domain/ended-key.ts';
import type { RunHeader } from '../../../domain/run.ts';
import { untilAborted } from '../../../shared/async.ts';
import { sha256 } from '../../../shared/ids.ts';
import type { Work } from '../api/system.ts';
import { BoundedCache } from '../bounded-cache.ts';
import { Refusal } from '../refusal.ts';
import { PieceQueue } from './piece-queue.ts';
import { Places } from './places.ts';
import { doHere, type HeavyTask, type TaskGiven, type TaskKind, type TaskParts, type TaskResult } from './tasks.ts';
import { type TaskAnswer, type TaskWatch, WorkProcess } from './work-process.ts';

/** Each process may take some hundred megabytes; further tasks wait. Quick ones never wait for those that take long. */
const mostOfLane = 2;

/** How long a process waits for its next task: starting one takes longer than most checks. */
const idleMs = 30_000;

/** Work of the server that would keep other requests waiting: done in processes, a few at a time. */
export class HeavyWork {
  readonly #signal: AbortSignal;
  readonly #lanes = { quick: new Places(mostOfLane), long: new Places(mostOfLane), reports: new Places(mostOfLane) };
  readonly #idle = new Set<WorkProcess>();
  readonly #underWay = new Set<Work>();
  /** Runs that were summarized, or are being. */
  readonly summarized = new BoundedCache<null>(500);

  /** Processes are ended with the signal. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => {
      for (const worker of this.#idle) void worker.end();
    });
  }

  /** The tasks that wait or are done at this moment. */
  list(): readonly Work[] {
    return [...this.#underWay];
  }

  /** Has a process ready: the next task would wait for its start. */
  warm(): void {
    if (this.#idle.size > 0 || this.#underWay.size > 0 || this.#signal.aborted) return;
    this.#keepIdle(new WorkProcess());
  }

  #keepIdle(worker: WorkProcess): void {
    this.#idle.add(worker);
    worker.rest(idleMs, () => this.#idle.delete(worker));
  }

  /** The result of a task; aborting the signal ends its process. */
  async run<Kind extends TaskKind>(
    kind: Kind,
    given: TaskGiven<Kind>,
    place: HeavyTask['place'],
    { runs = [], signal }: RunOptions = {},
  ): Promise<TaskResult<Kind>> {
    return resultOf(await this.#done(sent(kind, given, place), runs, signal)) as TaskResult<Kind>;
  }

  /** The pieces of a report, made as fast as they are taken; the process of one that is not taken to its end is ended. */
  async *stream(
    given: TaskGiven<'report'>,
    place: HeavyTask['place'],
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array, void> {
    const task = sent('report', given, place);
    const leaving = new AbortController();
    const leave = (): void => leaving.abort(signal?.reason);
    signal?.addEventListener('abort', leave);
    const pieces = new PieceQueue();
    const done = this.#done(task, [given.run], leaving.signal, (piece, more) => pieces.add(piece, more)).then(resultOf);
    pieces.endWith(done);
    try {
      if (signal?.aborted) leave();
      yield* pieces.take();
    } finally {
      signal?.removeEventListener('abort', leave);
      leaving.abort();
    }
  }

  async #done(
    task: HeavyTask,
    runs: readonly RunHeader[],
    given?: AbortSignal,
    onPiece?: TaskWatch['onPiece'],
  ): Promise<TaskAnswer> {
    const trials = runs.reduce((sum, { planned }) => sum + planned, 0);
    const work = { kind: task.kind, runIds: runs.map(({ runId }) => runId), isWaiting: true, read: 0, trials };
    const onRead = (read: number): void => {
      work.read = Math.min(work.read + read, trials);
    };
    const lane = this.#lanes[laneOf(task)];
    const ending = new AbortController();
    const end = ({ target }: Event): void => ending.abort((target as AbortSignal).reason);
    for (const signal of [this.#signal, given]) signal?.addEventListener('abort', end);
    this.#underWay.add(work);
    try {
      for (const signal of [this.#signal, given]) signal?.throwIfAborted();
      await lane.take(ending.signal);
      work.isWaiting = false;
      return await this.#inProcess(task, { onRead, onPiece }, ending.signal).finally(() => lane.giveBack());
    } finally {
      this.#underWay.delete(work);
      for (const signal of [this.#signal, given]) signal?.removeEventListener('abort', end);
    }
  }

  async #inProcess(task: HeavyTask, watch: TaskWatch, signal: AbortSignal): Promise<TaskAnswer> {
    const [waiting] = this.#idle;
    const worker = waiting ?? new WorkProcess();
    this.#idle.delete(worker);
    try {
      const answer = await worker.answer(task, watch, signal);
      this.#keepIdle(worker);
      return answer;
    } catch (error) {
      await worker.end();
      throw error;
    }
  }
}

interface RunOptions {
  /** The runs that it reads. */
  readonly runs?: readonly RunHeader[];
  readonly signal?: AbortSignal | undefined;
}

/** The task without what cannot be sent to another process. */
function sent(kind: TaskKind, given: TaskGiven<TaskKind>, { storeUrl, folder, env }: HeavyTask['place']): HeavyTask {
  return { kind, given, place: { folder, env: { ...env }, ...(storeUrl !== undefined && { storeUrl }) } };
}

/** Tasks wait for a place of their lane only. */
function laneOf({ kind }: HeavyTask): 'quick' | 'long' | 'reports' {
  if (kind === 'report') return 'reports';
  return ['check', 'plan', 'figures', 'clusters', 'grid', 'trials', 'scenario', 'remove'].includes(kind)
    ? 'quick'
    : 'long';
}

function resultOf(answer: TaskAnswer): unknown {
  if ('result' in answer) return answer.result;
  const { status, body } = answer.refusal;
  const { error, code, hint, ...details } = body;
  throw new Refusal(status, code, error, { hint, details });
}

/** Whether other requests would wait for what reads all trials of these runs. */
export function isLarge(runs: readonly RunHeader[]): boolean {
  return runs.some(isLargeRun);
}

/** A store in memory is reached by its own process only. */
export function isReachable({ storeUrl }: Pick<TaskParts, 'storeUrl'>): boolean {
  return !storeUrl.includes(':memory:');
}

/** The steps of quick work are not watched. */
const quiet = { read: () => undefined, write: async () => undefined };

/** Where a result is computed: in this process, or in another with the same store. */
interface ComputePlace extends Omit<TaskParts, 'steps'> {
  readonly heavyWork: HeavyWork;
}

interface ComputeOptions<Result> {
  /** Of runs that have ended: what was computed stays, under the runs and this. */
  readonly cache?: BoundedCache<Result>;
  readonly key?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Results of which a page shows one for each of many runs: kept of small runs too. */
const ofManyRuns: readonly TaskKind[] = ['scenario'];

/** A result about runs: here where they are small, else in another process; of runs that have ended it is kept. */
export function compute<Kind extends Exclude<TaskKind, 'check'>>(
  kind: Kind,
  given: TaskGiven<Kind>,
  runs: readonly RunHeader[],
  context: ComputePlace,
  { cache, key, signal }: ComputeOptions<TaskResult<Kind>> = {},
): Promise<TaskResult<Kind>> {
  const work = (ending?: AbortSignal): Promise<TaskResult<Kind>> =>
    isLarge(runs) || ofManyRuns.includes(kind)
      ? keptOrMade(kind, given, { runs, key, signal: ending }, context)
      : here(kind, given, context);
  const kept = cacheKey(kind, runs, key);
  return !cache || kept === undefined ? work(signal) : cache.get(kept, work, signal);
}

/** Does a task in this process. */
function here<Kind extends Exclude<TaskKind, 'check'>>(
  kind: Kind,
  given: TaskGiven<Kind>,
  { store, storeUrl, folder, env }: ComputePlace,
): Promise<TaskResult<Kind>> {
  return doHere(kind, given, { store, storeUrl, folder, env, steps: quiet });
}

/** Does a task about runs: in another process where they are large, and that reaches the store. */
function aside<Kind extends Exclude<TaskKind, 'check'>>(
  kind: Kind,
  given: TaskGiven<Kind>,
  options: RunOptions,
  context: ComputePlace,
): Promise<TaskResult<Kind>> {
  return isLarge(options.runs ?? []) && isReachable(context)
    ? context.heavyWork.run(kind, given, context, options)
    : here(kind, given, context);
}

/**
 * Sees to it that a part of the summary of a run that has ended is kept, reading the run where it is not; that goes on when the
 * page that wanted it is left. The results of a store that cannot be written are made one by one.
 */
export function summarizeOnce(run: RunHeader, part: SummaryPart, context: ComputePlace): Promise<null> {
  const made = async () => {
    const kept = await KeptResults.of([run], context.store);
    if (await kept?.isComplete(part)) return null;
    return summarizeAll(run, context);
  };
  return context.heavyWork.summarized.get(`${part} ${endedKey(run)}`, made);
}

function summarizeAll(run: RunHeader, context: ComputePlace): Promise<null> {
  const made = () => aside('summarize', { run }, { runs: [run] }, context).catch(() => null);
  return context.heavyWork.summarized.get(`all ${endedKey(run)}`, made);
}

/** Results about one run that are kept by their names. */
const named: readonly TaskKind[] = ['figures', 'breakdown', 'clusters', 'judged'];
/** Results that are made without the summary of the run: no request for one of them waits for it. */
const apart: readonly TaskKind[] = ['figures', 'breakdown', 'clusters', 'scenario'];
/** Results that are made of columns: too many to be kept, and made sooner than another process has the columns. */
const madeOfColumns: readonly TaskKind[] = ['grid', 'trials'];
/** Results that are there when the columns are. */
const ofColumns: readonly TaskKind[] = [...madeOfColumns, 'judged'];

/** A result about runs: as the store has it, or made and kept. */
async function keptOrMade<Kind extends Exclude<TaskKind, 'check'>>(
  kind: Kind,
  given: TaskGiven<Kind>,
  {
    runs,
    key,
    signal,
  }: { readonly runs: readonly RunHeader[]; readonly key: unknown; readonly signal?: AbortSignal | undefined },
  context: ComputePlace,
): Promise<TaskResult<Kind>> {
  const make = () => aside(kind, given, { runs, signal }, context);
  const kept = await KeptResults.of(runs, context.store);
  if (!kept) return make();
  const name = named.includes(kind) ? kind : `${kind} ${sha256(JSON.stringify([runs.map(endedKey), key ?? null]))}`;
  const found = madeOfColumns.includes(kind) ? undefined : await kept.read<TaskResult<Kind>>(name);
  if (found !== undefined) return found;
  if (apart.includes(kind)) return keptAs(name, await make(), kept);
  const part = ofColumns.includes(kind) ? 'columns' : runs.length === 1 ? 'variants' : 'side';
  const summaries = Promise.all(runs.filter(isLargeRun).map((run) => summarizeOnce(run, part, context)));
  await (signal ? untilAborted(summaries, signal) : summaries);
  if (madeOfColumns.includes(kind)) return (await kept.isComplete('columns')) ? here(kind, given, context) : make();
  const ofSummary = named.includes(kind) ? await kept.read<TaskResult<Kind>>(name) : undefined;
  if (ofSummary !== undefined) return ofSummary;
  return keptAs(name, await make(), kept);
}

async function keptAs<Result>(name: string, made: Result, kept: KeptResults): Promise<Result> {
  await kept.save(name, made).catch(() => undefined);
  return made;
}

/** The key that a result about runs is kept under; undefined while one of them goes on. */
export function cacheKey(kind: TaskKind, runs: readonly RunHeader[], key?: unknown): string | undefined {
  const ended = runs.map(endedKey);
  return ended.includes(undefined) ? undefined : JSON.stringify([kind, ended, key]);
}
