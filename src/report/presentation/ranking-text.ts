import { list, type Section, table } from '../../shared/blocks/block.ts';
import {
  type JudgedRanking,
  rankingCells,
  rankingHeads,
  rankingTexts,
  variantPairText,
} from '../compare/judged-ranking.ts';

/** A ranking of variants by the preferences of a judge; its first line is the answer. */
export function rankingSections(ranking: JudgedRanking): Section[] {
  const [name = '', ...figures] = rankingHeads;
  return [
    {
      title: ranking.summary,
      level: 1,
      blocks: [table([name, ...figures.map((head) => `#${head}`)], ranking.ranked.map(rankingCells))],
    },
    { title: 'Pairs of variants', blocks: [list(ranking.pairs.map(variantPairText))] },
    { title: 'Notes', blocks: [list(rankingTexts(ranking))] },
  ];
}
