import type { ReplayRules } from '../../../domain/tool-control/replay.ts';

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
  /** Whether it changes nothing, so it may be answered again and again. */
  readonly isReading: boolean;
}

/** The recorded call that answers a call. */
export interface FoundCall<Entry> {
  readonly entry: Entry;
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

/** Finds the recorded call that answers the next call of a trial, at one border. */
export class TapedCalls<Entry> {
  readonly #calls: readonly TapedCall<Entry>[];
  readonly #match: ReplayRules['match'];
  readonly #used = new Set<number>();
  /** Normalised calls of the trial, with how often each was made. */
  readonly #made = new Map<string, number>();
  /** Of the recorded calls that change something, exactly those before this place were made; undefined if not. */
  #place: number | undefined = 0;

  constructor(calls: readonly TapedCall<Entry>[], match: ReplayRules['match']) {
    this.#calls = calls;
    this.#match = match;
  }

  /** Undefined where the recording has no answer. */
  find(call: ComparedCall): FoundCall<Entry> | undefined {
    const found = this.#search(call);
    this.#place = this.#placeAfter(found?.index);
    this.#made.set(call.normalised, (this.#made.get(call.normalised) ?? 0) + 1);
    const recorded = found && this.#calls[found.index];
    if (!found || !recorded) return undefined;
    this.#used.add(found.index);
    return { entry: recorded.entry, unmade: found.unmade };
  }

  /** The recorded call that a call without an answer was probably meant to be. */
  nearest({ tool }: ComparedCall): Entry | undefined {
    const ofTool = [...this.#calls.entries()].filter(([, recorded]) => recorded.tool === tool);
    return (ofTool.find(([index]) => !this.#used.has(index)) ?? ofTool.at(-1))?.[1].entry;
  }

  #search(call: ComparedCall): { readonly index: number; readonly unmade: readonly string[] } | undefined {
    if (this.#match === 'strict') return this.#next(({ exact }) => exact === call.exact, true);
    if (this.#match === 'order') return this.#next(({ tool }) => tool === call.tool, false);
    // Most trials change what the recorded one changed, in the same order.
    const expected = this.#expected(call);
    return expected === undefined ? this.#inSameState(call) : { index: expected, unmade: [] };
  }

  /** The same call between the place of the trial and the next recorded change. */
  #expected({ normalised }: ComparedCall): number | undefined {
    if (this.#place === undefined) return undefined;
    for (let index = this.#place; index < this.#calls.length; index++) {
      const recorded = this.#calls[index];
      if (recorded?.normalised === normalised) return index;
      if (!recorded?.isReading) return undefined;
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
  #next(fits: (recorded: TapedCall<Entry>) => boolean, isVeryNext: boolean) {
    for (const [index, recorded] of this.#calls.entries()) {
      if (this.#used.has(index)) continue;
      if (fits(recorded)) return { index, unmade: [] };
      if (isVeryNext) return undefined;
    }
    return undefined;
  }

  /**
   * The same call may be recorded several times, with answers that differ because other calls were made in between.
   * The one is chosen before which the most of the calls of this trial were recorded, and among those the one before
   * which the fewest others were. A call that changes something answers only once.
   */
  #inSameState(call: ComparedCall) {
    const candidates = this.#candidates(call);
    const [first] = candidates.sort((a, b) => a.early - b.early || a.unmade - b.unmade || a.index - b.index);
    if (!first) return undefined;
    const alike = candidates.filter(({ early, unmade }) => early === first.early && unmade === first.unmade);
    const chosen = alike.find(({ index }) => !this.#used.has(index)) ?? alike.at(-1);
    if (!chosen) return undefined;
    const isAgain = this.#used.has(chosen.index);
    if (isAgain && !this.#calls[chosen.index]?.isReading) return undefined;
    return { index: chosen.index, unmade: this.#unmadeBefore(chosen.index, call) };
  }

  #candidates(call: ComparedCall): Candidate[] {
    const left = this.#madeOthers(call);
    let early = [...left.values()].reduce((sum, count) => sum + count, 0);
    let unmade = 0;
    const candidates: Candidate[] = [];
    for (const [index, { normalised, isReading }] of this.#calls.entries()) {
      if (normalised === call.normalised) candidates.push({ index, early, unmade });
      else if (!isReading) {
        const made = left.get(normalised) ?? 0;
        left.set(normalised, made - 1);
        if (made > 0) early--;
        else unmade++;
      }
    }
    return candidates;
  }

  #unmadeBefore(end: number, call: ComparedCall): string[] {
    const left = this.#madeOthers(call);
    const unmade = new Set<string>();
    for (const { normalised, isReading, tool } of this.#calls.slice(0, end)) {
      if (isReading || normalised === call.normalised) continue;
      const made = left.get(normalised) ?? 0;
      left.set(normalised, made - 1);
      if (made <= 0) unmade.add(tool);
    }
    return [...unmade];
  }

  #madeOthers({ normalised }: ComparedCall): Map<string, number> {
    return new Map([...this.#made].filter(([other]) => other !== normalised));
  }
}
