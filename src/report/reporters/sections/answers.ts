import type { TrialRecord } from '../../../domain/record.ts';
import { eachTrial } from '../../../keep/store/store.ts';
import { marks, type Section, table } from '../../../shared/blocks/block.ts';
import { oneLine } from '../../../shared/text.ts';
import { plainWords } from '../../presentation/case-name.ts';
import { trialTitle } from '../../presentation/trial-text.ts';
import type { StoredRun } from '../reporter.ts';

/** One line for each trial of a short run: its verdict, its case, and how its answer begins; nothing without answers. */
export async function answerSections({ store, summary }: StoredRun): Promise<Section[]> {
  const records: TrialRecord[] = [];
  for await (const record of eachTrial(store, summary.run.runId)) records.push(record);
  if (records.every(({ excerpt }) => excerpt?.answer === undefined)) return [];
  const rows = records.map((record) => [
    `${marks[record.outcome][0]} ${trialTitle(record)}`,
    oneLine(plainWords(record.excerpt?.answer ?? '')),
  ]);
  const { columns, ...lines } = table(['', ''], rows);
  return [{ title: 'Answers', blocks: [{ ...lines, columns: columns.map((column) => ({ ...column, isCut: true })) }] }];
}
