import type { CasePair, CollectedCase } from './collected-side.ts';
import { judgePreference } from './comparison.ts';
import type { JudgedPair } from './judged-pair.ts';

/** Points of B; undefined where nothing was judged. An answer that depends on the order is a tie. */
export function shareOfB(winner: JudgedPair['winner']): number | undefined {
  if (winner === 'not-judged') return undefined;
  return winner === 'b' ? 1 : winner === 'a' ? 0 : 0.5;
}

/** The cases with the preferences of a judge as one more figure; what it could not judge has none. */
export function withPreferences(pairs: readonly CasePair[], judged: readonly JudgedPair[]): CasePair[] {
  const winners = new Map(judged.map((pair) => [keyOf(pair), pair.winner]));
  return pairs.map((pair) => {
    const winner = winners.get(keyOf(pair));
    const share = winner && shareOfB(winner);
    if (!pair.a || !pair.b || share === undefined) return pair;
    return { ...pair, a: withFigure(pair.a, 1 - share), b: withFigure(pair.b, share) };
  });
}

function withFigure(one: CollectedCase, value: number): CollectedCase {
  return { ...one, figures: new Map([...one.figures, [judgePreference, [value]]]) };
}

function keyOf({ scenario, caseId, variant }: Pick<CasePair, 'scenario' | 'caseId' | 'variant'>): string {
  return JSON.stringify([scenario, caseId, Object.entries(variant).sort()]);
}
