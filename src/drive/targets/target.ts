import type * as z from 'zod';
import type { Capability } from '../../domain/capability.ts';
import type { EvaluatedWorkspace, GraderRequest, ScriptEnd } from '../../domain/gate.ts';
import type { Trial } from '../../domain/trial.ts';
import { withLazySchema } from '../../shared/lazy-schema.ts';
import type { Redact } from '../../shared/redaction/redaction.ts';
import type { ProxiedServer } from '../mcp/proxy/open-recording.ts';
import type { McpSessions } from '../mcp/session.ts';
import type { AccountSource } from '../models/account.ts';
import type { Models } from '../models/model.ts';
import type { Paces } from '../pacing/pace.ts';
import type { ToolTapes } from '../tape/tool-tapes.ts';
import type { AgentWork } from './agent-task/agent-work.ts';
import type { Threads } from './call/threads.ts';
import type { StampedTrace } from './stamped-trace.ts';

/** Where a target is opened. */
export interface TargetContext {
  /** Folder of the scenario file: paths in the config are relative to it, programs start in it. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute; undefined where nothing is kept beside the trace. */
  readonly artifactsFolder?: string | undefined;
  /** For targets that run user code in a thread. */
  readonly threads: Threads;
  /** For targets that ask a model themselves, such as one that plays the user; undefined where there are none. */
  readonly models?: (() => Promise<Models>) | undefined;
  /** Spending and limits of the run; undefined where spending is not counted. */
  readonly account?: AccountSource | undefined;
  /** The model that plays those who talk to an agent, where they name none themselves. */
  readonly personaModel?: string | undefined;
  /** How many requests each server takes at a time; undefined where that is not observed. */
  readonly paces?: (() => Promise<Paces>) | undefined;
  /** Takes secrets out of what a target shows to a model. */
  readonly redact?: Redact | undefined;
  /** Recordings of the calls of tools; undefined where they are neither recorded nor replayed. */
  readonly toolTapes?: (() => ToolTapes | undefined) | undefined;
  /** For targets that talk to MCP servers: one open session for each server of the run. */
  readonly mcpSessions?: (() => Promise<McpSessions>) | undefined;
  /** For targets that an agent drives; undefined where there are no agents. */
  readonly agentWork?: (() => Promise<AgentWork>) | undefined;
  /** Aborted when the target is not needed any more, to give up one that never gets ready. */
  readonly signal: AbortSignal;
}

/** Request to an attempt to stop. */
export interface StopRequest {
  readonly isStopped: boolean;
  /** For functions that take an AbortSignal; created on first use, because most attempts end by themselves. */
  readonly signal: AbortSignal;
  /** Calls the listener when the attempt should stop; at once when it should already. */
  onStop(listener: () => void): void;
}

/** Additions of a feature to the surroundings of an agent. */
export interface AgentOffer {
  /** By the names that the agent gets to know. */
  readonly mcpServers?: Readonly<Record<string, ProxiedServer>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Something of it that only an agent with an open network may have, in words. */
  readonly needsOpenNetwork?: string | undefined;
  /** Absolute: the file that keeps the calls of the agent's model, for a process that has to go on with the trial. */
  readonly tapeFile?: string | undefined;
}

/** The work directory of a trial that is set up. */
export interface PreparedWork {
  /** Absolute. */
  readonly directory: string;
  /** Absolute: its files are kept with those of the trial, and the agent does not reach them. */
  readonly keptFolder: string;
  /** Gives the agent more than the scenario names. */
  offer(more: AgentOffer): void;
  /** Runs a command of the scenario's author in it, as `setup` does. */
  run(command: string, request: GraderRequest): Promise<ScriptEnd>;
}

/** How a target that holds a conversation learns whether it should go on, and lets others look before it begins. */
export interface TurnControl {
  /**
   * To be called after the `turn` event of each answer; `isLast` when no further message will be sent in any case. Where
   * finding that out costs something, it is a function that is called only when the answer has not decided the trial.
   */
  afterTurn(isLast: boolean | (() => Promise<boolean>)): Promise<'go on' | 'stop'>;
  /** To be called when everything is set up and nothing has begun; undefined where no feature looks then. */
  readonly prepared?: ((work?: PreparedWork) => Promise<void>) | undefined;
}

/** Left behind by a target for the evaluators, beside the trace. */
export interface Attempt {
  readonly workspace: EvaluatedWorkspace;
  /** To be called once the work was evaluated: puts it where it is kept. Throws where that fails; nothing is lost then. */
  settle(): Promise<void>;
}

/** The thing under test, ready to be tried; it owns its process, worker or connections until it is disposed of. */
export interface Target extends AsyncDisposable {
  /**
   * Tries the tool once and emits what was seen. An answer of the tool, an error answer included, is an event; what
   * keeps the tool from answering is thrown as an AssayError. Must settle soon after a stop was requested.
   */
  attempt(trial: Trial, trace: StampedTrace, stop: StopRequest, turns: TurnControl): Promise<Attempt | undefined>;
}

/** Something in a config that its schema cannot know, such as a file that is not there. */
export interface ConfigIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly hint?: string;
}

interface TargetDescription {
  readonly type: string;
  readonly summary: string;
  readonly provides: readonly Capability[];
  /** Whether an agent works in it: it then keeps the time limit itself, because what was done until then can be judged. */
  readonly isAgentDriven?: boolean;
  /** Whether it says itself, by `prepared`, when what it opens for a trial is open; others open nothing. */
  readonly preparesItself?: true;
  /** The key inside a scenario's `call` that chooses this kind; null for one that is not a call. */
  readonly callKey: string | null;
}

/** A kind of target as the engine and the lists see it. */
export interface TargetKind extends TargetDescription {
  readonly configSchema: z.ZodType;
  /** Looks at what a config names, before anything is run. */
  check?(config: unknown, context: Pick<TargetContext, 'directory'>): readonly ConfigIssue[];
  /** `config` has passed `configSchema` when the scenario was loaded. */
  open(config: unknown, context: TargetContext): Promise<Target>;
}

interface TargetDefinition<Schema extends z.ZodType> extends TargetDescription {
  /** A function is called on first use. */
  readonly configSchema: Schema | (() => Schema);
  check?(config: z.output<Schema>, context: Pick<TargetContext, 'directory'>): readonly ConfigIssue[];
  open(config: z.output<Schema>, context: TargetContext): Promise<Target>;
}

/** Ties the config schema of a target to the code that receives the config. */
export function defineTarget<Schema extends z.ZodType>(definition: TargetDefinition<Schema>): TargetKind {
  return withLazySchema(definition) as unknown as TargetKind;
}
