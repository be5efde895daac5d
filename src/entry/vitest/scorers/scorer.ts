import type { EvalScorer } from '../eval-types.ts';

type Make<Parameters extends readonly unknown[], Scorer> = {
  new (...parameters: Parameters): Scorer;
  (...parameters: Parameters): Scorer;
};

/** A class of scorers that may also be called without `new`. */
export function callableScorer<Parameters extends readonly unknown[], Scorer extends EvalScorer>(
  scorer: new (...parameters: Parameters) => Scorer,
): Make<Parameters, Scorer> {
  return new Proxy(scorer, {
    apply: (made, _this, parameters) => Reflect.construct(made, parameters),
  }) as Make<Parameters, Scorer>;
}

/** The nearest number from 0 to 1. */
export function withinUnit(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** The part of a list that a count makes up. */
export function share(count: number, list: readonly unknown[]): number {
  return list.length === 0 ? 1 : count / list.length;
}
