import type { TrialRecord } from '../../domain/record.ts';
import { eachTrial } from '../../keep/store/store.ts';
import { displayWidth, fitted, padded } from '../../shared/display-width.ts';
import { oneLine, printable } from '../../shared/text.ts';
import { plainWords } from '../presentation/case-name.ts';
import { trialTitle } from '../presentation/trial-text.ts';
import type { StoredRun } from './reporter.ts';
import { layoutOf } from './table-layout.ts';

const marks = { pass: '✓', fail: '✗', error: '!', skipped: '-' } as const;
/** Of a line, so the answer has room. */
const mostOfLine = 0.5;

/** One line for each trial of a short run: its verdict, its case, and how its answer begins; empty without answers. */
export async function casesSection({ store, summary }: StoredRun, columns?: number): Promise<string> {
  const { width } = layoutOf({ width: columns });
  const records: TrialRecord[] = [];
  for await (const record of eachTrial(store, summary.run.runId)) records.push(record);
  if (records.every(({ excerpt }) => excerpt?.answer === undefined)) return '';
  const titles = records.map((record) => printable(trialTitle(record)));
  const room = Math.min(Math.max(...titles.map(displayWidth)), Math.floor(width * mostOfLine));
  const lines = records.map(({ outcome, excerpt }, index) => {
    const title = padded(fitted(titles[index] ?? '', room), room);
    const answer = printable(oneLine(plainWords(excerpt?.answer ?? '')));
    return fitted(`  ${marks[outcome]} ${title}  ${answer}`.trimEnd(), width);
  });
  return ['Answers', ...lines].join('\n');
}
