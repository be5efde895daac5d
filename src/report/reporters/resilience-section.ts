import { inline, printable } from '../../shared/text.ts';
import type { ResilienceTable } from '../compare/resilience.ts';
import {
  resilienceList,
  resilienceNote,
  resilienceRows,
  resilienceTitle,
  unbrokenTexts,
  wordingRows,
} from '../presentation/resilience-text.ts';

/** How agents cope with faults: one table of tools x faults for each. */
export function resilienceSection(tables: readonly ResilienceTable[], style: 'console' | 'markdown'): string {
  if (style === 'console') return ['', ...tables.flatMap(textOf)].slice(1).join('\n');
  return `${['## Resilience', '', resilienceNote, ...tables.flatMap(markdownOf)].join('\n')}\n`;
}

function textOf(table: ResilienceTable): string[] {
  return [
    printable(resilienceTitle(table)),
    ...alignedLines(resilienceList(table)),
    ...alignedLines(wordingRows(table)),
    ...unbrokenTexts(table).map((text) => `  ${printable(text)}`),
  ];
}

function alignedLines(written: readonly (readonly string[])[]): string[] {
  const rows = written.map((row) => row.map(printable));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
}

function markdownOf(table: ResilienceTable): string[] {
  const lines = (rows: readonly (readonly string[])[]): string[] => {
    const [head, ...rest] = rows.map((row) => `| ${row.map((cell) => inline(cell)).join(' | ')} |`);
    if (head === undefined) return [];
    return ['', head, `|${rows[0]?.map((_, column) => (column === 0 ? '---' : '---:')).join('|')}|`, ...rest];
  };
  return [
    '',
    `### ${inline(resilienceTitle(table))}`,
    ...lines(resilienceRows(table)),
    ...lines(wordingRows(table)),
    ...unbrokenTexts(table).flatMap((text) => ['', inline(text)]),
  ];
}
