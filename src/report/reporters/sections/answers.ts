import type { TrialRecord } from '../../../domain/record.ts';
import { toolErrorText } from '../../../domain/tool-error.ts';
import { eachTrial } from '../../../keep/store/store.ts';
import { marks, type Section, table } from '../../../shared/blocks/block.ts';
import { oneLine } from '../../../shared/text.ts';
import { needsInput, plainWords } from '../../presentation/case-name.ts';
import { titleInScenario, trialTitle } from '../../presentation/trial-text.ts';
import type { StoredRun } from '../reporter.ts';

/** One line for each trial of a short run: its verdict, its case, its input and how its answer begins; nothing without answers. */
export async function answerSections({ store, summary }: StoredRun): Promise<Section[]> {
  const records: TrialRecord[] = [];
  for await (const record of eachTrial(store, summary.run.runId)) records.push(record);
  if (records.every(({ excerpt }) => excerpt?.answer === undefined)) return [];
  const titleOf = summary.run.scenarios.length === 1 ? titleInScenario : trialTitle;
  const passed = ({ outcome }: TrialRecord): boolean => outcome === 'pass';
  const rows = [...records.filter((record) => !passed(record)), ...records.filter(passed)].map((record) => [
    `${marks[record.outcome][0]} ${titleOf(record)}`,
    inputText(record),
    answerText(record),
  ]);
  const isNamed = rows.every(([, input]) => input === '');
  const visible = isNamed ? rows.map(([title = '', , answer = '']) => [title, answer]) : rows;
  const { columns, ...lines } = table(isNamed ? ['case', 'answer'] : ['case', 'input', 'answer'], visible);
  return [{ title: 'Cases', blocks: [{ ...lines, columns: columns.map((column) => ({ ...column, isCut: true })) }] }];
}

/** Empty where the name of the case says it already. */
function inputText({ caseId, excerpt }: TrialRecord): string {
  const words = oneLine(plainWords(excerpt?.input ?? ''));
  return needsInput(caseId) || caseId.includes(words) ? '' : words;
}

/** Without an answer, the error of the tool or why there was none. */
function answerText({ excerpt, toolError, outcome, reason }: TrialRecord): string {
  if (excerpt?.answer !== undefined) return oneLine(plainWords(excerpt.answer));
  if (toolError) return oneLine(toolErrorText(toolError));
  return outcome === 'pass' ? '' : oneLine(reason);
}
