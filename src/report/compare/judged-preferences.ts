import type { CasePair, CollectedCase } from './collected-side.ts';
import { judgePreference } from './figures.ts';
import type { JudgedPair } from './judged-pair.ts';

const shareOfB: Readonly<Record<Exclude<JudgedPair['winner'], 'not-judged'>, number>> = {
  a: 0,
  b: 1,
  tie: 0.5,
  'order-dependent': 0.5,
};

/** The cases with the preferences of a judge as one more figure; what it could not judge has none. */
export function withPreferences(pairs: readonly CasePair[], judged: readonly JudgedPair[]): CasePair[] {
  const winners = new Map(judged.map((pair) => [keyOf(pair), pair.winner]));
  return pairs.map((pair) => {
    const winner = winners.get(keyOf(pair));
    if (!pair.a || !pair.b || winner === undefined || winner === 'not-judged') return pair;
    const share = shareOfB[winner];
    return { ...pair, a: withFigure(pair.a, 1 - share), b: withFigure(pair.b, share) };
  });
}

function withFigure(one: CollectedCase, value: number): CollectedCase {
  return { ...one, figures: new Map([...one.figures, [judgePreference, [value]]]) };
}

function keyOf({ scenario, caseId, variant }: Pick<CasePair, 'scenario' | 'caseId' | 'variant'>): string {
  return JSON.stringify([scenario, caseId, Object.entries(variant).sort()]);
}
