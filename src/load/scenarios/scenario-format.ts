import type { Problem } from '../../domain/problem.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { ConnectorKind } from '../../drive/connectors/connector.ts';
import type { ConnectorSpec, Persona } from '../../drive/targets/conversation/conversation-config.ts';
import type { TargetKind } from '../../drive/targets/target.ts';
import type { Evaluator } from '../../score/evaluators/evaluator.ts';
import type { ParsedSource } from '../sources/parsed-source.ts';

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
  /** For scenarios in which an agent uses a CLI tool. */
  readonly cliTools?: CliToolDefaults | undefined;
  /** For scenarios in which an agent is talked to. */
  readonly conversations?: ConversationDefaults | undefined;
  /** For scenarios about an MCP server. */
  readonly mcpServers?: McpServerDefaults | undefined;
}

/** A CLI tool that several scenarios share; `${VAR}` in its variables is not expanded yet. */
export interface SharedTarget {
  readonly binary?: string | undefined;
  readonly command_pattern?: string | undefined;
  readonly health_check?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly inputs?: readonly string[] | undefined;
}

/** Agents and models that are tried together under one name; each agent with each model. */
export interface AgentProfile {
  readonly agents: readonly string[];
  /** Empty: whatever each agent takes by itself. */
  readonly models: readonly string[];
}

/** What the command line and the config say of CLI tools and of the agents that use them. */
export interface CliToolDefaults {
  /** For `target: from_config`, and for what a scenario leaves open about the same program. */
  readonly target?: SharedTarget | undefined;
  /** Replaces the program that a scenario names. */
  readonly targetBinary?: string | undefined;
  /** Absolute; templates, guidance and rubrics are looked for in them last. */
  readonly fixturesFolders: readonly string[];
  /** Asked for on the command line; undefined when nothing was. */
  readonly agents: readonly string[] | undefined;
  readonly models: readonly string[] | undefined;
  readonly profile: string | undefined;
  readonly profiles: Readonly<Record<string, AgentProfile>>;
  /** Every agent that a profile may name, and the models that it takes; any model where the list is empty. */
  readonly tools: Readonly<Record<string, { readonly models: readonly string[] }>>;
  /** Who is asked when neither the scenario nor the command line says so. */
  readonly defaultAgent: string;
  /** From the command line; undefined leaves the time limit of the format, which gives agents longer than tools. */
  readonly timeoutSecs?: number | undefined;
}

/** What the command line and the config say of agents that are talked to, and of who talks to them. */
export interface ConversationDefaults {
  /** Of the config, by name; `${VAR}` in their headers is not expanded yet. */
  readonly connectors: Readonly<Record<string, ConnectorSpec>>;
  /** Of the config, by name. */
  readonly personas: Readonly<Record<string, Persona>>;
  /** Every kind of connector that there is; undefined leaves types and configs unchecked. */
  readonly connectorKinds?: readonly ConnectorKind[] | undefined;
  /** Asked for on the command line: they take the place of the connectors that scenarios name. */
  readonly connectorNames?: readonly string[] | undefined;
  /** Takes the place of the addresses of the connectors. */
  readonly connectorUrl?: string | undefined;
  /** Models to try where a scenario names none. */
  readonly models?: readonly string[] | undefined;
}

/** What the command line and the environment say of MCP servers; who drives them is said with `cliTools`. */
export interface McpServerDefaults {
  /** What `${VAR}` is replaced from. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** From the command line; undefined leaves the time that the tests and steps take at most. */
  readonly timeoutSecs?: number | undefined;
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

/** A scenario as it was read, and what its author should know although it can be run. */
export interface ReadScenario extends Scenario {
  readonly warnings?: readonly Problem[];
  /** Absolute folders that it takes its material from: what lies in them is no scenario, whatever it looks like. */
  readonly ownFolders?: readonly string[];
}

/** One scenario of a file, and the part of the file that it is written in. */
export interface ReadPart {
  readonly source: ParsedSource;
  readonly read: ReadScenario | readonly Problem[];
}

/** One known way to write a scenario. */
export interface ScenarioFormat {
  readonly name: string;
  /** Whether the data looks like this format, right or wrong. */
  recognises(value: unknown): boolean;
  /** The scenario, or everything that is wrong with it. */
  read(source: ParsedSource, context: ReadContext): Promise<ReadScenario | readonly Problem[]>;
  /** For a format whose files may hold several scenarios: each by itself, so that a bad one leaves the others. */
  readAll?(source: ParsedSource, context: ReadContext): Promise<readonly ReadPart[]>;
}
