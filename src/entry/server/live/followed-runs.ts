import { isLiveStatus, type RunHeader, summarizeRun } from '../../../domain/run.ts';
import type { Store, TrialRow } from '../../../keep/store/store.ts';
import { refusalOf } from '../refusal.ts';
import { EventFeed, type FeedEvent } from './event-feed.ts';
import { RunRate } from './run-progress.ts';

const pauseMs = 1_000;
/** Counting must not become the main work of a store with large runs. */
const pausePerWork = 10;
const shownRecent = 20;
const lookedAt = 100;

/** A run of another process, followed through the store. */
class FollowedRun implements Disposable {
  readonly feed = new EventFeed();
  readonly #store: Store;
  readonly #runId: string;
  readonly #rate = new RunRate();
  #published = '';
  #finished: number | undefined;
  #lastFinishedAt: number | null = null;
  #seen: ReadonlySet<string> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store, runId: string) {
    this.#store = store;
    this.#runId = runId;
    void this.#look();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.feed.close();
  }

  async #look(): Promise<void> {
    const startedAtMs = Date.now();
    try {
      await this.#publishChange();
    } catch (error) {
      const { error: message, code, hint } = refusalOf(error).body;
      this.feed.publish({ type: 'failed', error: { error: message, code, ...(hint === undefined ? {} : { hint }) } });
      this.feed.close();
    }
    if (this.feed.isClosed) return;
    const waitMs = Math.max(pauseMs, (Date.now() - startedAtMs) * pausePerWork);
    this.#timer = setTimeout(() => void this.#look(), waitMs);
    this.#timer.unref();
  }

  async #publishChange(): Promise<void> {
    const run = await this.#store.findRun(this.#runId);
    if (!run) return this.feed.close();
    const counts = await this.#store.countTrials(run.runId);
    const { totals, cost, costUsd, outcome, reason } = summarizeRun(run, counts, Date.now());
    const finished = totals.pass + totals.fail + totals.error;
    this.#rate.add(Date.now(), finished);
    if (this.#finished !== undefined && finished > this.#finished) this.#lastFinishedAt = Date.now();
    this.#finished = finished;
    const round = roundOf(run);
    const state = JSON.stringify([run.status, totals, cost, round]);
    if (state !== this.#published) {
      this.#published = state;
      const perSecond = this.#rate.perSecond();
      this.feed.publish({
        type: 'progress',
        status: run.status,
        totals,
        round,
        running: [],
        finishedPerSecond: perSecond,
        lastFinishedAt: this.#lastFinishedAt,
        secondsLeft: perSecond === null ? null : totals.notRun / perSecond,
        costUsd,
        cost,
        recent: await this.#recent(),
      });
    }
    if (isLiveStatus(run.status)) return;
    this.feed.publish({ type: 'finished', status: run.status, totals, outcome, reason });
    this.feed.close();
  }

  /** The trials stored since the last look, among those that started last. */
  async #recent(): Promise<TrialRow[]> {
    const { items } = await this.#store.readTrialRows(this.#runId, {
      limit: lookedAt,
      order: 'started',
      isDescending: true,
    });
    const before = this.#seen;
    this.#seen = new Set(items.map(({ trialId }) => trialId));
    if (before === undefined) return [];
    return items
      .filter(({ trialId }) => !before.has(trialId))
      .sort((a, b) => Number(a.outcome === 'pass') - Number(b.outcome === 'pass'))
      .slice(0, shownRecent);
  }
}

/** The round that goes on, from the looks so far. */
function roundOf({ request, experiment }: RunHeader): { readonly round: number; readonly rounds: number } | null {
  if (!request.experiment || !experiment) return null;
  const rounds = request.experiment.rounds.length;
  return { round: Math.min(rounds, experiment.looks.length + (experiment.ending === null ? 1 : 0)), rounds };
}

/** Runs of other processes, each read from the store by one follower while it has listeners. */
export class FollowedRuns {
  readonly #store: Store;
  readonly #followed = new Map<string, { readonly run: FollowedRun; listeners: number }>();

  constructor(store: Store) {
    this.#store = store;
  }

  async *read(runId: string, lastId: string | undefined, signal: AbortSignal): AsyncGenerator<FeedEvent, void> {
    const current = this.#followed.get(runId);
    const followed = current ?? { run: new FollowedRun(this.#store, runId), listeners: 0 };
    this.#followed.set(runId, followed);
    followed.listeners += 1;
    try {
      yield* followed.run.feed.read(lastId, signal);
    } finally {
      followed.listeners -= 1;
      if (followed.listeners === 0) {
        followed.run[Symbol.dispose]();
        if (this.#followed.get(runId) === followed) this.#followed.delete(runId);
      }
    }
  }
}
