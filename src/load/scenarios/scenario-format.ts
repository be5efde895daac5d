import type { Problem } from '../../domain/problem.ts';
import type { Case, Scenario } from '../../domain/scenario.ts';
import type { ConnectorKind } from '../../drive/connectors/connector.ts';
import type { ConnectorSpec, Persona } from '../../drive/conversation/conversation-config.ts';
import type { TargetKind } from '../../drive/targets/target.ts';
import type { Evaluator } from '../../score/evaluators/evaluator.ts';
import type { ParsedSource } from '../sources/parsed-source.ts';
import type { SharedTarget } from './formats/schema-parts.ts';

/** The registered parts that scenarios may use. */
export interface ScenarioParts {
  readonly targets: readonly TargetKind[];
  readonly evaluators: readonly Evaluator[];
}

/** Values for what a scenario leaves open, and overrides. */
export interface ScenarioDefaults {
  /** Of the config, for a trial whose scenario sets no limit. */
  readonly timeoutSecs: number;
  /** Of the command line: no trial gets more, whatever its scenario says. */
  readonly mostSecs?: number | undefined;
  /** Runs judges that their files switch off. */
  readonly isJudgeForced?: boolean | undefined;
  /** Replaces the scenario's own number of repeats. */
  readonly repeat?: number | undefined;
  /** For scenarios in which an agent uses a CLI tool. */
  readonly cliTools?: CliToolDefaults | undefined;
  /** For conversations. */
  readonly conversations?: ConversationDefaults | undefined;
  /** For scenarios about an MCP server. */
  readonly mcpServers?: McpServerDefaults | undefined;
}

/** Time limit of a trial: the shorter of its scenario's own and the command line's; without both, the usual one. */
export function trialLimitMs(
  ownSecs: number | undefined,
  { timeoutSecs, mostSecs }: ScenarioDefaults,
  usualSecs = timeoutSecs,
): number {
  return 1_000 * (ownSecs === undefined ? (mostSecs ?? usualSecs) : Math.min(ownSecs, mostSecs ?? ownSecs));
}

/** Agents and models that are tried together under one name; each agent with each model. */
interface AgentProfile {
  readonly agents: readonly string[];
  /** Empty: whatever each agent takes by itself. */
  readonly models: readonly string[];
}

/** Options of the command line and the config for CLI tools and their agents. */
export interface CliToolDefaults {
  /** For `target: from_config`, and for settings that a scenario leaves open about the same program. */
  readonly target?: SharedTarget | undefined;
  /** Replaces the program that a scenario names. */
  readonly targetBinary?: string | undefined;
  /** PATH, on which graders find programs; undefined where they have the programs of an image. */
  readonly path?: string | undefined;
  /** Absolute; the last folders in which templates, guidance and rubrics are searched. */
  readonly fixturesFolders: readonly string[];
  /** Of the command line; undefined when it names none. */
  readonly agents: readonly string[] | undefined;
  readonly models: readonly string[] | undefined;
  readonly profile: string | undefined;
  readonly profiles: Readonly<Record<string, AgentProfile>>;
  /** Every agent that a profile may name, and the models that it supports; an empty list means any model. */
  readonly tools: Readonly<Record<string, { readonly models: readonly string[] }>>;
  /** Used when neither the scenario nor the command line names an agent; looking for one on the path takes its time. */
  readonly defaultAgent: () => string;
  /** Drives workflows of MCP servers where nothing names a model or an agent. */
  readonly workflowModel?: string | undefined;
  /** Parts of a harness that an agent can be handed; undefined where the agent is not known. */
  readonly harnessOf?: (agent: string) => Promise<{ readonly parts: readonly string[] } | undefined>;
}

/** Neither the command line nor the config says anything. */
export const noCliToolDefaults: CliToolDefaults = {
  fixturesFolders: [],
  agents: undefined,
  models: undefined,
  profile: undefined,
  profiles: {},
  tools: {},
  defaultAgent: () => 'opencode',
};

/** Options of the command line and the config for conversations. */
export interface ConversationDefaults {
  /** Of the config, by name; `${VAR}` in their headers is not expanded yet. */
  readonly connectors: Readonly<Record<string, ConnectorSpec>>;
  /** Of the config, by name. */
  readonly personas: Readonly<Record<string, Persona>>;
  /** Every kind of connector that there is; undefined leaves types and configs unchecked. */
  readonly connectorKinds?: readonly ConnectorKind[] | undefined;
  /** Of the command line: they replace the connectors of scenarios. */
  readonly connectorNames?: readonly string[] | undefined;
  /** Replaces the addresses of the connectors. */
  readonly connectorUrl?: string | undefined;
  /** Models to try where a scenario names none. */
  readonly models?: readonly string[] | undefined;
  /** Types of metrics that every conversation has, listed or not. */
  readonly automaticMetrics?: readonly string[] | undefined;
}

/** Options of the command line and the environment for MCP servers; their drivers are in `cliTools`. */
interface McpServerDefaults {
  /** Values for `${VAR}`. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Context in which a format reads a scenario. */
export interface ReadContext {
  readonly parts: ScenarioParts;
  readonly defaults: ScenarioDefaults;
  /** Absolute path of the folder that file names are relative to. */
  readonly folder: string;
  /** Absolute path of the folder that the file lies in. */
  readonly directory: string;
}

/** A scenario with warnings for its author. */
export interface ReadScenario extends Scenario {
  readonly warnings?: readonly Problem[];
  /** Absolute folders with its templates and guidance: files in them are never scenarios. */
  readonly ownFolders?: readonly string[];
  /** Absolute files and folders that belong to it where no format recognises them, such as lists beside it. */
  readonly companions?: readonly string[];
}

/** Keys that files of every format have, by the names of this program. */
interface CommonKeys {
  readonly name: string;
  readonly description?: string | undefined;
  readonly tags: readonly string[];
  readonly tier: number;
  readonly repeat: number;
  readonly worker?: { readonly tags: readonly string[] } | undefined;
  readonly ci?: Scenario['ci'];
  readonly replay?: Scenario['replay'];
}

/** The parts of a scenario that its file says alike in every format. */
export function commonParts(file: CommonKeys, source: ParsedSource, { defaults, directory }: ReadContext) {
  return {
    name: file.name,
    description: file.description ?? '',
    file: source.file,
    directory,
    tags: file.tags,
    workerTags: file.worker?.tags,
    tier: file.tier,
    repeat: defaults.repeat ?? file.repeat,
    composite: undefined,
    ci: file.ci,
    replay: file.replay,
  } satisfies Partial<Scenario>;
}

/** Cases that are all in memory, as a scenario gives them. */
export async function* caseByCase(cases: readonly Case[]): AsyncGenerator<Case, void> {
  yield* cases;
}

/** One scenario of a file, and the part of the file that it is written in. */
export interface ReadPart {
  readonly source: ParsedSource;
  readonly read: ReadScenario | readonly Problem[];
}

/** A format whose files hold one scenario. */
interface OneScenario {
  /** The scenario, or all its problems. */
  read(source: ParsedSource, context: ReadContext): Promise<ReadScenario | readonly Problem[]>;
}

/** A format whose files may hold several: each is read by itself, so one bad scenario does not affect the others. */
interface SeveralScenarios {
  readAll(source: ParsedSource, context: ReadContext): Promise<readonly ReadPart[]>;
}

/** A file format for scenarios. */
export type ScenarioFormat = (OneScenario | SeveralScenarios) & {
  readonly name: string;
  /** Whether the data looks like this format, valid or not. */
  recognises(value: unknown): boolean;
};
