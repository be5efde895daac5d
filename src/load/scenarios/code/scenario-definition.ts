import type { When } from '../../../domain/scenario.ts';
import type {
  CallKeys,
  CliToolKeys,
  ConversationKeys,
  EvaluatorConfigs,
  GateConfigs,
  McpServerKeys,
  WorkEvaluator,
} from './scenario-keys.ts';

/** Configs of the evaluators of plug-ins, by type. */
export type OwnEvaluators = Readonly<Record<string, object>>;

type EvaluatorsOf<Configs> = {
  readonly [Type in keyof Configs & string]: {
    readonly type: Type;
    /** Name for expressions; by default the type. */
    readonly id?: string | undefined;
  } & (Record<never, never> extends Configs[Type]
    ? { readonly config?: Configs[Type] | undefined }
    : { readonly config: Configs[Type] });
}[keyof Configs & string];

/** An evaluator of a conversation or a workflow. */
type Timed<Evaluator> = Evaluator & {
  /** For assertions: when it must hold. */
  readonly when?: When | undefined;
};

/** An evaluator as a scenario of a conversation names it. */
export type EvaluatorDefinition<Own extends OwnEvaluators = Record<never, never>> = Timed<
  EvaluatorsOf<EvaluatorConfigs & Own>
>;

type Gates = { readonly [Type in keyof GateConfigs]: { readonly type: Type } & GateConfigs[Type] }[keyof GateConfigs];

/** A row of a dataset: an input, or `input` and the other keys of a case. */
export type DatasetRow = Readonly<Record<string, unknown>>;

type Rows = AsyncIterable<DatasetRow> | Iterable<DatasetRow>;

/** A file, or code that yields the rows one after the other. */
export type DatasetDefinition =
  | string
  | {
      readonly path: string;
      readonly format?: 'json' | 'jsonl' | 'csv' | undefined;
      readonly types?: Readonly<Record<string, 'string' | 'number' | 'boolean' | 'json'>> | undefined;
    }
  | Rows
  | (() => Rows);

/** A tool that is called directly. */
export interface CallScenario<Own extends OwnEvaluators = Record<never, never>>
  extends CallKeys<EvaluatorsOf<Omit<EvaluatorConfigs, WorkEvaluator> & Own>, DatasetDefinition> {}

/** A CLI tool that a coding agent uses. */
export interface CliToolScenario<Own extends OwnEvaluators = Record<never, never>>
  extends CliToolKeys<EvaluatorsOf<EvaluatorConfigs & GateConfigs & Own>, Gates> {}

/** A conversation with an agent behind a connector. */
export interface ConversationScenario<Own extends OwnEvaluators = Record<never, never>>
  extends ConversationKeys<EvaluatorDefinition<Own>, DatasetDefinition> {}

/** Suites and workflows for an MCP server. */
export interface McpServerScenario<Own extends OwnEvaluators = Record<never, never>>
  extends McpServerKeys<EvaluatorDefinition<Own>> {}

type KeysOf<Kinds> = Kinds extends unknown ? keyof Kinds : never;

/** Each kind without the keys of the others, so a key of the wrong kind is an error. */
type Exclusive<Kinds, All = Kinds> = Kinds extends unknown
  ? Kinds & { readonly [Key in Exclude<KeysOf<All>, keyof Kinds>]?: undefined }
  : never;

/** A scenario of any kind, as `defineScenario` takes it. */
export type ScenarioDefinition<Own extends OwnEvaluators = Record<never, never>> = Exclusive<
  CallScenario<Own> | CliToolScenario<Own> | ConversationScenario<Own> | McpServerScenario<Own>
>;

/** Scenarios of one file, as `defineSuite` takes them. */
export interface SuiteDefinition<Own extends OwnEvaluators = Record<never, never>> {
  /** Labels of all scenarios, beside their own. */
  readonly tags?: readonly string[] | undefined;
  /** For scenarios without their own: 0 smoke, 1 quick, 2 standard, 3 comprehensive. */
  readonly tier?: number | undefined;
  /** Trials of each case, for scenarios without their own number. */
  readonly repeat?: number | undefined;
  readonly scenarios: readonly ScenarioDefinition<Own>[];
}
