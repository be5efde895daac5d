import { partName } from '../../domain/variant-text.ts';
import { list, type Section, table, text } from '../../shared/blocks/block.ts';
import { figureLabel } from '../compare/figure-words.ts';
import type { VariantRow, VariantTable } from '../compare/variants/variant-table.ts';
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
} from '../compare/variants/variant-words.ts';

/** All variants of a run, or several runs; the first line is the statement about the best. */
export function variantSections(compared: VariantTable): Section[] {
  const { best, by, interactions, notes, question, reference, run, summary, traps, variants } = compared;
  const started = new Date(run.startedAt).toISOString().replace('T', ' ').slice(0, 16);
  const about =
    by === 'run'
      ? `${variants.length} runs, reference: ${run.runId}, ${started}`
      : `run ${run.runId}, ${started}, by ${partName(by)}, reference: ${reference}`;
  const isDecided = best.kind === 'one' || best.isEquivalent;
  return [
    { title: [{ text: summary, tone: isDecided ? 'good' : 'unsure' }], level: 1, blocks: [text(about)] },
    ...figureNamesIn(variants, question).map((name) => figureSection(compared, name)),
    columnsSection('Per success (95 % interval)', compared, ({ perSuccess }) =>
      perSuccess.map((spent) => [spent.name, perSuccessText(spent)]),
    ),
    columnsSection('Pareto front of quality', compared, ({ front }) =>
      front.map((place) => [`against ${frontNames[place.against]}`, frontText(place)]),
    ),
    {
      title: 'The change depends on another part',
      blocks: [list(interactions.flatMap((one) => (one.isCertain ? [one.summary] : [])))],
    },
    { title: 'Totals that mislead', blocks: [list(traps.map((trap) => trap.summary))] },
    { title: 'Notes', blocks: [list(notes)] },
  ];
}

/** The means of a figure, and how each variant differs from the reference. */
function figureSection({ variants, question, by }: VariantTable, name: string): Section {
  const isQuestion = name === question;
  const rows = variants.map((row) => {
    const figure = figureIn(row, name);
    const metric = row.differences.find((each) => each.name === name);
    const against = row.isReference ? 'reference' : metric ? againstText(metric) : '–';
    const mean = figure ? estimateText(figure) : '–';
    return [
      row.label,
      ...(isQuestion ? [rankText(row)] : []),
      mean,
      against,
      metric ? shortAnswer(againstAnswer(metric)) : '',
    ];
  });
  const heads = [
    rowNoun(by),
    ...(isQuestion ? ['#rank'] : []),
    '#mean (95 % interval)',
    '#against the reference',
    'answer',
  ];
  return { title: figureLabel(name), blocks: [table(heads, rows)] };
}

/** Without the figures that stand beside it already. */
function shortAnswer(answer: string): string {
  return answer.replace(/ \(.*\)$/, '');
}

/** A table with a column for each figure that any variant has. */
function columnsSection(
  title: string,
  { variants, by }: VariantTable,
  cellsOf: (row: VariantRow) => readonly (readonly [head: string, cell: string])[],
): Section {
  const found = variants.map((row) => ({ label: row.label, cells: new Map(cellsOf(row)) }));
  const heads = [...new Set(found.flatMap(({ cells }) => [...cells.keys()]))];
  const rows = found.map(({ label, cells }) => [label, ...heads.map((head) => cells.get(head) ?? '–')]);
  return { title, blocks: heads.length === 0 ? [] : [table([rowNoun(by), ...heads], rows)] };
}
