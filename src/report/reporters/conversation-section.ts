import { figureOf } from '../../domain/figure.ts';
import type { EvaluatorResult } from '../../domain/outcome.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { eachTrial } from '../../keep/store/store.ts';
import { unknownFigure } from '../../shared/format.ts';
import { inline, printable } from '../../shared/text.ts';
import { trialTitle } from '../presentation/trial-text.ts';
import type { StoredRun } from './reporter.ts';
import { isReviewed, usersSection } from './users-section.ts';

type Style = 'console' | 'markdown';

/** Hundreds of tables are too many to read; further trials are in `assay show`. */
const mostTrials = { console: 5, markdown: 100 } as const;

/**
 * For each conversation two tables: what had to hold, and what was measured; then how the simulated users did. A terminal
 * has the tables of a few conversations only: of more, those that passed would stand in the way.
 */
export async function* conversationSection(run: StoredRun, style: Style): AsyncGenerator<string, void> {
  let listed = 0;
  let hasReviews = false;
  const most = mostTrials[style];
  const isListed = style === 'markdown' || run.summary.run.planned <= most;
  for await (const record of eachTrial(run.store, run.summary.run.runId, undefined, undefined, most + 1)) {
    if (record.variant.connector === undefined || record.evaluatorResults.length === 0) continue;
    if (listed++ === most) break;
    hasReviews ||= isReviewed(record);
    if (isListed) yield style === 'markdown' ? markdownTables(record) : consoleTables(record);
  }
  if (hasReviews) yield await usersSection(run, style);
}

const marks = { pass: '✓', fail: '✗', error: '!', skipped: '-', measured: '·', 'no-data': '·', pending: '…' } as const;

function consoleTables(record: TrialRecord): string {
  const rows = tablesOf(record).flatMap(([title, results]) => {
    const width = Math.max(...results.map(({ type }) => type.length));
    const lines = results.map(
      (result) => `  ${cells(result)[0]} ${result.type.padEnd(width)}  ${cells(result).slice(2).join('  ')}`,
    );
    return [title, ...lines.map((line) => line.trimEnd()), ''];
  });
  return `${printable(trialTitle(record))}\n\n${rows.join('\n')}`;
}

function markdownTables(record: TrialRecord): string {
  const tables = tablesOf(record).map(([title, results]) => {
    const isMetrics = title === 'Metrics';
    const head = isMetrics
      ? '| metric | value | reason |\n|---|---:|---|'
      : '| assertion | result | reason |\n|---|---|---|';
    const rows = results.map((result) => {
      const [mark, type = '', value = '', reason = ''] = cells(result);
      return `| ${inline(type)} | ${isMetrics ? value : `${mark} ${result.state}`} | ${inline(reason)} |`;
    });
    return `#### ${title}\n\n${head}\n${rows.join('\n')}\n`;
  });
  return `### ${inline(trialTitle(record))}\n\n${tables.join('\n')}`;
}

function tablesOf({ evaluatorResults }: TrialRecord): [string, EvaluatorResult[]][] {
  const ofKind = (kind: EvaluatorResult['kind']): EvaluatorResult[] =>
    evaluatorResults.filter((result) => result.kind === kind);
  const tables: [string, EvaluatorResult[]][] = [
    ['Assertions', ofKind('assertion')],
    ['Metrics', ofKind('metric')],
  ];
  return tables.filter(([, results]) => results.length > 0);
}

/** Its mark, type, value and reason; with the turn that decided, where there was more than one. */
function cells(result: EvaluatorResult): string[] {
  const { state, name, type, kind, reason, turn } = result;
  const when = turn !== undefined && turn > 1 ? ` (turn ${turn})` : '';
  return [
    marks[state],
    name ?? type,
    kind === 'metric' ? String(figureOf(result) ?? unknownFigure) : '',
    `${printable(reason)}${when}`,
  ];
}
