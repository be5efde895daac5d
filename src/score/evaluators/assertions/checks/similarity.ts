import { AssayError } from '../../../../domain/errors.ts';
import { editDistance, TextsTooLong } from '../../../../shared/edit-distance.ts';
import type { Evaluate } from '../../evaluator.ts';
import { excerptOf } from '../../gates/checks/excerpt.ts';
import { judgeText, shownAnswer } from '../said.ts';
import type { SimilarityConfig } from '../similarity.ts';
import { comparable, wantedText } from '../wanted-text.ts';

/** How `similarity` looks at an answer. */
export function checkSimilarity(config: SimilarityConfig): Evaluate<'assertion'> {
  return (context) =>
    judgeText(context, (text) => {
      const wanted = wantedText(config.text, context);
      const compared = (one: string) => [...comparable(one.trim(), config.caseSensitive)];
      const value = similarityOf(compared(text), compared(wanted));
      const figures = `Similarity ${rounded(value)}, wanted at least ${config.minimum}`;
      if (value >= config.minimum) return { state: 'pass', reason: figures, value };
      return { state: 'fail', reason: `${figures}: not ${excerptOf(wanted)}; ${shownAnswer(text)}`, value };
    });
}

function similarityOf(said: readonly string[], wanted: readonly string[]): number {
  const longest = Math.max(said.length, wanted.length);
  if (longest === 0) return 1;
  try {
    return 1 - editDistance(said, wanted) / longest;
  } catch (error) {
    if (!(error instanceof TextsTooLong)) throw error;
    throw new AssayError('CRITERION_UNUSABLE', error.message, { hint: 'Compare such texts with `contains` instead.' });
  }
}

/** Never rounded up to what was wanted. */
function rounded(value: number): number {
  return Math.floor(value * 1_000) / 1_000;
}
