import type { TrialRecord } from '../domain/record.ts';
import type { ToolCommand } from '../interaction/tool-command.ts';
import { type Spread, spreadOf } from '../stats/spread.ts';
import { type DiagnosedTrial, type DiagnosisFinding, diagnose } from './diagnosis.ts';
import { type DiagnosisThresholds, diagnosisThresholds } from './diagnosis-thresholds.ts';

/** The parts of a record that the comparison looks at. */
export type ComparedRecord = Pick<
  TrialRecord,
  'trialId' | 'scenario' | 'caseId' | 'variant' | 'repeat' | 'outcome' | 'costUsd' | 'durationMs' | 'interaction'
>;

/** A record, and the commands of its trace where they were read. */
export interface ComparedTrial {
  readonly record: ComparedRecord;
  readonly commands?: readonly ToolCommand[] | undefined;
}

/** The figures of one guidance variant, over its repeats; null where no trial could tell. */
export interface GuidanceRow {
  /** Name of the variant; empty for trials without guidance of their own. */
  readonly guidance: string;
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
  /** Could not be judged, or did not run. */
  readonly unjudged: number;
  /** Have figures, but the tool was never called: their rates are 0 for want of anything to count. */
  readonly withoutCommands: number;
  readonly meanCostUsd: number;
  readonly meanDurationMs: number;
  readonly diagnosis: readonly DiagnosisFinding[];
}

/** The guidance variants of one scenario under one agent and model, side by side. */
export interface GuidanceTable {
  readonly scenario: string;
  /** Empty where the scenario has one case only. */
  readonly caseId: string;
  readonly agent: string | undefined;
  readonly model: string | undefined;
  readonly rows: readonly GuidanceRow[];
  /** Fewest trials of any of the rows. */
  readonly fewestTrials: number;
}

/**
 * Trials side by side by guidance variant, in the order in which they come. Only trials of the same scenario, case,
 * agent and model are put together: a difference between agents must not look like one between guidance texts.
 */
export function compareGuidance(
  trials: Iterable<ComparedTrial>,
  thresholds: DiagnosisThresholds = diagnosisThresholds,
): GuidanceTable[] {
  const tables = grouped(trials, ({ scenario, caseId, variant }) =>
    JSON.stringify([scenario, caseId, variant.agent, variant.model]),
  );
  const caseCounts = new Map<string, Set<string>>();
  for (const [{ record }] of tables) {
    const cases = caseCounts.get(record.scenario) ?? new Set();
    caseCounts.set(record.scenario, cases.add(record.caseId));
  }
  return tables.map((members) => {
    const { scenario, caseId, variant } = members[0].record;
    const variants = grouped(members, (record) => record.variant.guidance ?? '');
    const rows = variants.map((repeats) => rowOf(repeats, thresholds));
    return {
      scenario,
      caseId: (caseCounts.get(scenario)?.size ?? 1) > 1 ? caseId : '',
      agent: variant.agent,
      model: variant.model,
      rows,
      fewestTrials: Math.min(...rows.map((row) => row.trials)),
    };
  });
}

type Group = [ComparedTrial, ...ComparedTrial[]];

function grouped(trials: Iterable<ComparedTrial>, keyOf: (record: ComparedRecord) => string): Group[] {
  const groups = new Map<string, Group>();
  for (const trial of trials) {
    const key = keyOf(trial.record);
    const group = groups.get(key);
    if (group) group.push(trial);
    else groups.set(key, [trial]);
  }
  return [...groups.values()];
}

function rowOf(trials: Group, thresholds: DiagnosisThresholds): GuidanceRow {
  const measured = trials.flatMap(({ record, commands }): DiagnosedTrial[] =>
    record.interaction ? [{ ...record, interaction: record.interaction, commands: commands ?? [] }] : [],
  );
  const interactions = measured.map(({ interaction }) => interaction);
  const outcomes = trials.map(({ record }) => record.outcome);
  const passed = outcomes.filter((outcome) => outcome === 'pass').length;
  const judged = passed + outcomes.filter((outcome) => outcome === 'fail').length;
  return {
    guidance: trials[0].record.variant.guidance ?? '',
    trials: trials.length,
    errorRate: spreadOrNull(interactions.map((interaction) => interaction.error_rate)),
    help: spreadOrNull(interactions.map((interaction) => interaction.help_invocations)),
    firstTry: spreadOrNull(interactions.map((interaction) => interaction.first_try_success_rate)),
    commands: spreadOrNull(interactions.map((interaction) => interaction.total_commands)),
    iterationRatio: spreadOrNull(interactions.map((interaction) => interaction.iteration_ratio)),
    completedShare: shareOrNull(interactions.filter(({ completed }) => completed).length, interactions.length),
    passShare: shareOrNull(passed, judged),
    unjudged: trials.length - judged,
    withoutCommands: interactions.filter((interaction) => interaction.total_commands === 0).length,
    meanCostUsd: spreadOf(trials.map(({ record }) => record.costUsd)).mean,
    meanDurationMs: spreadOf(trials.map(({ record }) => record.durationMs)).mean,
    diagnosis: diagnose(measured, thresholds),
  };
}

function spreadOrNull(figures: readonly number[]): Spread | null {
  return figures.length === 0 ? null : spreadOf(figures);
}

function shareOrNull(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
