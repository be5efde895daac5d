import { grouped } from '../shared/format.ts';
import type { TrialRecord } from './record.ts';
import type { ControlKind } from './tool-control/control-event.ts';

/** Ways in which a trial is not an observation of the real thing in its run: Assay stood in for a part of it. */
export const allMarks = [
  'reused',
  'mocked',
  'simulated-tools',
  'replayed',
  'faulted',
  'attacked',
  'simulated',
  'approvals',
] as const;
export type Mark = (typeof allMarks)[number];

/** How many judged trials carry each mark; a mark that none carries is left out. */
export type MarkCounts = { readonly [Name in Mark]?: number };

type RecordedFacts = Pick<
  TrialRecord,
  'cachedFrom' | 'hasReusedVerdict' | 'isReplayed' | 'control' | 'hasSimulatedUser' | 'approvals'
>;

/** A trial by the facts in its record, or by the marks that a list keeps of it. */
export type MarkedTrial = Partial<RecordedFacts> & { readonly marks?: readonly Mark[] | undefined };

const markOfControl: Readonly<Record<ControlKind, Mark>> = {
  mock: 'mocked',
  simulate: 'simulated-tools',
  replay: 'replayed',
  fault: 'faulted',
  attack: 'attacked',
};

/**
 * The marks of a trial, which every line, cell and file that shows it carries. A rule that was set up and never acted is
 * a mark too: choosing the trials in which it did not act would choose by their results.
 */
export function marksOf(trial: MarkedTrial): readonly Mark[] {
  if (trial.marks) return trial.marks;
  const { control, isReplayed, hasSimulatedUser, approvals } = trial;
  if (!control && !isReplayed && !hasSimulatedUser && !approvals && !isReused(trial)) return unmarked;
  const found = new Set<Mark>(Object.keys(control ?? {}).map((kind) => markOfControl[kind as ControlKind]));
  if (isReused(trial)) found.add('reused');
  if (isReplayed) found.add('replayed');
  if (hasSimulatedUser) found.add('simulated');
  if (approvals) found.add('approvals');
  return allMarks.filter((mark) => found.has(mark));
}

const unmarked: readonly Mark[] = [];

/** Whether a trial, or a verdict that it rests on, was observed in an earlier run: it is not evidence of this one. */
export function isReused({ cachedFrom, hasReusedVerdict, marks }: MarkedTrial): boolean {
  return (cachedFrom ?? null) !== null || hasReusedVerdict === true || (marks?.includes('reused') ?? false);
}

/** Marks of which the trial met something else than the real tool. The user of a simulated one is not the tool. */
const standIns: ReadonlySet<Mark> = new Set(['mocked', 'simulated-tools', 'replayed', 'faulted', 'attacked']);

/** Whether all times and results of the tool in a trial are the tool's. */
export function metRealTool(trial: MarkedTrial): boolean {
  return !marksOf(trial).some((mark) => standIns.has(mark));
}

/**
 * How far a trial is from the real thing: 0 met the real tool, 1 a stand-in for it, 2 interference. Figures are over the
 * nearest trials that there are, and never pool the others with them.
 */
export function distanceOf(marks: readonly Mark[]): 0 | 1 | 2 {
  if (marks.includes('faulted') || marks.includes('attacked')) return 2;
  return marks.some((mark) => standIns.has(mark)) ? 1 : 0;
}

/** Suffix of totals: ` (3 reused from earlier runs, 2 replayed)`, or nothing. */
export function markCountsText(counts: MarkCounts): string {
  const parts = markCountParts(counts);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** `3 reused from earlier runs`, `2 replayed`: one part for each mark. */
export function markCountParts(counts: MarkCounts): string[] {
  return allMarks.flatMap((mark) => {
    const count = counts[mark] ?? 0;
    return count === 0 ? [] : [`${grouped(count)} ${countWords[mark]}`];
  });
}

const countWords: Readonly<Record<Mark, string>> = {
  reused: 'reused from earlier runs',
  mocked: 'mocked',
  'simulated-tools': 'with simulated tools',
  replayed: 'replayed',
  faulted: 'faulted',
  attacked: 'attacked',
  simulated: 'with a simulated user',
  approvals: 'with approvals by Assay',
};

export const reusedVerdictText = 'The verdict was reused from an earlier run; the judge did not run again.';

const sentences: Readonly<Record<Exclude<Mark, 'reused'>, string>> = {
  mocked: 'Mocks answered in place of tools: results and times are not those of the real tools.',
  'simulated-tools':
    'A model answered in place of tools: results are its inventions, and times are not those of the real tools.',
  replayed: 'Recordings answered in place of tools or models: results and times are those of the recording.',
  faulted: 'Assay injected faults into calls: failures and times may be its own.',
  attacked: 'Assay planted an attack in what the agent read.',
  simulated: 'A model played the user.',
  approvals: 'Assay answered approval requests in place of the user.',
};

/** A sentence for each mark of a trial; empty where everything was the real thing. */
export function markSentences(trial: MarkedTrial): string[] {
  return marksOf(trial).map((mark) => (mark === 'reused' ? reuseSentence(trial) : sentences[mark]));
}

function reuseSentence({ cachedFrom }: MarkedTrial): string {
  if ((cachedFrom ?? null) === null) return reusedVerdictText;
  return `Reused from trial ${cachedFrom} of an earlier run; it was not run again.`;
}
