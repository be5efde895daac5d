import { marksOf } from '../../../domain/marks.ts';
import type { Outcome } from '../../../domain/outcome.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { eachTrial } from '../../../keep/store/store.ts';
import { marks, type Section, table, text } from '../../../shared/blocks/block.ts';
import { counted } from '../../../shared/format.ts';
import { oneLine } from '../../../shared/text.ts';
import { needsInput, plainWords } from '../../presentation/case-name.ts';
import { titlesInList } from '../../presentation/trial-text.ts';
import type { StoredRun } from '../reporter.ts';

/** More lines are not read on a terminal. */
const mostLines = 20;

/**
 * One line for each trial of a short run, and for the first that did not pass of a longer one: its verdict, its case, its
 * input and how its answer begins; nothing without answers. Repeats that ended alike share a line.
 */
export async function answerSections(run: StoredRun): Promise<Section[]> {
  const { runId, planned } = run.summary.run;
  const isShort = planned <= mostLines;
  const records = await firstRecords(run, isShort);
  const { fail, error } = run.summary.totals;
  const more = isShort ? 0 : fail + error - records.length;
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
  const listed = { ...lines, columns: columns.map((column) => ({ ...column, isCut: true })) };
  const rest = `… and ${counted(more, 'more trial')} that did not pass: assay show ${runId} --clusters`;
  return [
    { title: isShort ? 'Cases' : 'Cases that did not pass', blocks: [listed, ...(more > 0 ? [text(rest)] : [])] },
  ];
}

async function firstRecords({ store, summary }: StoredRun, isShort: boolean): Promise<TrialRecord[]> {
  const records: TrialRecord[] = [];
  const outcomes: Outcome[] | undefined = isShort ? undefined : ['fail', 'error'];
  for await (const record of eachTrial(store, summary.run.runId, outcomes, undefined, mostLines)) {
    // Tests of a server are listed in their section.
    if (record.toolHealth.length === 0) records.push(record);
    if (records.length === mostLines) break;
  }
  return records;
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

/** Without an answer, why there was none. */
function answerText({ excerpt, outcome, reason }: TrialRecord): string {
  if (excerpt?.answer !== undefined) return oneLine(plainWords(excerpt.answer));
  return outcome === 'pass' ? '' : oneLine(reason);
}
