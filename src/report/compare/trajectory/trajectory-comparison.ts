import { type Mark, type MarkCounts, marksOf } from '../../../domain/marks.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import type { Trace } from '../../../domain/trace.ts';
import { counted } from '../../../shared/format.ts';
import { sharedIds } from './own-values.ts';
import { stepsOf } from './steps.ts';
import { countStatuses, diffTrajectories, type RowStatus, type TrajectoryRow } from './trajectory-diff.ts';
import { diffUsualSteps, type UsualStepRow, type UsualSteps } from './usual-steps.ts';

/** A trial whose steps are compared. */
export type DiffedTrial = Pick<
  TrialRecord,
  'trialId' | 'runId' | 'scenario' | 'caseId' | 'variant' | 'repeat' | 'outcome' | 'reason'
> & {
  readonly steps: number;
  readonly marks: readonly Mark[];
  /** How its answer begins; absent where there was none. */
  readonly answer?: string;
};

/** The steps of two trials side by side. */
export interface TrialsDiff {
  readonly schema: 'assay.diff/1';
  readonly kind: 'trials';
  readonly a: DiffedTrial;
  readonly b: DiffedTrial;
  readonly counts: Readonly<Record<RowStatus, number>>;
  readonly rows: readonly TrajectoryRow[];
  /** Limits of the comparison, as sentences for its reader. */
  readonly notes: readonly string[];
}

/** The trials of one scenario, of a run or of a variant of it. */
export interface DiffedSide {
  readonly label: string;
  readonly runId: string;
  readonly trials: number;
  readonly passed: number;
  /** Trials by what Assay stood in for. */
  readonly marks: MarkCounts;
}

/** The usual steps of the trials of two sides. */
export interface RepeatsDiff {
  readonly schema: 'assay.diff/1';
  readonly kind: 'repeats';
  readonly scenario: string;
  readonly a: DiffedSide;
  readonly b: DiffedSide;
  readonly counts: Readonly<Record<RowStatus, number>>;
  /** In their usual order. */
  readonly rows: readonly UsualStepRow[];
  readonly notes: readonly string[];
}

/** A record with its trace; undefined where none was kept. */
export interface TracedTrial {
  readonly record: TrialRecord;
  readonly trace: Trace | undefined;
}

/** Compares what was done in two trials. */
export function diffTrials(a: TracedTrial, b: TracedTrial): TrialsDiff {
  const { trace: traceA = [] } = a;
  const { trace: traceB = [] } = b;
  const shared = sharedIds(traceA, traceB);
  const [stepsA, stepsB] = [stepsOf(traceA, shared), stepsOf(traceB, shared)];
  const { rows, counts, isWhole } = diffTrajectories(stepsA, stepsB);
  const missing = [stepsA, stepsB].flatMap((steps, index) => (steps.length === 0 ? ['AB'.charAt(index)] : []));
  const notes = [
    ...(a.record.trialId === b.record.trialId ? ['Both are the same trial.'] : []),
    ...(a.record.scenario === b.record.scenario
      ? []
      : ['The trials are of different scenarios, so different steps are expected.']),
    ...missing.map((name) => `${name} has no steps: its trace records no action.`),
    ...(isWhole
      ? []
      : ['The trials are too long and too different to be aligned as a whole, so they were aligned in pieces.']),
  ];
  return {
    schema: 'assay.diff/1',
    kind: 'trials',
    a: diffedTrial(a.record, stepsA.length),
    b: diffedTrial(b.record, stepsB.length),
    counts,
    rows,
    notes,
  };
}

function diffedTrial(record: TrialRecord, steps: number): DiffedTrial {
  const { trialId, runId, scenario, caseId, variant, repeat, outcome, reason, excerpt } = record;
  const answer = excerpt?.answer;
  const named = { trialId, runId, scenario, caseId, variant, repeat, outcome, reason };
  return { ...named, steps, marks: marksOf(record), ...(answer !== undefined && { answer }) };
}

/** The trials of one side with what they usually do. */
export interface UsualSide {
  readonly side: DiffedSide;
  readonly usual: UsualSteps;
  readonly cases: ReadonlySet<string>;
  /** Trials that were not read because there were too many. */
  readonly unread: number;
}

/** Compares what the trials of two sides usually do. */
export function diffRepeats(scenario: string, a: UsualSide, b: UsualSide): RepeatsDiff {
  const rows = diffUsualSteps(a.usual, b.usual);
  const sides = [
    ['A', a],
    ['B', b],
  ] as const;
  const cases = new Set([...a.cases, ...b.cases]);
  const notes = [
    ...(cases.size > 1 ? [`Aggregated over ${counted(cases.size, 'case')}; use --case to pick one.`] : []),
    ...sides.flatMap(([name, side]) => sideNotes(name, side)),
    'Shares describe these trials only. Run `assay compare` to see whether a difference is more than chance.',
  ];
  return {
    schema: 'assay.diff/1',
    kind: 'repeats',
    scenario,
    a: a.side,
    b: b.side,
    counts: countStatuses(rows),
    rows,
    notes,
  };
}

function sideNotes(name: string, { usual, unread }: UsualSide): string[] {
  return [
    ...(usual.tallies.size === 0 ? [`${name} has no steps: its traces record no action.`] : []),
    ...(unread > 0
      ? [`${counted(unread, 'trial')} of ${name} were not read; the shares cover the first ${usual.trials}.`]
      : []),
    ...(usual.unlisted > 0
      ? [`${counted(usual.unlisted, 'step')} of ${name} have no row: there are too many different ones.`]
      : []),
  ];
}
