import type * as z from 'zod';
import type { ExperimentOutline, OpenQuestion } from '../domain/experiment.ts';
import type { RunOptions } from '../domain/option-values.ts';
import type { Problem } from '../domain/problem.ts';
import type { RunRequest } from '../domain/run.ts';
import type { Scenario } from '../domain/scenario.ts';
import type { Trial } from '../domain/trial.ts';
import type { Agents } from '../drive/agents/agent.ts';
import type { Store } from '../keep/store/store.ts';
import type { JudgeChoice } from '../score/judge/judge.ts';
import type { Redact } from '../shared/redaction/redaction.ts';
import type { FeaturePlace, RunFeature } from './run-feature.ts';

type Chosen = Pick<RunRequest, 'origin' | 'scenarios' | 'only' | 'improvement'>;

/** The options of a run, and what its caller decided beside them. */
export type StartOptions = RunOptions & {
  readonly [Key in keyof Chosen]?: Chosen[Key] | undefined;
} & {
  /** How often all looks of its experiment together may be wrong. */
  readonly errorRate?: number | undefined;
  /** The run to resume must be an experiment. */
  readonly resumesExperiment?: boolean | undefined;
};

/** The project of a run, as far as features know it; each knows the keys of the config that are its own. */
export interface FeatureProject {
  readonly folder: string;
  readonly config: { readonly timeoutSecs: number };
}

/** Where options are completed. */
export interface StartPlace {
  readonly project: FeatureProject;
  /** Lends a store; opened only where an earlier run is looked for. */
  withStore<Result>(use: (store: Store) => Promise<Result>): Promise<Result>;
}

/** Where scenarios are read. */
interface ScenarioPlace {
  readonly options: Pick<StartOptions, 'arms' | 'attacks' | 'only'>;
  readonly folder: string;
  warn(problem: Problem): void;
}

/** A run before its first trial: what it runs, and what it keeps to go on. */
export interface PlannedRun {
  readonly scenarios: readonly Scenario[];
  readonly request: RunRequest;
}

/** Where a run is planned. */
interface PlanPlace {
  readonly options: StartOptions;
  readonly project: FeatureProject;
  readonly store: Store;
  /** Id of the run that goes on; undefined for a new one. */
  readonly resumed: string | undefined;
  warn(message: string): void;
}

/** Where the trials of a run are: its project, and the parts that its features may use. */
export interface RunPlace extends FeaturePlace {
  readonly options: Omit<RunOptions, 'experiment'>;
  readonly project: FeatureProject;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly redact: Redact;
  /** Program and arguments that start this Assay, by absolute paths. */
  readonly program: readonly [string, ...string[]];
  readonly parts: ReuseParts;
}

/** Everything that the result of a trial depends on beside its files. */
export interface ReuseParts {
  /** Of Assay itself. */
  readonly version: string;
  readonly agents: Agents;
  readonly plugins: readonly string[];
  /** Settings of the judge and its models. */
  judgeOf(choice: JudgeChoice): Promise<unknown>;
  /** Who answers for models that play tools: the answers of one server are not those of another. */
  serversOf?(models: readonly string[]): Promise<readonly (string | undefined)[]>;
}

/**
 * A feature of a run: its folder has all of it, and its line in `index.ts` is the only other place that names it. Every
 * step may be left out; its code is imported in the step, so a run without the feature does not load it.
 */
export interface Feature {
  readonly name: string;
  /** Keys of the config that are its own, with their schemas. */
  readonly config?: Readonly<Record<string, z.ZodType>>;
  /** Completes the options of a new run, such as with those of an earlier one. */
  complete?(given: StartOptions, place: StartPlace): Promise<StartOptions>;
  /** Changes scenarios in memory, whenever the files of a run are read. */
  scenarios?(scenarios: readonly Scenario[], place: ScenarioPlace): Promise<readonly Scenario[]>;
  /** Describes the experiment that options ask for, for the dialog that starts it. */
  outline?(wish: OpenQuestion, scenarios: readonly Scenario[]): Promise<ExperimentOutline>;
  /**
   * Changes what a run does and keeps, once before it begins and whenever it goes on; or refuses it. Of a run that goes on,
   * only the scenarios are taken: it keeps its request.
   */
  plan?(planned: PlannedRun, place: PlanPlace): Promise<PlannedRun>;
  /** Whether the result of a trial is there already, so it would not run. */
  isKnown?(trial: Trial, place: Omit<RunPlace, keyof FeaturePlace>): Promise<boolean>;
  /** Takes part in the run, as `RunFeature` says; undefined where it has nothing to do in it. */
  open?(place: RunPlace): Promise<RunFeature | undefined>;
}
