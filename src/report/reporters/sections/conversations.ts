import { figureOf } from '../../../domain/figure.ts';
import type { EvaluatorResult } from '../../../domain/outcome.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { eachTrial } from '../../../keep/store/store.ts';
import { type Block, marks, type Section, table } from '../../../shared/blocks/block.ts';
import { unknownFigure } from '../../../shared/format.ts';
import { trialTitle } from '../../presentation/trial-text.ts';
import type { StoredRun } from '../reporter.ts';
import type { Medium } from './detail.ts';

/** Hundreds of tables are too many to read; further trials are in `assay show`. */
const mostTrials = { console: 1, markdown: 100, page: 0 } as const;

/**
 * For each conversation what had to hold, and what was measured. A terminal has them of a single one: of more, it has a
 * table with their answers.
 */
export async function* conversationSections(run: StoredRun, medium: Medium): AsyncGenerator<Section, void> {
  const most = mostTrials[medium];
  if (medium === 'console' && run.summary.run.planned > most) return;
  if (most === 0) return;
  let listed = 0;
  for await (const record of eachTrial(run.store, run.summary.run.runId, undefined, undefined, most + 1)) {
    if (record.variant.connector === undefined || record.evaluatorResults.length === 0) continue;
    if (listed++ === most) return;
    const results = (kind: EvaluatorResult['kind']): EvaluatorResult[] =>
      record.evaluatorResults.filter((result) => result.kind === kind);
    yield {
      title: trialTitle(record),
      level: 3,
      blocks: [
        // Above stands why it failed, and the command that shows the rest.
        ...(medium === 'console' && record.outcome !== 'pass'
          ? []
          : resultTable('Assertions', ['', 'assertion', 'result', 'reason'], results('assertion'))),
        ...resultTable('Metrics', ['', 'metric', '#value', 'reason'], results('metric')),
      ],
    };
  }
}

const signs = { measured: '·', 'no-data': '·', pending: '…' } as const;

function resultTable(title: string, heads: readonly string[], results: readonly EvaluatorResult[]): Block[] {
  const rows = results.map((result) => {
    const { state, name, type, kind, reason, turn } = result;
    const sign = state in marks ? marks[state as TrialRecord['outcome']][0] : signs[state as keyof typeof signs];
    const when = turn !== undefined && turn > 1 ? ` (turn ${turn})` : '';
    const value = kind === 'metric' ? String(figureOf(result) ?? unknownFigure) : state;
    return [sign, name ?? type, value, `${reason}${when}`];
  });
  return rows.length === 0 ? [] : [{ kind: 'text', words: title }, table(heads, rows)];
}
