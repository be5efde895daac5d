import { sumOf } from '../../domain/cost-sum.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { Trace } from '../../domain/trace.ts';
import type { ToolCommand } from '../../score/interaction/tool-command.ts';
import { groupedBy } from '../../shared/grouped-by.ts';
import { type Spread, spreadOf } from '../../shared/stats/spread.ts';
import type { DiagnosedTrial } from './collected-side.ts';
import type { DiagnosisFinding } from './comparison.ts';
import { Delivery } from './delivery.ts';
import { type DiagnosisFrame, diagnose } from './diagnosis.ts';
import { type DiagnosisThresholds, diagnosisThresholds } from './diagnosis-patterns.ts';

/** The parts of a record that the comparison looks at. */
export type ComparedRecord = Pick<
  TrialRecord,
  | 'trialId'
  | 'scenario'
  | 'caseId'
  | 'variant'
  | 'repeat'
  | 'outcome'
  | 'costUsd'
  | 'durationMs'
  | 'interaction'
  | 'coverage'
>;

/** A record, and the commands of its trace where they were read. */
export interface ComparedTrial {
  readonly record: ComparedRecord;
  readonly commands?: readonly ToolCommand[] | undefined;
  /** Where it was read. */
  readonly trace?: Trace | undefined;
}

/** The figures of one variant, over its repeats; null where no trial has them. */
export interface GuidanceRow {
  /** The guidance, or the agent and its model. */
  readonly name: string;
  readonly trials: number;
  readonly errorRate: Spread | null;
  readonly help: Spread | null;
  readonly firstTry: Spread | null;
  readonly commands: Spread | null;
  readonly iterationRatio: Spread | null;
  /** Share of the trials with figures in which the agent completed. */
  readonly completedShare: number | null;
  /** Share of the judged trials that passed. */
  readonly passShare: number | null;
  /** Trials without figures, and why the first of them has none. */
  readonly unmeasured: { readonly trials: number; readonly reason: string };
  /** Could not be judged, or did not run. */
  readonly unjudged: number;
  /** Have figures, but the tool was never called: their rates are 0 for want of anything to count. */
  readonly withoutCommands: number;
  /** Null where a trial did not report it. */
  readonly meanCostUsd: number | null;
  readonly meanDurationMs: number | null;
  /** Calls of the tool that bypassed the recorder: the figures leave them out. */
  readonly unrecorded: { readonly calls: number; readonly trials: number; readonly example: string };
  readonly diagnosis: readonly DiagnosisFinding[];
}

/** The name of trials without guidance, where others have one. */
export const noGuidance = '(no guidance)';

/** Variants of one scenario side by side: guidance texts under one agent and model, or agents under one guidance. */
export interface GuidanceTable {
  readonly scenario: string;
  /** Empty where the scenario has one case only. */
  readonly caseId: string;
  /** The part in which the rows differ. */
  readonly rowsAre: 'guidance' | 'agent';
  /** Common to all rows: the agent and its model, or the guidance; empty where there is none. */
  readonly shared: string;
  readonly rows: readonly GuidanceRow[];
  /** Fewest trials of any of the rows. */
  readonly fewestTrials: number;
  /** Why the rows cannot be compared: guidance that did not arrive, or other instructions that did. */
  readonly undelivered: readonly string[];
}

/**
 * Trials side by side by guidance, in the order in which they come. Only trials of the same scenario, case, agent and
 * model are put together: a difference between agents must not look like one between guidance texts. Agents are put side
 * by side where there are several of them, or where there is no guidance to compare.
 */
export function compareGuidance(
  trials: Iterable<ComparedTrial>,
  thresholds: DiagnosisThresholds = diagnosisThresholds,
): GuidanceTable[] {
  const tasks = grouped(trials, ({ scenario, caseId }) => JSON.stringify([scenario, caseId]));
  const caseCounts = new Map<string, number>();
  for (const [{ record }] of tasks) caseCounts.set(record.scenario, (caseCounts.get(record.scenario) ?? 0) + 1);
  return tasks.flatMap((task): GuidanceTable[] => {
    const { scenario, caseId } = task[0].record;
    const place = { scenario, caseId: (caseCounts.get(scenario) ?? 1) > 1 ? caseId : '' };
    const hasGuidance = task.some(({ record }) => guidanceOf(record) !== noGuidance);
    const hasAgents = new Set(task.map(({ record }) => agentName(record))).size > 1;
    const diagnosed = { place, thresholds };
    const guidanceTables = grouped(task, agentName).map((members) => tableOf(members, 'guidance', diagnosed));
    // Findings are listed once: beside the guidance where there is one.
    const agentFrame = hasGuidance ? { place, thresholds: undefined } : diagnosed;
    const agentTables = grouped(task, guidanceOf).map((members) => tableOf(members, 'agent', agentFrame));
    return [...(hasGuidance ? guidanceTables : []), ...(hasAgents || !hasGuidance ? agentTables : [])];
  });
}

interface TableFrame {
  readonly place: Pick<GuidanceTable, 'scenario' | 'caseId'>;
  /** Undefined: figures only, without a diagnosis. */
  readonly thresholds: DiagnosisThresholds | undefined;
}

function tableOf(members: Group, rowsAre: GuidanceTable['rowsAre'], { place, thresholds }: TableFrame): GuidanceTable {
  const [nameOf, sharedOf] = rowsAre === 'guidance' ? [guidanceOf, agentName] : [agentName, guidanceOf];
  const groups = grouped(members, nameOf);
  const undelivered = rowsAre === 'guidance' ? undeliveredIn(members) : [];
  const rows = groups.map((repeats) => {
    const others = groups.filter((group) => group !== repeats).flatMap(diagnosedOf);
    // A diagnosis of guidance that the agent never saw would blame the wrong text.
    const frame = undelivered.length > 0 ? undefined : thresholds && { thresholds, others, variants: groups.length };
    return rowOf(nameOf(repeats[0].record), repeats, frame);
  });
  const fewestTrials = Math.min(...rows.map((row) => row.trials));
  return { ...place, rowsAre, shared: sharedOf(members[0].record), rows, fewestTrials, undelivered };
}

function undeliveredIn(trials: readonly ComparedTrial[]): string[] {
  const delivery = new Delivery();
  for (const { record, trace } of trials) if (trace) delivery.add(record.trialId, trace);
  return delivery.problems;
}

function guidanceOf({ variant }: ComparedRecord): string {
  const { guidance, skills, harness } = variant;
  return (
    [guidance, skills && `skills ${skills}`, harness && `harness ${harness}`].filter(Boolean).join(', ') || noGuidance
  );
}

function agentName({ variant }: ComparedRecord): string {
  return [variant.agent, variant.model].filter((part) => part !== undefined).join(', ');
}

type Group = [ComparedTrial, ...ComparedTrial[]];

function grouped(trials: Iterable<ComparedTrial>, keyOf: (record: ComparedRecord) => string): Group[] {
  return [...groupedBy(trials, ({ record }) => keyOf(record)).values()] as Group[];
}

function diagnosedOf(trials: readonly ComparedTrial[]): DiagnosedTrial[] {
  return trials.flatMap(({ record, commands }): DiagnosedTrial[] =>
    record.interaction ? [{ ...record, interaction: record.interaction, commands: commands ?? [] }] : [],
  );
}

function rowOf(name: string, trials: Group, frame: DiagnosisFrame | undefined): GuidanceRow {
  const measured = diagnosedOf(trials);
  const interactions = measured.map(({ interaction }) => interaction);
  const outcomes = trials.map(({ record }) => record.outcome);
  const passed = outcomes.filter((outcome) => outcome === 'pass').length;
  const judged = passed + outcomes.filter((outcome) => outcome === 'fail').length;
  return {
    name,
    trials: trials.length,
    errorRate: spreadOrNull(interactions.map((interaction) => interaction.error_rate)),
    help: spreadOrNull(interactions.map((interaction) => interaction.help_invocations)),
    firstTry: spreadOrNull(interactions.map((interaction) => interaction.first_try_success_rate)),
    commands: spreadOrNull(interactions.map((interaction) => interaction.total_commands)),
    iterationRatio: spreadOrNull(interactions.map((interaction) => interaction.iteration_ratio)),
    completedShare: completedShare(interactions),
    passShare: shareOrNull(passed, judged),
    unjudged: trials.length - judged,
    unmeasured: unmeasuredIn(trials),
    withoutCommands: interactions.filter((interaction) => interaction.total_commands === 0).length,
    meanCostUsd: meanOrNull(trials.map(({ record }) => record.costUsd)),
    meanDurationMs: meanOrNull(trials.map(({ record }) => record.durationMs)),
    unrecorded: unrecordedIn(interactions),
    diagnosis: frame ? diagnose(measured, frame) : [],
  };
}

function unmeasuredIn(trials: Group): GuidanceRow['unmeasured'] {
  const lacking = trials.filter(({ record }) => !record.interaction);
  const losses = lacking.flatMap(({ record }) => record.coverage?.commands?.reasons ?? []);
  return { trials: lacking.length, reason: losses[0] ?? 'calls of the tool were not recorded' };
}

function unrecordedIn(interactions: readonly { readonly unrecorded: readonly string[] }[]): GuidanceRow['unrecorded'] {
  const lines = interactions.flatMap(({ unrecorded }) => unrecorded);
  const trials = interactions.filter(({ unrecorded }) => unrecorded.length > 0).length;
  return { calls: lines.length, trials, example: lines[0] ?? '' };
}

/** Of the trials in which the end of the agent was recorded. */
function completedShare(interactions: readonly { readonly completed: boolean | null }[]): number | null {
  const ended = interactions.filter(({ completed }) => completed !== null);
  return shareOrNull(ended.filter(({ completed }) => completed).length, ended.length);
}

function spreadOrNull(figures: readonly number[]): Spread | null {
  return figures.length === 0 ? null : spreadOf(figures);
}

/** A mean of some of the trials would be read as one of all. */
function meanOrNull(figures: readonly (number | null)[]): number | null {
  const sum = sumOf(figures);
  return sum === null || figures.length === 0 ? null : sum / figures.length;
}

function shareOrNull(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
