import { counted, grouped } from '../../shared/format.ts';
import { inline, printable } from '../../shared/text.ts';
import type { RepeatedCase, RepeatFigures } from '../compare/run-figures.ts';
import {
  flakyText,
  passOfKLines,
  passOfKTable,
  percentText,
  rangeText,
  unjudgedText,
} from '../presentation/figures.ts';
import { trialTitle } from '../presentation/trial-text.ts';

const mostCases = 20;

/** How often each case passes, and how far one trial can be relied on. */
export function repeatsSection(figures: RepeatFigures, style: 'console' | 'markdown'): string {
  return style === 'markdown' ? markdownOf(figures) : textOf(figures);
}

function textOf(figures: RepeatFigures): string {
  const rows = figures.unsteady.slice(0, mostCases).map((one) => {
    const share = `${one.passed}/${one.judged}`.padStart(7);
    return `  ${share}  ${rangeText(one.interval).padStart(14)}  ${printable(titleOf(one))}${unjudgedText(one)}`;
  });
  const chances = passOfKLines(figures).map((line) => `  ${line}`);
  return [`Repeats: ${flakyText(figures)}`, ...chances, ...rows, ...moreText(figures)].join('\n');
}

function markdownOf(figures: RepeatFigures): string {
  const { unsteady } = figures;
  const chances = passOfKTable(figures);
  const chanceTable =
    chances.rows.length > 0
      ? [
          `| ${chances.head.join(' | ')} |`,
          `|${chances.head.map(() => '---:|').join('')}`,
          ...chances.rows.map(rowText),
        ]
      : passOfKLines(figures);
  const rows = unsteady.slice(0, mostCases).map((one) => {
    const title = `${inline(titleOf(one))}${unjudgedText(one)}`;
    return `| ${title} | ${one.passed}/${one.judged} | ${rangeText(one.interval)} | ${percentText(one.flakiness)} |`;
  });
  const head = ['| case | passed | 95 % interval | flakiness |', '|---|---:|---:|---:|'];
  const caseTable = rows.length > 0 ? ['', ...head, ...rows] : [];
  const more = moreText(figures).flatMap((text) => ['', text.trim()]);
  return `${['## Repeats', '', capitalized(flakyText(figures)), '', ...chanceTable, ...caseTable, ...more].join('\n')}\n`;
}

function rowText(cells: readonly string[]): string {
  return `| ${cells.map(inline).join(' | ')} |`;
}

function moreText({ unsteady, variants }: RepeatFigures): string[] {
  const hidden = unsteady.length - mostCases;
  const rows = variants > 1 ? `${grouped(hidden)} more` : counted(hidden, 'more case');
  return hidden > 0 ? [`  … and ${rows} that did not always pass`] : [];
}

function titleOf(one: RepeatedCase): string {
  return trialTitle({ ...one, repeat: 1 });
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
