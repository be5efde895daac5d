import type { RunHeader } from '../../../domain/run.ts';
import type { Work } from '../api/system.ts';
import { type BoundedCache, endedKey } from '../bounded-cache.ts';
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
      this.#idle.add(worker);
      worker.rest(idleMs, () => this.#idle.delete(worker));
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
  return ['check', 'plan', 'figures', 'trials', 'remove'].includes(kind) ? 'quick' : 'long';
}

function resultOf(answer: TaskAnswer): unknown {
  if ('result' in answer) return answer.result;
  const { status, body } = answer.refusal;
  const { error, code, hint, ...details } = body;
  throw new Refusal(status, code, error, { hint, details });
}

/** With more trials, other requests would wait for the work. */
const mostTrialsHere = 1_000;

/** A store in memory is reached by its own process only. */
export function isLarge(runs: readonly RunHeader[], { storeUrl }: { readonly storeUrl: string }): boolean {
  return !storeUrl.includes(':memory:') && runs.some(({ planned }) => planned > mostTrialsHere);
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

/** A result about runs: here where they are small, else in another process; of runs that have ended it is kept. */
export function compute<Kind extends Exclude<TaskKind, 'check'>>(
  kind: Kind,
  given: TaskGiven<Kind>,
  runs: readonly RunHeader[],
  context: ComputePlace,
  { cache, key, signal }: ComputeOptions<TaskResult<Kind>> = {},
): Promise<TaskResult<Kind>> {
  const { store, storeUrl, folder, env } = context;
  const work = (ending?: AbortSignal): Promise<TaskResult<Kind>> =>
    isLarge(runs, context)
      ? context.heavyWork.run(kind, given, context, { runs, signal: ending })
      : doHere(kind, given, { store, storeUrl, folder, env, steps: quiet });
  const kept = cacheKey(kind, runs, key);
  return !cache || kept === undefined ? work(signal) : cache.get(kept, work, signal);
}

/** The key that a result about runs is kept under; undefined while one of them goes on. */
export function cacheKey(kind: TaskKind, runs: readonly RunHeader[], key?: unknown): string | undefined {
  const ended = runs.map(endedKey);
  return ended.includes(undefined) ? undefined : JSON.stringify([kind, ended, key]);
}
