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
