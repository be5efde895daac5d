import type { RunItem } from '../../../../src/entry/server/api/runs.ts';

/** Runs that were ticked, at most two: a third takes the place of the one ticked first. */
export function afterTick(chosen: readonly string[], runId: string): readonly string[] {
  if (chosen.includes(runId)) return chosen.filter((one) => one !== runId);
  return [...chosen, runId].slice(-2);
}

/** The two as a comparison wants them: the older one first. */
export function chosenPair(chosen: readonly string[], runs: readonly RunItem[]): { a: string; b: string } | null {
  const [first, second] = runs
    .filter(({ runId }) => chosen.includes(runId))
    .toSorted((x, y) => x.startedAt - y.startedAt);
  return first === undefined || second === undefined ? null : { a: first.runId, b: second.runId };
}
