import type { ActionKind } from '../../../domain/capability.ts';
import type { ControlKind } from '../../../domain/tool-control/control-event.ts';
import type { ToolError } from '../../../domain/tool-error.ts';
import type { TraceEventOf, UnstampedEvent } from '../../../domain/trace.ts';
import type { ModelTool } from '../../models/model.ts';

/** How a tool answered: with a result or with an error, and both are given to the model. */
export type ToolAnswer = ({ readonly result: unknown } | { readonly error: ToolError }) & {
  /** The control that answered in place of the tool; absent where the tool did. */
  readonly answeredBy?: ControlKind | undefined;
};

/** A tool that is offered to a model and run for it. */
export interface RunnableTool extends ModelTool {
  readonly kind: ActionKind;
  /** The MCP server that has the tool. */
  readonly server?: string | undefined;
  /** Name that the server reports. */
  readonly serverTitle?: string | undefined;
  /** Hints of the server, such as that it only reads. */
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
  /** Rejects only when the signal is given. */
  run(input: unknown, signal: AbortSignal): Promise<ToolAnswer>;
}

/** Whose tools they are. */
export type OfferedTo = NonNullable<TraceEventOf<'mcp-server'>['offeredTo']>;

/** Tools of one entry of the config in one conversation. */
export interface OfferedTools {
  readonly tools: readonly RunnableTool[];
  /** The server that has them, as the conversation met it; absent for tools that are none of a server. */
  readonly server?: Extract<UnstampedEvent, { type: 'mcp-server' }> | undefined;
  /**
   * The tools for the next turn where the server announced a change of them and such changes are accepted; rejects where
   * they are no longer those that were offered. Absent for tools that cannot change.
   */
  next?(signal: AbortSignal): Promise<OfferedTools | undefined>;
}

/** Stands in front of the tools of one trial: what is done to their calls is done there. */
export interface ToolStandIn {
  /** The tools as a model is offered them; undefined where nothing is done to them. */
  offer(tools: RealTools): Promise<OfferedTools | undefined>;
}

/** The tools of a connector or of a user, which a stand-in opens where it needs them. */
export interface RealTools {
  readonly offeredTo: OfferedTo;
  /** Time limit of a call. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  open(): Promise<CallableTools>;
}

/** Tools that are ready to be run. */
export interface CallableTools {
  readonly tools: readonly RunnableTool[];
  /** Rejects only when the signal is given, or where Assay stands in front of the tools and cannot answer. */
  run(name: string, input: unknown, signal: AbortSignal): Promise<ToolAnswer>;
  /** Rejects where tools are no longer those that a model was offered. */
  assertUnchanged(signal: AbortSignal): Promise<void>;
}

/** Tools of one entry of the config. */
export interface OpenTools extends AsyncDisposable {
  readonly tools: readonly RunnableTool[];
  /** The tools as they are when a conversation begins; absent for tools that cannot change. */
  begin?(signal: AbortSignal): Promise<OfferedTools>;
}

/** The parts of a tool of the config that a model sees. */
interface NamedTool {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  readonly kind?: ActionKind | undefined;
}

/** A tool of the config as a model sees it. */
export function offeredAs({
  name = '',
  description = '',
  input = { type: 'object', properties: {} },
  kind = 'other',
}: NamedTool): Omit<RunnableTool, 'run'> {
  return { name, description, kind, inputSchema: input };
}
