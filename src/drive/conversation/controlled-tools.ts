import { AssayError } from '../../domain/errors.ts';
import type { EmitTrace } from '../../domain/trace.ts';
import type { Trial } from '../../domain/trial.ts';
import { isRecord } from '../../shared/json.ts';
import type {
  CallableTools,
  OfferedTo,
  OfferedTools,
  RealTools,
  RunnableTool,
  ToolAnswer,
  ToolStandIn,
} from '../connectors/tool-loop/runnable-tool.ts';
import { listedAnswer, listedTool, ToolsWire } from '../connectors/tool-loop/tools-wire.ts';
import type { McpControl } from '../mcp/control/mcp-control.ts';
import { answeredByOf } from '../mcp/control/mcp-reply.ts';
import { trialControl } from '../mcp/control/trial-control.ts';
import type { ServerDefinition } from '../mcp/server-definition.ts';
import type { SessionLease } from '../mcp/session.ts';
import type { TrialTape } from '../tape/tool-tapes.ts';
import type { TargetContext } from '../targets/target.ts';

/** Names of the tools in rules, recordings and messages. */
const names: Readonly<Record<OfferedTo, string>> = { agent: 'toolLoop', user: 'tools of the user' };

/** The control of a trial over the tools that Assay runs for its models: that of MCP servers, with the tools as one. */
export class ControlledTools implements ToolStandIn, AsyncDisposable {
  readonly #trial: Trial;
  readonly #emit: EmitTrace;
  readonly #context: TargetContext;
  readonly #tape: TrialTape | undefined;
  readonly #leases: SessionLease[] = [];

  constructor(trial: Trial, emit: EmitTrace, context: TargetContext) {
    this.#trial = trial;
    this.#emit = emit;
    this.#context = context;
    this.#tape = context.toolTapes?.()?.open(trial, { scenario: context.directory }, emit);
  }

  async offer({ offeredTo, timeoutMs, signal, open }: RealTools): Promise<OfferedTools | undefined> {
    const control = this.#controlOf(offeredTo);
    if (!control.isActive) return undefined;
    let opening: Promise<CallableTools> | undefined;
    const opened = (): Promise<CallableTools> => {
      opening ??= open();
      return opening;
    };
    // A tool that does not load is an error in its own words; a recording needs no tools.
    const real = control.tape?.kind === 'replay' ? undefined : await opened();
    const { mcpSessions, directory, env } = this.#context;
    if (!mcpSessions) throw new AssayError('INTERNAL', 'The MCP sessions of the run are missing.');
    const lease = await (await mcpSessions()).lease(definitionOf(names[offeredTo]), {
      ...{ directory, env, control, timeoutMs, signal },
      openWire: (listener) => new ToolsWire(opened, listener),
    });
    this.#leases.push(lease);
    const listed = await lease.session.listTools({ timeoutMs, signal });
    const run = (name: string) => (input: unknown, callSignal: AbortSignal) =>
      call(lease, name, input, { timeoutMs, signal: callSignal });
    return {
      tools: listed.map((tool): RunnableTool => ({ ...listedTool(tool), run: run(tool.name) })),
      async next(turnSignal) {
        await real?.assertUnchanged(turnSignal);
        return undefined;
      },
    };
  }

  /** A user is not under test: its calls are recorded, and nothing else is done to them. */
  #controlOf(offeredTo: OfferedTo): McpControl {
    const name = names[offeredTo];
    if (offeredTo === 'agent') return trialControl(this.#trial, this.#emit, name, this.#context, this.#tape);
    return trialControl(this.#trial, this.#emit, name, this.#context, this.#tape, { mocks: [], faults: [] });
  }

  /** To be called when the conversation is over: one that was given up leaves no recording. */
  async conclude(): Promise<void> {
    await this.#tape?.conclude();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#leases.map((lease) => lease[Symbol.asyncDispose]()));
  }
}

function definitionOf(command: string): ServerDefinition {
  return { transport: 'stdio', command, args: [], env: {}, protocol: 'legacy' };
}

interface CallLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

async function call(lease: SessionLease, name: string, input: unknown, limits: CallLimits): Promise<ToolAnswer> {
  if (!isRecord(input)) return { error: { message: 'The arguments are not a JSON object.' } };
  try {
    return listedAnswer(await lease.session.callTool(name, input, limits));
  } catch (thrown) {
    const answeredBy = thrown instanceof Error ? answeredByOf(thrown) : undefined;
    const isTimeout = thrown instanceof AssayError && thrown.code === 'MCP_SERVER_TIMEOUT';
    if (isTimeout) return { error: { message: `Timed out after ${limits.timeoutMs / 1_000} s.` }, answeredBy };
    if (answeredBy === undefined) throw thrown;
    return { error: { message: (thrown as Error).message }, answeredBy };
  }
}
