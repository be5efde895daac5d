import { marksOf } from '../../../domain/marks.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { toolErrorText } from '../../../domain/tool-error.ts';
import { eachTrial } from '../../../keep/store/store.ts';
import { marks, type Section, table } from '../../../shared/blocks/block.ts';
import { oneLine } from '../../../shared/text.ts';
import { needsInput, plainWords } from '../../presentation/case-name.ts';
import { titlesInList } from '../../presentation/trial-text.ts';
import type { StoredRun } from '../reporter.ts';

/**
 * One line for each trial of a short run: its verdict, its case, its input and how its answer begins; nothing without
 * answers. Repeats that ended alike share a line.
 */
export async function answerSections({ store, summary }: StoredRun): Promise<Section[]> {
  const records: TrialRecord[] = [];
  for await (const record of eachTrial(store, summary.run.runId)) {
    // Tests of a server are listed in their section.
    if (record.toolHealth.length === 0) records.push(record);
  }
  if (records.every(({ excerpt }) => excerpt?.answer === undefined)) return [];
  const passed = ({ outcome }: TrialRecord): boolean => outcome === 'pass';
  const groups = alike([...records.filter((record) => !passed(record)), ...records.filter(passed)]);
  const titles = titlesInList(
    groups.map(([first, ...others]) => (others.length > 0 ? { ...first, repeat: 1 } : first)),
    { isBrief: true },
  );
  const rows = groups.map(([first, ...others], index) => [
    `${marks[first.outcome][0]} ${others.length > 0 ? `${others.length + 1} × ` : ''}${titles[index] ?? ''}`,
    inputText(first),
    answerText(first),
  ]);
  const isNamed = rows.every(([, input]) => input === '');
  const visible = isNamed ? rows.map(([title = '', , answer = '']) => [title, answer]) : rows;
  const { columns, ...lines } = table(isNamed ? ['case', 'answer'] : ['case', 'input', 'answer'], visible);
  return [{ title: 'Cases', blocks: [{ ...lines, columns: columns.map((column) => ({ ...column, isCut: true })) }] }];
}

type Alike = readonly [TrialRecord, ...TrialRecord[]];

/** Trials of one case and variant with the same verdict and answer, in the order of the first of each. */
function alike(records: readonly TrialRecord[]): Alike[] {
  const groups = new Map<string, Alike>();
  for (const record of records) {
    const { scenario, file, caseId, variant, outcome } = record;
    const key = JSON.stringify([scenario, file, caseId, variant, outcome, marksOf(record), answerText(record)]);
    const group = groups.get(key);
    groups.set(key, group ? [...group, record] : [record]);
  }
  return [...groups.values()];
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
