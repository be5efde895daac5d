import type { EvaluatorResult } from './outcome.ts';

/** The figure of a result; undefined where nothing was observed, whatever number older readers are given. */
export function figureOf({ kind, state, value }: EvaluatorResult): number | undefined {
  return kind === 'metric' && state !== 'measured' ? undefined : value;
}
