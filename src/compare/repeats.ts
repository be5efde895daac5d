import type { TrialRecord } from '../domain/record.ts';
import { flakiness } from '../stats/flakiness.ts';
import type { Interval } from '../stats/interval.ts';
import { meanOverCases, passAtK, passHatK, type Tries } from '../stats/pass-at-k.ts';
import { wilson } from '../stats/wilson.ts';

/** A case that was tried several times. */
export interface RepeatedCaseFigures extends Tries {
  readonly scenario: string;
  readonly caseId: string;
  readonly variant: TrialRecord['variant'];
  /** Could not be judged, or did not run; not among the tries. */
  readonly unjudged: number;
  /** Of the pass rate, 95 % (Wilson). */
  readonly interval: Interval;
  /** The share of tries that disagree with the majority. */
  readonly flakiness: number;
}

/** What repeats show of a run. */
export interface RepeatFigures {
  readonly cases: number;
  readonly flaky: number;
  /** The k of the two below: the fewest judged tries of any case. */
  readonly k: number;
  /** The chance that at least one of k tries passes; undefined where a case was never judged. */
  readonly passAtK: number | undefined;
  /** The chance that all of k tries pass. */
  readonly passHatK: number | undefined;
  /** Cases that do not always pass: flaky ones first, the flakiest at the top, then those that always fail. */
  readonly shown: readonly RepeatedCaseFigures[];
  /** Cases that do not always pass and are not among them. */
  readonly hidden: number;
}

type Tally = Pick<TrialRecord, 'scenario' | 'caseId' | 'variant'> & { tried: number; passed: number; unjudged: number };

/** Counts trials by case as they come; nothing else of them is kept. */
export class RepeatTally {
  readonly #cases = new Map<string, Tally>();

  add({ scenario, caseId, variant, outcome }: Pick<TrialRecord, 'scenario' | 'caseId' | 'variant' | 'outcome'>): void {
    const key = JSON.stringify([scenario, caseId, variant]);
    const known = this.#cases.get(key) ?? { scenario, caseId, variant, tried: 0, passed: 0, unjudged: 0 };
    this.#cases.set(key, known);
    if (outcome === 'pass' || outcome === 'fail') known.tried++;
    else known.unjudged++;
    if (outcome === 'pass') known.passed++;
  }

  figures(mostShown: number): RepeatFigures {
    const cases = [...this.#cases.values()];
    const k = cases.reduce((fewest, { tried }) => Math.min(fewest, tried), Number.MAX_SAFE_INTEGER);
    const troubled = cases.filter(({ tried, passed }) => tried > 0 && passed < tried).sort(byTrouble);
    return {
      cases: cases.length,
      flaky: cases.filter((one) => flakiness(one) > 0).length,
      k: cases.length === 0 ? 0 : k,
      passAtK: meanOverCases(cases, (tries) => passAtK(tries, k)),
      passHatK: meanOverCases(cases, (tries) => passHatK(tries, k)),
      shown: troubled.slice(0, mostShown).map(figuresOf),
      hidden: Math.max(0, troubled.length - mostShown),
    };
  }
}

function byTrouble(a: Tally, b: Tally): number {
  return flakiness(b) - flakiness(a);
}

function figuresOf(one: Tally): RepeatedCaseFigures {
  return { ...one, interval: wilson(one.passed, one.tried), flakiness: flakiness(one) };
}
