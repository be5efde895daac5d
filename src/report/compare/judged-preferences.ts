import { mappedRows, type Rows } from '../../shared/rows.ts';
import type { CasePair, CollectedCase } from './collected-side.ts';
import { judgePreference } from './comparison.ts';
import type { JudgedPair } from './judged-pair.ts';

/** Points of B; undefined where nothing was judged. An answer that depends on the order is a tie. */
export function shareOfB(winner: JudgedPair['winner']): number | undefined {
  if (winner === 'not-judged') return undefined;
  return winner === 'b' ? 1 : winner === 'a' ? 0 : 0.5;
}

/** The cases with the preferences of a judge as one more figure; what it could not judge has none. */
export function withPreferences(pairs: Rows<CasePair>, judged: readonly JudgedPair[]): Rows<CasePair> {
  const winners = new Map(judged.map((pair) => [keyOf(pair), pair.winner]));
  return mappedRows(pairs, (pair) => {
    const winner = winners.get(keyOf(pair));
    const share = winner && shareOfB(winner);
    if (!pair.a || !pair.b || share === undefined) return pair;
    const { scenario, caseId, caseNumber, variant, cluster, template } = pair;
    const place = { scenario, caseId, caseNumber, variant, cluster, template };
    return { ...place, a: withFigure(pair.a, 1 - share), b: withFigure(pair.b, share) };
  });
}

function withFigure(one: CollectedCase, value: number): CollectedCase {
  const { scenario, caseId, variant, cluster, passed, failed, unjudged, checks, verdicts } = one;
  const { success, failure, unjudgedTrial } = one;
  return {
    ...{ scenario, caseId, variant, cluster, passed, failed, unjudged, checks, verdicts },
    ...{ success, failure, unjudgedTrial },
    figures: new Map([...one.figures, [judgePreference, [value]]]),
  };
}

function keyOf({ scenario, caseId, variant }: Pick<CasePair, 'scenario' | 'caseId' | 'variant'>): string {
  return JSON.stringify([scenario, caseId, Object.entries(variant).sort()]);
}
