import { type Interval, wilson } from '../../shared/stats/pass-rate.ts';

/** The calls of a model for the requests that were meant for one tool of a pair. */
export interface Choices {
  readonly tool: string;
  /** Called this tool and not the other. */
  readonly right: number;
  /** Called the other tool, alone or as well. */
  readonly confused: number;
  /** Called neither. */
  readonly neither: number;
}

export type PairVerdict = 'proven' | 'refuted' | 'not-decided';

export interface JudgedPair {
  readonly verdict: PairVerdict;
  /** Why it is not decided; null where it is. */
  readonly reason: string | null;
  /** Share of requests, among those that led to a call, in which the wrong tool was called; null for none. */
  readonly confusion: (Interval & { readonly share: number }) | null;
}

/** A pair that is confused more often than this is ambiguous. */
export const confusionLimit = 0.2;
const fewestCalls = 10;
/** The quantile for two looks, one at each tool, that are wrong together at most as often as one of 95 %. */
const zOfTwo = 2.241402727604945;

/**
 * Proven where the wrong tool is called in more than a fifth of the requests for both tools or for one of them,
 * refuted where it is called in less than a fifth of all, each at the ends of an interval of 95 %.
 */
export function judgePair(choices: readonly Choices[]): JudgedPair {
  const confused = sum(choices, (one) => one.confused);
  const called = confused + sum(choices, ({ right }) => right);
  if (called === 0) return undecided('the model called neither tool', null);
  const interval = wilson(confused, called);
  const confusion = { share: confused / called, ...interval };
  const isOneConfused = choices.some(
    (one) => wilson(one.confused, one.confused + one.right, zOfTwo).low > confusionLimit,
  );
  if (called < fewestCalls) return undecided(`only ${called} of the requests led to a call`, confusion);
  if (interval.low > confusionLimit || isOneConfused) return { verdict: 'proven', reason: null, confusion };
  const isEachCalled = choices.every(({ right, confused: wrong }) => right + wrong >= fewestCalls / 2);
  if (!isEachCalled) return undecided('too few of the requests for one of the tools led to a call', confusion);
  if (interval.high < confusionLimit) return { verdict: 'refuted', reason: null, confusion };
  return undecided('more requests are needed', confusion);
}

function undecided(reason: string, confusion: JudgedPair['confusion']): JudgedPair {
  return { verdict: 'not-decided', reason, confusion };
}

function sum(choices: readonly Choices[], count: (one: Choices) => number): number {
  return choices.reduce((total, one) => total + count(one), 0);
}
