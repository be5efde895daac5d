import { marksOf } from '../../../domain/marks.ts';
import type { Case } from '../../../domain/scenario.ts';
import { isRecord } from '../../../shared/json.ts';
import type { Reporter, StoredRun } from '../reporter.ts';
import { trialContents } from './trial-content.ts';

/** Cases of a run as a dataset that scenarios can use. */
export const datasetReporter: Reporter = {
  name: 'dataset',
  summary:
    'JSON Lines with each case, for `dataset` in scenarios: its input, and what its file expects of it where that is unchanged; the outcome is in `metadata`',
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
    const written = await run.caseOf?.(record);
    const own = isRecord(written?.metadata) ? written.metadata : {};
    const marks = marksOf(record);
    const metadata = { ...own, scenario, trialId, outcome, output, ...(marks.length > 0 && { marks }) };
    yield `${JSON.stringify({ name: caseId, input, ...(written && expectationsOf(written)), metadata })}\n`;
  }
}

/** The keys of a row that say how its case is judged. */
function expectationsOf({ expected, expectedBehavior, evaluators }: Case): object {
  const lists = evaluators.flatMap(({ type, config }) => (type === 'criteria' && isRecord(config) ? [config] : []));
  const joined = (key: string): unknown[] => lists.flatMap((list) => (Array.isArray(list[key]) ? list[key] : []));
  const [passCriteria, failCriteria] = [joined('passCriteria'), joined('failCriteria')];
  return {
    expected,
    expectedBehavior,
    ...(passCriteria.length > 0 && { passCriteria }),
    ...(failCriteria.length > 0 && { failCriteria }),
  };
}
