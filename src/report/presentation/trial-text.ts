import type { Evidence } from '../../domain/judge-result.ts';
import { type MarkedTrial, marksOf } from '../../domain/marks.ts';
import { isOnlyCase } from '../../domain/only-case.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { Variant } from '../../domain/variant.ts';
import { variantText } from '../../domain/variant-text.ts';
import { withVisibleMarks } from '../../shared/text.ts';
import type { ChangedCase, ComparedCase } from '../compare/comparison.ts';
import { caseName } from './case-name.ts';

/** A trial as titles need it; its input is used where the name of its case says nothing. */
type TitledTrial = Pick<TrialRecord, 'scenario' | 'caseId' | 'variant' | 'repeat'> &
  MarkedTrial & {
    readonly excerpt?: { readonly input?: string | undefined } | undefined;
    readonly input?: string | null | undefined;
  };

/** A trial's name for people: its scenario, its case where there are several, who did it, its repeat and its marks. */
export function trialTitle(record: TitledTrial): string {
  const { scenario, caseId } = record;
  return withDetails(isOnlyCase(caseId) ? scenario : `${scenario} › ${nameOfCase(record)}`, detailsOf(record));
}

/**
 * Names of trials for one list, without what all of them share: the scenario, the case, parts of the variant. `isBrief`
 * also leaves out the scenario of a case that no other scenario of the list has.
 */
export function titlesInList(records: readonly TitledTrial[], { isBrief = false } = {}): string[] {
  const [first] = records;
  if (!first) return [];
  const isShared = (read: (record: TitledTrial) => unknown): boolean =>
    records.every((record) => read(record) === read(first));
  const parts = Object.keys(Object.assign({}, ...records.map(({ variant }) => variant))) as (keyof Variant)[];
  const apart = parts.filter((part) => !isShared(({ variant }) => variant[part]));
  const hasScenario = !isShared(({ scenario }) => scenario);
  const hasCase = !isShared(({ caseId }) => caseId);
  const owners = new Map<string, Set<string>>();
  for (const { caseId, scenario } of records) owners.set(caseId, (owners.get(caseId) ?? new Set()).add(scenario));
  const needsScenario = ({ caseId }: TitledTrial): boolean =>
    isOnlyCase(caseId) || (hasScenario && !(isBrief && owners.get(caseId)?.size === 1));
  const versions = records.map((record) => {
    const variant = Object.fromEntries(apart.map((part) => [part, record.variant[part]]));
    return versionOf({ ...record, variant });
  });
  // Two versions of one task need no name but that of the version.
  const isNamed = hasScenario || hasCase || versions.some((parts) => parts.length === 0);
  return records.map((record, index) => {
    const { scenario, caseId } = record;
    const names = [...(needsScenario(record) ? [scenario] : []), ...(isOnlyCase(caseId) ? [] : [nameOfCase(record)])];
    return withDetails(isNamed ? names.join(' › ') : '', [...(versions[index] ?? []), ...marksOf(record)]);
  });
}

function nameOfCase(record: TitledTrial): string {
  return caseName(record.caseId, record.input ?? record.excerpt?.input);
}

function detailsOf(record: TitledTrial): string[] {
  return [...versionOf(record), ...marksOf(record)];
}

/** The variant, and the repeat after the first. */
function versionOf({ variant, repeat }: TitledTrial): string[] {
  const who = variantText(variant);
  return [...(who ? [who] : []), ...(repeat > 1 ? [`repeat ${repeat}`] : [])];
}

function withDetails(name: string, details: readonly string[]): string {
  const title = withVisibleMarks(name);
  if (title === '' || details.length === 0) return `${title}${details.join(', ')}`;
  return `${title} (${details.join(', ')})`;
}

/** A criterion that decided against a trial, and why. */
interface DecidingCriterion {
  readonly criterion: string;
  readonly explanation: string;
}

/** The gates and criteria that were not as they should be, in the order of the scenario. */
export function decidingCriteria(record: Pick<TrialRecord, 'criteria' | 'gates'>): DecidingCriterion[] {
  const gates = record.gates
    .filter(({ passed }) => !passed)
    .map(({ gate_type, message }) => ({ criterion: gate_type, explanation: message }));
  if (!record.criteria) return gates;
  const { passCriteriaEvaluation, failCriteriaEvaluation } = record.criteria;
  return [
    ...gates,
    ...passCriteriaEvaluation.details.filter((detail) => !detail.result),
    ...failCriteriaEvaluation.details.filter((detail) => detail.triggered),
  ];
}

/** A criterion that a judge did not find met, with its quotes and the events that they are from. */
interface DecidingJudgement {
  readonly text: string;
  readonly answer: 'met' | 'not-met' | 'cannot-tell';
  readonly reason: string;
  readonly quotes: readonly string[];
}

/** The judge's answers that count against a trial; of a failure criterion, that it is met. */
export function decidingJudgements({ judge, outcome }: Pick<TrialRecord, 'judge' | 'outcome'>): DecidingJudgement[] {
  if (!judge?.criteria || outcome === 'pass') return [];
  return judge.criteria
    .filter(({ kind, answer }) => answer === 'cannot-tell' || (answer === 'met') === (kind === 'failure'))
    .map(({ text, answer, reason, evidence }) => ({ text, answer, reason, quotes: evidence.map(quoteText) }));
}

/** `“the words” (event e6)`, and why a quote does not count. */
export function quoteText({ quote, event, isVerified, problem, file, line }: Evidence): string {
  const place = file === undefined ? `event ${event}` : `${file}${line === undefined ? '' : `:${line}`}`;
  const doubt = isVerified ? '' : `, not verified${problem === undefined ? '' : `: ${problem}`}`;
  return `“${quote}” (${place}${doubt})`;
}

/** `8/8 pass criteria met, 0/3 fail criteria`. */
export function criteriaCountsText({
  passCriteriaEvaluation: pass,
  failCriteriaEvaluation: fail,
}: NonNullable<TrialRecord['criteria']>): string {
  return `${pass.passed}/${pass.total} pass criteria met, ${fail.triggered}/${fail.total} fail criteria`;
}

/** Output of a program without the codes that steer a terminal, as its user would see it. */
export function plainOutput(text: string): string {
  return text
    .replace(/\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-_])/g, '')
    .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g, '\uFFFD');
}

/** A value for reading: texts as they are, anything else as indented JSON. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return plainOutput(value);
  return JSON.stringify(value, null, 2) ?? 'undefined';
}

export const changeWords: Readonly<Record<ChangedCase['change'], string>> = {
  broke: 'broke',
  'less-often': 'less often',
  unjudged: 'not judged',
  'only-in-a': 'only in A',
  fixed: 'fixed',
  'more-often': 'more often',
  'only-in-b': 'only in B',
};

/** The case with the part of its variant that both sides share. */
export function caseTitle({ scenario, caseId, variant }: Pick<TrialRecord, 'scenario' | 'caseId' | 'variant'>): string {
  return trialTitle({ scenario, caseId, variant, repeat: 1 });
}

/** `5/5 → 1/5`; a dash for a side without a judged trial. */
export function triesText({ passedA, triedA, passedB, triedB }: ComparedCase): string {
  const side = (passed: number, tried: number): string => (tried === 0 ? '-' : `${passed}/${tried}`);
  return `${side(passedA, triedA)} → ${side(passedB, triedB)}`;
}

/** The command that shows the different steps, or the steps of the only side with an example; empty for neither. */
export function lookCommand({ trialA, trialB }: ChangedCase): string {
  if (trialA !== undefined && trialB !== undefined) return `assay diff ${trialA} ${trialB}`;
  const trialId = trialB ?? trialA;
  return trialId === undefined ? '' : `assay show ${trialId}`;
}
