import type { Problem } from '../domain/problem.ts';
import type { Scenario } from '../domain/scenario.ts';
import type { Evaluator } from '../evaluators/evaluator.ts';
import type { TargetKind } from '../targets/target.ts';
import type { ParsedSource } from './parsed-source.ts';

/** The registered parts that scenarios may ask for. */
export interface ScenarioParts {
  readonly targets: readonly TargetKind[];
  readonly evaluators: readonly Evaluator[];
}

/** Values that hold where a scenario does not say otherwise, and one that holds in spite of what it says. */
export interface ScenarioDefaults {
  readonly timeoutSecs: number;
  /** Asks judges that their files switch off. */
  readonly isJudgeForced?: boolean | undefined;
  /** Replaces the scenario's own number of repeats. */
  readonly repeat?: number | undefined;
}

/** What a format is given to read a scenario from. */
export interface ReadContext {
  readonly parts: ScenarioParts;
  readonly defaults: ScenarioDefaults;
  /** Absolute path of the folder that file names are relative to. */
  readonly folder: string;
  /** Absolute path of the folder that the file lies in. */
  readonly directory: string;
}

/** One known way to write a scenario. */
export interface ScenarioFormat {
  readonly name: string;
  /** Whether the data looks like this format, right or wrong. */
  recognises(value: unknown): boolean;
  /** The scenario, or everything that is wrong with it. */
  read(source: ParsedSource, context: ReadContext): Promise<Scenario | readonly Problem[]>;
}
