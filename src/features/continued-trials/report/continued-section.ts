import { type Continuation, continuationText } from '../../../domain/continuation.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { eachTrial } from '../../../keep/store/store.ts';
import { trialTitle } from '../../../report/presentation/trial-text.ts';
import type { StoredRun } from '../../../report/reporters/reporter.ts';
import { firstOf, list, type Section, text } from '../../../shared/blocks/block.ts';

const mostListed = 20;

/** Names each trial that did not run in one piece. */
export async function continuedSections({ store, summary }: StoredRun): Promise<Section[]> {
  const lines: string[] = [];
  for await (const record of eachTrial(store, summary.run.runId)) {
    if (record.continuation) lines.push(lineOf(record, record.continuation));
  }
  if (lines.length === 0) return [];
  const { listed, more } = firstOf(lines, mostListed, (hidden) => `${hidden} more`);
  const note = text(
    'Replies on a tape are those that the model gave to this trial. A trial in two parts has no duration.',
    'quiet',
  );
  return [{ title: 'Interrupted trials', blocks: [list([...listed, ...more]), note] }];
}

function lineOf(record: TrialRecord, continuation: Continuation): string {
  return `${trialTitle(record)}: ${continuationText(continuation)}`;
}
