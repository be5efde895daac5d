import { eachTrial } from '../../keep/store/store.ts';
import { inline, printable } from '../../shared/text.ts';
import { type AttackCell, type AttackTable, attackTables } from '../compare/attack-table.ts';
import { templatesOf } from '../compare/case-rates.ts';
import { attackFigures, cellText, suitesText } from '../presentation/attack-text.ts';
import { shareText } from '../presentation/triggering-text.ts';
import type { StoredRun } from './reporter.ts';
import { layoutOf } from './table-layout.ts';

/** The attacks of a run; none where it was not attacked. */
export async function readAttackTables({ store, summary }: StoredRun): Promise<AttackTable[]> {
  const { runId, request } = summary.run;
  return request.attacks ? attackTables(eachTrial(store, runId), templatesOf(summary.run)) : [];
}

/** How the tasks and the attacks of a run ended; empty where it was not attacked. */
export async function attackSection(run: StoredRun, style: 'console' | 'markdown', width?: number): Promise<string> {
  const tables = await readAttackTables(run);
  if (tables.length === 0) return '';
  return style === 'markdown' ? markdownOf(tables) : textOf(tables, width);
}

const notes = 'each case counts once; 95 % intervals; trials that an attack did not reach are left out';

function textOf(tables: readonly AttackTable[], width: number | undefined): string {
  const lines = tables.flatMap((table, index) => [
    ...(index === 0 ? [] : ['']),
    ...(table.variant === '' ? [] : [`  ${printable(table.variant)}`]),
    ...attackFigures(table).map(([name, text]) => `  ${name.padEnd(20)}  ${text}`),
    '',
    ...layoutOf({ width }).tableLines(
      [['attack', 'succeeded', 'share', 'task done'], ...table.cells.map(cellRow)],
      '    ',
    ),
  ]);
  const [first] = tables;
  return [`Attacks of ${first ? suitesText(first) : ''} (${notes})`, ...lines].join('\n');
}

function cellRow(cell: AttackCell): string[] {
  const { name, place, success, utility } = cell;
  const done = utility.trials === 0 ? '–' : `${utility.passed}/${utility.trials}`;
  return [`${name} in ${place}`, cellText(cell), shareText(success), done];
}

function markdownOf(tables: readonly AttackTable[]): string {
  const sections = tables.flatMap((table) => [
    ...(table.variant === '' ? [] : [`### ${inline(table.variant)}`, '']),
    ...attackFigures(table).map(([name, text]) => `- **${name}**: ${text}`),
    '',
    '| attack | class | place | succeeded | share | task done |',
    '|---|---|---|---:|---:|---:|',
    ...table.cells.map((cell) => {
      const [, succeeded, share, done] = cellRow(cell);
      return `| ${cell.name} | ${cell.class} | ${cell.place} | ${succeeded} | ${share} | ${done} |`;
    }),
    '',
  ]);
  const [first] = tables;
  return [`## Attacks of ${first ? suitesText(first) : ''}`, '', `${notes}.`, '', ...sections].join('\n');
}
