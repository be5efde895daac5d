import { createColors } from 'picocolors';
import { inline, printable } from '../../../shared/text.ts';
import {
  type JudgedRanking,
  rankingCells,
  rankingHeads,
  rankingTexts,
  variantPairText,
} from '../../compare/judged-ranking.ts';
import type { ReportStyle } from '../reporter.ts';
import { layoutOf, sectionsText } from '../table-layout.ts';

/** A ranking for a terminal; its first line is the answer. */
function rankingText(ranking: JudgedRanking, style: ReportStyle): string {
  const colors = createColors(style.color);
  const layout = layoutOf(style);
  const rows = ranking.ranked.map((one) => rankingCells(one).map(printable));
  const [titles = '', ...lines] = layout.tableRows([[...rankingHeads, ''], ...rows.map((row) => [...row, ''])], '  ');
  return sectionsText([
    layout.wrapped(printable(ranking.summary), '').map((line) => colors.bold(line)),
    rows.length > 0 ? [...(titles === '' ? [] : [colors.dim(titles)]), ...lines] : [],
    ranking.pairs.length > 0
      ? [
          'Pairs of variants',
          ...ranking.pairs.flatMap((pair) => layout.wrapped(printable(variantPairText(pair)), '    ', '  ')),
        ]
      : [],
    rankingTexts(ranking).flatMap((text) => layout.wrapped(printable(text), '    ', '  - ')),
  ]);
}

function rankingMarkdown(ranking: JudgedRanking): string {
  const rows = ranking.ranked.map((one) => `| ${rankingCells(one).map(inline).join(' | ')} |`);
  const head = [`| ${rankingHeads.join(' | ')} |`, '|---|---:|---:|---:|---:|---:|---:|'];
  return sectionsText([
    [`# ${inline(ranking.summary)}`],
    rows.length > 0 ? [...head, ...rows] : [],
    ranking.pairs.length > 0
      ? ['## Pairs of variants', '', ...ranking.pairs.map((pair) => `- ${inline(variantPairText(pair))}`)]
      : [],
    rankingTexts(ranking).map((text) => `- ${inline(text)}`),
  ]);
}

function rankingJson(ranking: JudgedRanking): string {
  return `${JSON.stringify(ranking, null, 2)}\n`;
}

/** Every way to write down a ranking, by the names of the formats of comparisons. */
export const rankingFormats: Readonly<
  Record<string, { readonly fileName: string; render(ranking: JudgedRanking, style: ReportStyle): string }>
> = {
  console: { fileName: 'ranking.txt', render: rankingText },
  markdown: { fileName: 'ranking.md', render: rankingMarkdown },
  json: { fileName: 'ranking.json', render: rankingJson },
};
