import { createColors } from 'picocolors';
import { printable } from '../../../shared/text.ts';
import { figureLabel } from '../../compare/figure-words.ts';
import type { VariantRow, VariantTable } from '../../compare/variants/variant-table.ts';
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
} from '../../compare/variants/variant-words.ts';
import type { ReportStyle } from '../reporter.ts';
import { type Layout, layoutOf, sectionsText } from '../table-layout.ts';

/** All variants of a run for a terminal; its first line is the statement about the best. */
export function variantsText(table: VariantTable, style: ReportStyle): string {
  const { bold, green, yellow, dim } = createColors(style.color);
  const layout = layoutOf(style);
  const paint = table.best.kind === 'one' || table.best.isEquivalent ? green : yellow;
  const started = new Date(table.run.startedAt).toISOString().replace('T', ' ').slice(0, 16);
  const about =
    table.by === 'run'
      ? `  ${table.variants.length} runs, reference: ${table.run.runId}  ${started}`
      : `  run ${table.run.runId}  ${started}  by ${table.by}, reference: ${printable(table.reference)}`;
  return sectionsText([
    layout.wrapped(printable(table.summary), '').map((line) => bold(paint(line))),
    [layout.cut(about)],
    ...figureNamesIn(table.variants, table.question).map((name) => figureLines(table, name, dim, layout)),
    perSuccessLines(table, layout),
    ...(['cost-usd', 'duration-ms'] as const).map((against) => frontLines(table, against, layout)),
    listed('The change depends on another part', certainInteractions(table), layout),
    listed(
      'Totals that mislead',
      table.traps.map(({ summary }) => summary),
      layout,
    ),
    listed('Notes', table.notes, layout),
  ]);
}

function figureLines(table: VariantTable, name: string, dim: (text: string) => string, layout: Layout): string[] {
  const isQuestion = name === table.question;
  const title = printable(figureLabel(name.replace(/^interaction\./, '')));
  const head = ['', ...(isQuestion ? ['rank'] : []), 'mean (95 % interval)', 'against the reference', ''];
  const rows = table.variants.map((row) => {
    const figure = figureIn(row, name);
    const metric = row.differences.find((each) => each.name === name);
    const against = row.isReference ? 'reference' : metric ? againstText(metric) : '–';
    const answer = metric ? shortAnswer(againstAnswer(metric)) : '';
    const mean = figure ? estimateText(figure) : '–';
    return [printable(row.label), ...(isQuestion ? [rankText(row)] : []), mean, against, answer];
  });
  const [titles = '', ...lines] = layout.tableRows([head, ...rows], '  ');
  return [title, ...(titles === '' ? [] : [dim(titles)]), ...lines];
}

/** Without the figures that stand beside it already. */
function shortAnswer(answer: string): string {
  return answer.replace(/ \(.*\)$/, '');
}

function perSuccessLines({ variants }: VariantTable, layout: Layout): string[] {
  const names = [...new Set(variants.flatMap(({ perSuccess }) => perSuccess.map(({ name }) => name)))];
  return names.flatMap((name, index) => {
    const rows = variants.map((row) => {
      const spent = row.perSuccess.find((each) => each.name === name);
      return [printable(row.label), spent ? perSuccessText(spent) : '–'];
    });
    return [...(index > 0 ? [''] : []), `${name} per success (95 % interval)`, ...layout.tableLines(rows, '  ')];
  });
}

function frontLines({ variants }: VariantTable, against: 'cost-usd' | 'duration-ms', layout: Layout): string[] {
  const rows = variants.flatMap((row: VariantRow) => {
    const place = row.front.find((each) => each.against === against);
    return place ? [[printable(row.label), frontText(place)]] : [];
  });
  return rows.length < 2
    ? []
    : [`quality against ${frontNames[against]}: Pareto front`, ...layout.tableLines(rows, '  ')];
}

function certainInteractions({ interactions }: VariantTable): string[] {
  return interactions.filter(({ isCertain }) => isCertain).map(({ summary }) => summary);
}

function listed(title: string, texts: readonly string[], layout: Layout): string[] {
  return texts.length === 0 ? [] : [title, ...texts.flatMap((text) => layout.wrapped(printable(text), '    ', '  - '))];
}
