import type { Approver } from '../../domain/approval-event.ts';
import type { Report } from '../../domain/capability.ts';
import type { AssayError } from '../../domain/errors.ts';
import type { EmitTrace } from '../../domain/trace.ts';
import type { ModelApi } from '../../domain/trace-schema.ts';
import type { Usage } from '../../domain/usage.ts';
import { type AgentActions, reportsOfActions } from './actions.ts';
import type { HarnessWays, LaidHarness } from './harness.ts';
import type { AgentScript } from './scripted/script.ts';

/** An MCP server that is handed to an agent. */
export type AgentMcpServer =
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** Settings of an agent in the project's config. */
export interface AgentSettings {
  /** Shell command that starts it, instead of the program that its kind looks for. */
  readonly command?: string | undefined;
  /** The version that is installed for it, instead of the program on PATH. */
  readonly version?: string | undefined;
  /** How its output is to be read, where that is not fixed by its kind. */
  readonly format?: string | undefined;
  /** Where its model is reached, instead of the provider's own address. */
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly model?: string | undefined;
  /** Further environment variables; their values are expanded already. */
  readonly env: Readonly<Record<string, string>>;
  /** Further arguments, last before the prompt. */
  readonly args: readonly string[];
  /** Files of the work directory that it reads as instructions, the preferred one first, where its kind does not know. */
  readonly instructionFiles?: readonly string[] | undefined;
  /** Whether it runs in a pseudo-terminal instead of with pipes. */
  readonly terminal?: boolean | undefined;
  /** False: the agent reaches its model without the gateway. */
  readonly gateway?: false | GatewaySettings | undefined;
  /** The script that a scripted agent follows. */
  readonly script?: AgentScriptFile | undefined;
}

/** Tasks of the gateway beside recording. */
export interface GatewaySettings {
  /** The model that every request goes to: the one that is named, or with `true` the model of the variant. */
  readonly pinModel?: boolean | string | undefined;
}

interface AgentScriptFile {
  /** Absolute. */
  readonly path: string;
  load(): Promise<AgentScript>;
}

/** Where a line was printed; in a terminal, stdout and stderr are one. */
type AgentChannel = 'stdout' | 'stderr' | 'terminal';

/** How a process is started. */
export interface AgentLaunch {
  /** Program and arguments; no shell looks at them. */
  readonly argv: readonly [string, ...string[]];
  /** Beside the clean environment of the session. */
  readonly env: Readonly<Record<string, string>>;
  /** Text for its stdin, which is closed after it; `open` leaves it open for `write`. */
  readonly stdin: string | 'open';
  /** Receives each line without its end. Lines and the whole output are bounded: what is too long is cut and marked. */
  readonly onLine: (line: string, channel: AgentChannel) => void;
}

/** How a process of the agent ended. */
export interface AgentExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Ended by us because the time was up. */
  readonly timedOut: boolean;
}

/** A running process of the agent. */
export interface AgentProcess {
  write(text: string): void;
  closeInput(): void;
  /** Asks it to end, and ends it with all that it started if it does not. */
  stop(): void;
  /** Settles when the process has ended and its output was read. */
  readonly ended: Promise<AgentExit>;
}

/** Tokens that an agent has used so far with one model, available while it still works. */
export interface RunningUsage extends Usage {
  /** Undefined: the model of the session. */
  readonly model?: string | undefined;
}

/** Receives the usage so far; each call replaces the one before. */
export type NoteUsage = (soFar: readonly RunningUsage[]) => void;

/** One task for one agent in one work directory. */
export interface AgentSession {
  readonly prompt: string;
  /** Undefined: the agent's default model. */
  readonly model: string | undefined;
  /** Absolute, fresh and empty: the agent's HOME, into which its settings are written. */
  readonly home: string;
  /** Absolute: where the agent starts. */
  readonly workDirectory: string;
  /** Absolute path of the agent's program; the kind's name for it where the settings give a command. */
  readonly program: string;
  /** The clean environment of the agent, for kinds that look at it; `start` passes it on. */
  readonly env: Readonly<Record<string, string>>;
  readonly settings: AgentSettings;
  readonly mcpServers: Readonly<Record<string, AgentMcpServer>>;
  /** Undefined where the variant has none. */
  readonly harness?: LaidHarness | undefined;
  readonly maxTurns: number | undefined;
  /** Answers what the agent asks its user for. */
  readonly approver: Approver;
  readonly emit: EmitTrace;
  /** Receives the usage so far, to stop the agent at a cost limit while it works. */
  readonly noteUsage: NoteUsage;
  /** Whether time is up or the user has interrupted; the processes of the agent are ended then. */
  readonly isStopped: boolean;
  start(launch: AgentLaunch): AgentProcess;
}

/** How the agent ended, by its own report and its exit code. */
export interface AgentReport {
  readonly exit: AgentExit;
  /** Ended by itself with exit code 0 and reported no error. */
  readonly completed: boolean;
  /** Why it did not complete, in the agent's words where it reported some. */
  readonly reason: string | null;
  /** The fault that kept the agent from working at all (its provider, its set-up, or a crash); then nothing can be judged. */
  readonly fault: AssayError | undefined;
  readonly turns?: number | undefined;
}

/**
 * Reads the output of an agent and emits it as trace events. It accounts for every line: what it cannot place is a gap
 * in the trace, and never fatal.
 */
export interface AgentStream {
  line(text: string): void;
  errorLine(text: string): void;
  /** To be called once, after the last line; an agent that was stopped by us owes no end of its output. */
  finish(exit: AgentExit, wasStopped?: boolean): AgentReport;
}

export type OpenAgentStream = (emit: EmitTrace, noteUsage?: NoteUsage) => AgentStream;

/** Which parts of its work an agent reports, and when. */
interface AgentReporting {
  /** Its messages and tool calls; unknown for a program whose output only its user knows. */
  readonly work: 'live' | 'at-end' | 'unknown';
  /** Its tokens or its cost. */
  readonly usage: 'live' | 'at-end' | 'never' | 'unknown';
  /** Its tools and sub-agents; undefined where its output shows no tool calls, or depends on the program. */
  readonly actions?: AgentActions;
}

/** Where an agent looks for instructions in its work directory; paths are relative to it. */
export interface AgentInstructions {
  /** In the agent's order of preference: guidance goes to the first. */
  readonly files: readonly string[];
  /** Folders with one folder per skill: skills go to the first. */
  readonly skillFolders: readonly string[];
  /** The oldest version that reads them, where older supported versions do not. */
  readonly since?: { readonly files?: string; readonly skills?: string };
}

/** The convention that agents share unless they declare another. */
const usualInstructions: AgentInstructions = { files: ['AGENTS.md'], skillFolders: ['.agents/skills'] };

/** How an agent reaches its model, for an agent whose base URL can be set. */
export interface AgentModelApi {
  /** Null where only the user's program knows it. */
  readonly api: ModelApi | null;
  /** The provider's own address; null for an agent that uses a configured address only where one is set. */
  readonly defaultUrl: string | null;
  /** Variables from which it takes the address, the first that is set. */
  readonly urlVariables: readonly string[];
  /** Variables from which it takes the key for that address. */
  readonly keyVariables: readonly string[];
}

/** One kind of agent. */
export interface AgentKind {
  readonly name: string;
  readonly summary: string;
  /** Name of its program on PATH; null for a kind whose command is in its settings. */
  readonly program: string | null;
  readonly versionArguments: readonly string[];
  /** Older ones print something else. */
  readonly oldestVersion?: string;
  /** How to get it, for a person. */
  readonly install: string;
  /** Package that holds its program, from which a version can be installed. */
  readonly npmPackage?: string;
  /** Package that held it before it was renamed. */
  readonly earlierPackage?: { readonly name: string; readonly before: string };
  /** Variables of the user's environment that it receives; all others are withheld. */
  readonly inheritedVariables: readonly string[];
  /** It needs one of these to reach its model; none when the list is empty. */
  readonly keyVariables: readonly string[];
  readonly reports: AgentReporting;
  /** Undefined: the shared convention, AGENTS.md and .agents/skills. */
  readonly instructions?: AgentInstructions;
  /** Undefined where it cannot be sent to another address. */
  readonly modelApi?: AgentModelApi;
  /** Whether no model decides anything in it. */
  readonly isScripted: boolean;
  /** Whether its own limit of turns counts more than the answers of its model, in any version. */
  readonly countsOtherTurns?: true;
  /** Whether it exchanges messages with its process over stdin, which a terminal would change. */
  readonly needsPipes?: boolean;
  /** Whether it asks its user for permission when it runs without a terminal; others cannot have a policy of approvals. */
  readonly asks?: true;
  /** Undefined where it can be handed none. */
  readonly harness?: HarnessWays;
  /** It stands in for an agent, to find out what a task demands: nothing is handed to it. */
  readonly isStandIn?: true;
  drive(session: AgentSession): Promise<AgentReport>;
}

/** The reports of an agent, as evaluators name them. */
export function reportsOf({ reports: { actions, usage } }: Pick<AgentKind, 'reports'>, hasGateway = false): Report[] {
  const reportsUsage = hasGateway || usage === 'live' || usage === 'at-end';
  return [
    ...(actions === undefined ? [] : reportsOfActions(actions)),
    ...(reportsUsage ? ['usage' as const] : []),
    'latency',
  ];
}

/** Where an agent looks for instructions, by its settings or else by its kind. */
export function instructionsOf({ kind, settings }: Pick<FoundAgent, 'kind' | 'settings'>): AgentInstructions {
  const { instructions = usualInstructions } = kind;
  const { instructionFiles = [] } = settings;
  return instructionFiles.length === 0 ? instructions : { ...instructions, files: instructionFiles };
}

/** An agent that can be started here. */
export interface FoundAgent {
  readonly kind: AgentKind;
  readonly settings: AgentSettings;
  readonly program: string;
  readonly version: string | null;
}

/** The agents of a project by the ids that scenarios use. */
export interface Agents {
  /** Throws an AssayError that names what is missing and how to get it. */
  find(id: string): Promise<FoundAgent>;
}
