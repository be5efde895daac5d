import type { ReplayRules } from '../../domain/tool-control/replay.ts';

/** A call in the forms in which calls are compared. */
export interface ComparedCall {
  /** Name of the tool. */
  readonly tool: string;
  /** The tool and its arguments exactly. */
  readonly exact: string;
  /** The tool and its arguments without differences that mean nothing. */
  readonly normalised: string;
}

/** When a recorded call began and ended, by a clock that ticks with every begin and end of a call. */
export type CallSpan = readonly [begin: number, end: number];

/** A recorded call. */
export interface TapedCall<Entry> extends ComparedCall {
  readonly entry: Entry;
  /** The call with all that its answer depends on, where that is more than its arguments. */
  readonly identity?: string | undefined;
  /** Whether it changes nothing, so it may be answered again and again. */
  readonly isReading: boolean;
  /** Whether it describes the tool itself, so its answer belongs to any state. */
  readonly isDescription?: boolean | undefined;
  /** Without spans, calls follow one another. */
  readonly span?: CallSpan | undefined;
}

/** The recorded call that answers a call. */
export interface FoundCall<Entry> {
  readonly kind: 'found';
  readonly entry: Entry;
  /** How the state of the trial differs from that in which the call was recorded; undefined where it does not. */
  readonly difference: string | undefined;
}

/** A call without an answer. */
export interface MissedCall<Entry> {
  readonly kind: 'miss';
  /** The recorded call that it was probably meant to be. */
  readonly nearest: Entry | undefined;
  /** For a call that was recorded in another state: how that differs from the state of the trial. */
  readonly difference: string | undefined;
}

/** As in the rules of a replay; `request`: the same request, in the order of its replies, and the last one again. */
type Match = ReplayRules['match'] | 'request';

type Accepts<Entry> = (entry: Entry) => boolean;
type Fits<Entry> = (recorded: TapedCall<Entry>) => boolean;

/** A recorded call, with the tools of the calls that make its state another one than that of the trial. */
interface Candidate {
  readonly index: number;
  /** Called in the trial, and recorded later than it or never. */
  readonly early: readonly string[];
  /** Recorded before it, and not called in the trial. */
  readonly unmade: readonly string[];
}

interface Choice {
  readonly index?: number | undefined;
  readonly difference?: string | undefined;
}

interface MadeCalls {
  readonly tool: string;
  readonly count: number;
}

/** Finds the recorded call that answers the next call of a trial, at one border. */
export class Player<Entry> {
  readonly #calls: readonly TapedCall<Entry>[];
  readonly #match: Match;
  readonly #miss: ReplayRules['miss'];
  readonly #used = new Set<number>();
  /** Calls of the trial by their identity. */
  readonly #made = new Map<string, MadeCalls>();
  /** Of the recorded calls that change something, exactly those before this place were made; undefined if not. */
  #place: number | undefined = 0;

  constructor(calls: readonly TapedCall<Entry>[], match: Match, miss: ReplayRules['miss'] = 'error') {
    this.#calls = calls;
    this.#match = match;
    this.#miss = miss;
  }

  /** Finds the answer to a call; only entries that are accepted answer. */
  find(call: ComparedCall, accepts: Accepts<Entry> = everything): FoundCall<Entry> | MissedCall<Entry> {
    const { index, difference } = this.#choose(call, accepts);
    const recorded = index === undefined ? undefined : this.#calls[index];
    if (index === undefined || !recorded) {
      this.#keepMissed(call);
      return { kind: 'miss', nearest: this.#nearest(call), difference };
    }
    this.#place = this.#placeAfter(index, recorded);
    if (!recorded.isReading) this.#keepMade(identityOf(recorded), recorded.tool);
    this.#used.add(index);
    return { kind: 'found', entry: recorded.entry, difference };
  }

  /** The recorded call that would answer, without being used up. */
  peek(call: ComparedCall, accepts: Accepts<Entry> = everything): Entry | undefined {
    const { index } = this.#choose(call, accepts);
    return index === undefined ? undefined : this.#calls[index]?.entry;
  }

  /** How many recorded calls were not used. */
  get left(): number {
    return this.#calls.length - this.#used.size;
  }

  /** A call that the real tool answers may change anything; one that is refused changes nothing. */
  #keepMissed({ normalised, tool }: ComparedCall): void {
    if (this.#miss === 'tool-error') return;
    this.#place = undefined;
    this.#keepMade(normalised, tool);
  }

  #keepMade(identity: string, tool: string): void {
    const count = (this.#made.get(identity)?.count ?? 0) + 1;
    this.#made.set(identity, { tool, count });
  }

  #nearest({ tool }: ComparedCall): Entry | undefined {
    const ofTool = [...this.#calls.entries()].filter(([, recorded]) => recorded.tool === tool);
    return (ofTool.find(([index]) => !this.#used.has(index)) ?? ofTool.at(-1))?.[1].entry;
  }

  #choose(call: ComparedCall, accepts: Accepts<Entry>): Choice {
    if (this.#match === 'request') return this.#nextReply((one) => one.exact === call.exact && accepts(one.entry));
    if (this.#match === 'strict') return this.#next((one) => one.exact === call.exact && accepts(one.entry), true);
    if (this.#match === 'order') return this.#next((one) => one.tool === call.tool && accepts(one.entry), false);
    // Most trials change what the recorded one changed, in the same order.
    const fits = (one: TapedCall<Entry>): boolean => one.normalised === call.normalised && accepts(one.entry);
    const expected = this.#expected(fits);
    return expected === undefined ? this.#inNearestState(fits) : { index: expected };
  }

  /** The same call between the place of the trial and the next recorded change. */
  #expected(fits: Fits<Entry>): number | undefined {
    if (this.#place === undefined) return undefined;
    for (let index = this.#place; index < this.#calls.length; index++) {
      const recorded = this.#calls[index];
      if (!recorded || fits(recorded)) return recorded && index;
      if (!recorded.isReading) return undefined;
    }
    return undefined;
  }

  #placeAfter(found: number, recorded: TapedCall<Entry>): number | undefined {
    if (this.#place === undefined) return undefined;
    const passed = this.#calls.slice(this.#place, found);
    if (found >= this.#place && passed.every(({ isReading }) => isReading)) return found + 1;
    return recorded.isReading ? this.#place : undefined;
  }

  /** The first call that was not used yet and fits; where only the very next one may answer, it has to fit. */
  #next(fits: Fits<Entry>, isVeryNext: boolean): Choice {
    for (const [index, recorded] of this.#calls.entries()) {
      if (this.#used.has(index)) continue;
      if (fits(recorded)) return { index };
      if (isVeryNext) return {};
    }
    return {};
  }

  #nextReply(fits: Fits<Entry>): Choice {
    const last = this.#calls.findLastIndex(fits);
    return { index: this.#next(fits, false).index ?? (last < 0 ? undefined : last) };
  }

  /**
   * The same call may be recorded several times, with answers that differ because other calls were made in between.
   * The one is chosen before which the most of the calls of this trial were recorded, and among those the one before
   * which the fewest others were. A call that changes something answers only once, and only a loose match answers from
   * another state.
   */
  #inNearestState(fits: Fits<Entry>): Choice {
    const candidates = this.#candidates(fits);
    const [first] = candidates.toSorted((a, b) => distance(a, b) || a.index - b.index);
    if (!first) return {};
    const difference = differenceText(first);
    const alike = candidates.filter((one) => distance(one, first) === 0);
    const index = (alike.find((one) => !this.#used.has(one.index)) ?? alike.at(-1))?.index ?? first.index;
    const chosen = this.#calls[index];
    if (this.#used.has(index) && !chosen?.isReading) return { difference: difference ?? 'it was made more often here' };
    if (difference === undefined || this.#match === 'loose') return { index, difference };
    return chosen?.isDescription ? { index } : { difference };
  }

  #candidates(fits: Fits<Entry>): Candidate[] {
    const own = new Set(this.#calls.filter(fits).map(identityOf));
    const others = [...this.#made].filter(([identity]) => !own.has(identity));
    const changes = [...this.#calls.entries()].filter(([, recorded]) => !recorded.isReading && !fits(recorded));
    return [...this.#calls.entries()].flatMap(([index, recorded]) =>
      fits(recorded) ? [this.#candidate(index, new Map(others), changes)] : [],
    );
  }

  /** Of calls that overlap a candidate, it is chance whether they come before it. */
  #candidate(
    index: number,
    made: Map<string, MadeCalls>,
    changes: readonly (readonly [number, TapedCall<Entry>])[],
  ): Candidate {
    const [begin, end] = this.#spanOf(index);
    const unmade: string[] = [];
    for (const [other, recorded] of changes) {
      const [otherBegin, otherEnd] = this.#spanOf(other);
      if (otherBegin > end) continue;
      const identity = identityOf(recorded);
      const { count = 0, tool = '' } = made.get(identity) ?? {};
      if (count > 0) made.set(identity, { tool, count: count - 1 });
      else if (otherEnd < begin) unmade.push(recorded.tool);
    }
    const early = [...made.values()].flatMap(({ tool, count }) => Array<string>(count).fill(tool));
    return { index, early, unmade };
  }

  #spanOf(index: number): CallSpan {
    return this.#calls[index]?.span ?? [2 * index, 2 * index + 1];
  }
}

/** Negative where the first is nearer to the state of the trial. */
function distance(a: Candidate, b: Candidate): number {
  return a.early.length - b.early.length || a.unmade.length - b.unmade.length;
}

function differenceText({ early, unmade }: Candidate): string | undefined {
  const parts = [
    ...(unmade.length > 0 ? [`calls of ${namesIn(unmade)} came before it there`] : []),
    ...(early.length > 0 ? [`other calls of ${namesIn(early)} came before it here`] : []),
  ];
  return parts.length > 0 ? parts.join(', and ') : undefined;
}

function namesIn(tools: readonly string[]): string {
  return [...new Set(tools)].join(', ');
}

const everything = (): boolean => true;

function identityOf({ identity, normalised }: TapedCall<unknown>): string {
  return identity ?? normalised;
}
