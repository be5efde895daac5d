import type { Reporter, StoredRun } from '../reporter.ts';
import { trialContents } from './trial-content.ts';

/** Cases of a run as a dataset that scenarios can use. */
export const datasetReporter: Reporter = {
  name: 'dataset',
  summary: 'JSON Lines with the input of each case, for `dataset` in scenarios; the outcome is in `metadata`',
  fileName: 'dataset.jsonl',
  render: datasetOf,
};

/** The first trial of a case stands for it; a case without a recorded input has no line. */
async function* datasetOf(run: StoredRun): AsyncGenerator<string, void> {
  let last = '';
  for await (const { record, input, output } of trialContents(run)) {
    const { scenario, caseId, outcome, trialId } = record;
    const place = JSON.stringify([scenario, caseId]);
    if (input === undefined || place === last) continue;
    last = place;
    yield `${JSON.stringify({ name: caseId, input, metadata: { scenario, trialId, outcome, output } })}\n`;
  }
}
