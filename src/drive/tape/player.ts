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

/** A recorded call. */
export interface TapedCall<Entry> extends ComparedCall {
  readonly entry: Entry;
  /** The call with all that its answer depends on, where that is more than its arguments. */
  readonly identity?: string | undefined;
  /** Whether it changes nothing, so it may be answered again and again. */
  readonly isReading: boolean;
}

/** The recorded call that answers a call. */
export interface FoundCall<Entry> {
  readonly entry: Entry;
  /** Calls that were made, and were recorded later than it or never. */
  readonly early: number;
  /** Tools whose recorded calls came before it and were not made in this trial. */
  readonly unmade: readonly string[];
}

interface Candidate {
  readonly index: number;
  /** Calls that were made, and were recorded later than it or never. */
  readonly early: number;
  /** Calls that were recorded before it, and were not made. */
  readonly unmade: number;
}

/** As in the rules of a replay; `request`: the same request, in the order of its replies, and the last one again. */
type Match = ReplayRules['match'] | 'request';

/** Finds the recorded call that answers the next call of a trial, at one border. */
export class Player<Entry> {
  readonly #calls: readonly TapedCall<Entry>[];
  readonly #match: Match;
  readonly #used = new Set<number>();
  /** Normalised calls of the trial, with how often each was made. */
  readonly #made = new Map<string, number>();
  /** Of the recorded calls that change something, exactly those before this place were made; undefined if not. */
  #place: number | undefined = 0;

  constructor(calls: readonly TapedCall<Entry>[], match: Match) {
    this.#calls = calls;
    this.#match = match;
  }

  /** Undefined where the recording has no answer; only entries that are accepted answer. */
  find(call: ComparedCall, accepts: Accepts<Entry> = everything): FoundCall<Entry> | undefined {
    const found = this.#search(call, accepts);
    const recorded = found && this.#calls[found.index];
    this.#place = this.#placeAfter(found?.index);
    const identity = recorded ? identityOf(recorded) : call.normalised;
    // Calls that change nothing are no part of the state.
    if (!recorded?.isReading) this.#made.set(identity, (this.#made.get(identity) ?? 0) + 1);
    if (!found || !recorded) return undefined;
    this.#used.add(found.index);
    return { entry: recorded.entry, unmade: found.unmade, early: found.early };
  }

  /** The recorded call that would answer, without being used up. */
  peek(call: ComparedCall, accepts: Accepts<Entry> = everything): Entry | undefined {
    const found = this.#search(call, accepts);
    return found && this.#calls[found.index]?.entry;
  }

  /** The recorded call that a call without an answer was probably meant to be. */
  nearest({ tool }: ComparedCall): Entry | undefined {
    const ofTool = [...this.#calls.entries()].filter(([, recorded]) => recorded.tool === tool);
    return (ofTool.find(([index]) => !this.#used.has(index)) ?? ofTool.at(-1))?.[1].entry;
  }

  /** How many recorded calls were not used. */
  get left(): number {
    return this.#calls.length - this.#used.size;
  }

  #search(call: ComparedCall, accepts: Accepts<Entry>): Found | undefined {
    if (this.#match === 'request') return this.#nextReply((one) => one.exact === call.exact && accepts(one.entry));
    if (this.#match === 'strict') return this.#next((one) => one.exact === call.exact && accepts(one.entry), true);
    if (this.#match === 'order') return this.#next((one) => one.tool === call.tool && accepts(one.entry), false);
    // Most trials change what the recorded one changed, in the same order.
    const fits = (one: TapedCall<Entry>): boolean => one.normalised === call.normalised && accepts(one.entry);
    const expected = this.#expected(fits);
    return expected === undefined ? this.#inSameState(fits) : { index: expected, unmade: [], early: 0 };
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

  /** A call that is not recorded may have changed anything. */
  #placeAfter(found: number | undefined): number | undefined {
    const recorded = found === undefined ? undefined : this.#calls[found];
    if (this.#place === undefined || found === undefined || !recorded) return undefined;
    const passed = this.#calls.slice(this.#place, found);
    if (found >= this.#place && passed.every(({ isReading }) => isReading)) return found + 1;
    return recorded.isReading ? this.#place : undefined;
  }

  /** The first call that was not used yet and fits; where only the very next one may answer, it has to fit. */
  #next(fits: Fits<Entry>, isVeryNext: boolean): Found | undefined {
    for (const [index, recorded] of this.#calls.entries()) {
      if (this.#used.has(index)) continue;
      if (fits(recorded)) return { index, unmade: [], early: 0 };
      if (isVeryNext) return undefined;
    }
    return undefined;
  }

  #nextReply(fits: Fits<Entry>): Found | undefined {
    const last = this.#calls.findLastIndex(fits);
    return this.#next(fits, false) ?? (last < 0 ? undefined : { index: last, unmade: [], early: 0 });
  }

  /**
   * The same call may be recorded several times, with answers that differ because other calls were made in between.
   * The one is chosen before which the most of the calls of this trial were recorded, and among those the one before
   * which the fewest others were. A call that changes something answers only once.
   */
  #inSameState(fits: Fits<Entry>): Found | undefined {
    const candidates = this.#candidates(fits);
    const [first] = candidates.sort((a, b) => a.early - b.early || a.unmade - b.unmade || a.index - b.index);
    if (!first) return undefined;
    const alike = candidates.filter(({ early, unmade }) => early === first.early && unmade === first.unmade);
    const chosen = alike.find(({ index }) => !this.#used.has(index)) ?? alike.at(-1);
    if (!chosen) return undefined;
    const isAgain = this.#used.has(chosen.index);
    if (isAgain && !this.#calls[chosen.index]?.isReading) return undefined;
    return { index: chosen.index, unmade: this.#unmadeBefore(chosen.index, fits), early: chosen.early };
  }

  #candidates(fits: Fits<Entry>): Candidate[] {
    const left = this.#madeOthers(fits);
    let early = [...left.values()].reduce((sum, count) => sum + count, 0);
    let unmade = 0;
    const candidates: Candidate[] = [];
    for (const [index, recorded] of this.#calls.entries()) {
      if (fits(recorded)) candidates.push({ index, early, unmade });
      else if (!recorded.isReading) {
        const made = left.get(identityOf(recorded)) ?? 0;
        left.set(identityOf(recorded), made - 1);
        if (made > 0) early--;
        else unmade++;
      }
    }
    return candidates;
  }

  #unmadeBefore(end: number, fits: Fits<Entry>): string[] {
    const left = this.#madeOthers(fits);
    const unmade = new Set<string>();
    for (const recorded of this.#calls.slice(0, end)) {
      if (recorded.isReading || fits(recorded)) continue;
      const made = left.get(identityOf(recorded)) ?? 0;
      left.set(identityOf(recorded), made - 1);
      if (made <= 0) unmade.add(recorded.tool);
    }
    return [...unmade];
  }

  #madeOthers(fits: Fits<Entry>): Map<string, number> {
    const own = new Set(this.#calls.filter(fits).map(identityOf));
    return new Map([...this.#made].filter(([other]) => !own.has(other)));
  }
}

type Accepts<Entry> = (entry: Entry) => boolean;
type Fits<Entry> = (recorded: TapedCall<Entry>) => boolean;

interface Found {
  readonly index: number;
  readonly unmade: readonly string[];
  readonly early: number;
}

const everything = (): boolean => true;

function identityOf({ identity, normalised }: TapedCall<unknown>): string {
  return identity ?? normalised;
}
