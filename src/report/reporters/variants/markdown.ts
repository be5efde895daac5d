import { inline } from '../../../shared/text.ts';
import { figureLabel } from '../../compare/figure-words.ts';
import type { VariantTable } from '../../compare/variants/variant-table.ts';
import {
  againstAnswer,
  againstText,
  estimateText,
  figureIn,
  figureNamesIn,
  frontNames,
  frontText,
  perSuccessText,
  rankText,
  rowNoun,
} from '../../compare/variants/variant-words.ts';
import { sectionsText } from '../table-layout.ts';

/** All variants of a run for a web page or a pull request. */
export function variantsMarkdown(table: VariantTable): string {
  const { variants, question, interactions, traps, notes } = table;
  return sectionsText([
    [`# ${inline(table.summary)}`],
    [
      `${table.by === 'run' ? `${table.variants.length} runs` : `Run \`${table.run.runId}\` by ${table.by}`}; the reference is ${inline(table.reference)}.`,
    ],
    ...figureNamesIn(variants, question).map((name) => figureTable(table, name)),
    perSuccessTable(table),
    frontTable(table),
    listed(
      'The change depends on another part',
      interactions.filter(({ isCertain }) => isCertain).map(({ summary }) => summary),
    ),
    listed(
      'Totals that mislead',
      traps.map(({ summary }) => summary),
    ),
    listed('Notes', notes),
  ]);
}

function figureTable(table: VariantTable, name: string): string[] {
  const isQuestion = name === table.question;
  const rows = table.variants.map((row) => {
    const figure = figureIn(row, name);
    const metric = row.differences.find((each) => each.name === name);
    const against = row.isReference ? 'reference' : metric ? againstText(metric) : '–';
    const rank = isQuestion ? [rankText(row)] : [];
    return [row.label, ...rank, figure ? estimateText(figure) : '–', against, metric ? againstAnswer(metric) : ''];
  });
  const head = [
    rowNoun(table.by),
    ...(isQuestion ? ['rank'] : []),
    'mean (95 % interval)',
    'against the reference',
    'answer',
  ];
  return [`## ${inline(figureLabel(name))}`, '', ...tableOf(head, rows)];
}

function perSuccessTable({ variants, by }: VariantTable): string[] {
  const names = [...new Set(variants.flatMap(({ perSuccess }) => perSuccess.map(({ name }) => name)))];
  if (names.length === 0) return [];
  const rows = variants.map(({ label, perSuccess }) => [
    label,
    ...names.map((name) => {
      const spent = perSuccess.find((each) => each.name === name);
      return spent ? perSuccessText(spent) : '–';
    }),
  ]);
  return ['## Per success', '', ...tableOf([rowNoun(by), ...names], rows)];
}

function frontTable({ variants, by }: VariantTable): string[] {
  const figures = [...new Set(variants.flatMap(({ front }) => front.map(({ against }) => against)))];
  if (figures.length === 0) return [];
  const rows = variants.map(({ label, front }) => [
    label,
    ...figures.map((figure) => {
      const place = front.find(({ against }) => against === figure);
      return place ? frontText(place) : '–';
    }),
  ]);
  const head = [rowNoun(by), ...figures.map((figure) => `against ${frontNames[figure]}`)];
  return ['## Pareto front of quality', '', ...tableOf(head, rows)];
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => inline(cell)).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)];
}

function listed(title: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [`## ${title}`, '', ...texts.map((text) => `- ${inline(text)}`)];
}
