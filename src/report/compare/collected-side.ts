import type { Interaction } from '../../domain/interaction.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { RunHeader, RunScenario } from '../../domain/run.ts';
import type { Variant } from '../../domain/variant.ts';
import type { ToolCommand } from '../../score/interaction/tool-command.ts';
import type { Rows } from '../../shared/rows.ts';
import type { Delivery } from './delivery.ts';

/** A run without its trials; null where a file does not say. */
export interface SideRun extends Pick<RunHeader, 'runId' | 'startedAt' | 'status' | 'planned'> {
  readonly assayVersion: string | null;
  readonly scenarios:
    | readonly (Pick<RunScenario, 'name' | 'contentHash' | 'identity' | 'ci'> & {
        readonly repeat?: number | undefined;
      })[]
    | null;
  readonly origin: RunHeader['request']['origin'];
  /** How many trials there were at each look before its end; empty where it was complete. */
  readonly looks?: readonly number[] | undefined;
  readonly isExperiment?: boolean | undefined;
  /** Only trials of the cases that the other side ran again were read. */
  readonly isPart?: boolean | undefined;
}

/** A trial that serves as an example. */
export interface ExampleTrial {
  readonly trialId: string;
  readonly reason: string;
}

/** How often an assertion, gate or criterion held in the trials of a case. */
export interface CheckTally {
  passed: number;
  failed: number;
}

/** Values by name, as far as comparisons read them; a map is one. */
interface NamedCells<Cell> extends Iterable<[string, Cell]> {
  get(name: string): Cell | undefined;
  has(name: string): boolean;
  keys(): Iterable<string>;
}

/** Values of each judged trial of a case that has them, in the order of the trials, by figure. */
export type CaseFigures = NamedCells<readonly number[]>;

/** Tallies of a case by check. */
export type CaseChecks = NamedCells<Readonly<CheckTally>>;

/** The trials of one case under one variant, as far as a comparison needs them. */
export interface CollectedCase {
  readonly scenario: string;
  readonly caseId: string;
  readonly variant: Variant;
  /** Declared; absent where it is not. */
  readonly cluster?: string | undefined;
  readonly passed: number;
  readonly failed: number;
  readonly unjudged: number;
  readonly figures: CaseFigures;
  readonly checks: CaseChecks;
  /** Trials whose ending a judge decided, by the judge; absent where it is not known. */
  readonly verdicts?: CaseChecks | undefined;
  /** The first trial of each ending. */
  readonly success: ExampleTrial | null;
  readonly failure: ExampleTrial | null;
  readonly unjudgedTrial: ExampleTrial | null;
}

/** Trials of a case, judged or not. */
export function triedOf({ passed, failed, unjudged }: CollectedCase): number {
  return passed + failed + unjudged;
}

/** Who judged the trials of a scenario. */
export interface JudgesOfScenario {
  /** As text, such as `openai/gpt-4o-mini, rubric judge, prompt 3`. */
  readonly judges: Set<string>;
  readonly rubrics: Set<string>;
  /** Trials that passed without a judge. */
  passedUnjudged: number;
}

/** An agent as the traces show it. */
export interface ObservedAgent {
  readonly versions: readonly string[];
  /** Those that it chose where the variant names none. */
  readonly models: readonly string[];
  /** The parts of its view in one trial, by scenario. */
  readonly views: Readonly<Record<string, readonly string[]>>;
}

/** How often a subcommand was called, failed and was called for help. */
export interface SubcommandTally {
  calls: number;
  errors: number;
  help: number;
}

/** Numbers that count for a whole side. */
export interface SideTotals {
  trials: number;
  passed: number;
  failed: number;
  /** Errors and trials that were skipped. */
  unjudged: number;
  /** Reused from earlier runs, so not new evidence. */
  cached: number;
  /** Judged, after the time limit had ended the agent; absent in baselines of earlier versions. */
  timedOut?: number | undefined;
  /** Null where a trial did not report it. */
  costUsd: number | null;
  /** Of judged trials that were run and not reused. */
  readonly tried: { trials: number; costUsd: number | null; durationMs: number | null };
}

/** One side of a comparison, with all that is needed of its trials and nothing that grows with their traces. */
export interface CollectedSide {
  readonly label: string;
  readonly run: SideRun;
  readonly totals: Readonly<SideTotals>;
  /** Those of a stored run are read from columns: take what is needed of each, and do not spread it. */
  readonly cases: Rows<CollectedCase>;
  /** A baseline does not know which trials a judge decided. */
  readonly lacksVerdicts?: true;
  /** Whether its run planned cases of which it has no trial: those that the other side has may be among them. */
  readonly lacksCases?: boolean;
  /** Planned trials of its run without a record: an answer about the side is one about a part of the run. */
  readonly absent?: number;
  readonly judges: ReadonlyMap<string, JudgesOfScenario>;
  readonly toolPins: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** How tools were controlled in the judged trials of each scenario, such as `mocked and faulted`; '' for real tools. */
  readonly controls: ReadonlyMap<string, ReadonlySet<string>>;
  readonly agents: ReadonlyMap<string, ObservedAgent>;
  readonly subcommands: ReadonlyMap<string, SubcommandTally>;
  readonly diagnosed: readonly DiagnosedTrial[];
  /** Whether guidance reached the models; undefined where traces were not read. */
  readonly delivery?: Pick<Delivery, 'problems' | 'unknown'> | undefined;
  /** How many values of a figure were not numbers. */
  readonly unusable: ReadonlyMap<string, number>;
  /** In how many judged trials a figure that was wanted was not observed. */
  readonly missing: ReadonlyMap<string, number>;
}

export interface DiagnosedTrial {
  readonly trialId: string;
  readonly repeat: number;
  readonly outcome: Outcome;
  readonly variant?: Pick<Variant, 'guidance' | 'skills'> | undefined;
  readonly interaction: Interaction;
  /** Of the trial, where its trace was read: the diagnosis then names those that caused it. */
  readonly commands: readonly ToolCommand[];
}

/** One case on both sides; undefined where a side does not have it. */
export interface CasePair {
  readonly scenario: string;
  readonly caseId: string;
  /** Of scenario and id among all of the comparison; absent where they were not numbered. */
  readonly caseNumber?: number | undefined;
  /** The parts of the variant that both sides share. */
  readonly variant: Readonly<Record<string, string>>;
  /** Declared; absent where it is not. */
  readonly cluster?: string | undefined;
  /** Template of its scenario on both sides; absent where it is not known. */
  readonly template?: string | undefined;
  readonly a: CollectedCase | undefined;
  readonly b: CollectedCase | undefined;
}
