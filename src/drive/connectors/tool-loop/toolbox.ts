import { AssayError } from '../../../domain/errors.ts';
import type { EmitTrace } from '../../../domain/trace.ts';
import { controlFaults } from '../../mcp/control/mcp-reply.ts';
import type { TargetContext } from '../../targets/target.ts';
import { openCommandTool } from './command-tool.ts';
import { openServerTools } from './mcp-tools.ts';
import { openModuleTool } from './module-tool.ts';
import type {
  CallableTools,
  OfferedTo,
  OfferedTools,
  OpenTools,
  RunnableTool,
  ToolAnswer,
  ToolStandIn,
} from './runnable-tool.ts';
import type { ToolConfig, ToolLoopConfig } from './tool-loop-config.ts';

/** One run of a tool. */
export type ToolRun = ToolAnswer & { readonly durationMs: number };

/** The tools of a connector or of a user, open for all of their conversations. */
export class Toolbox implements AsyncDisposable {
  readonly #config: ToolLoopConfig;
  readonly #context: TargetContext;
  #opening: Promise<readonly OpenTools[]> | undefined;

  constructor(config: ToolLoopConfig, context: TargetContext) {
    this.#config = config;
    this.#context = context;
  }

  /** The tools as one conversation gets them; servers that have some of them are emitted. */
  async begin(
    signal: AbortSignal,
    offeredTo: OfferedTo,
    emit?: EmitTrace,
    standIn?: ToolStandIn,
  ): Promise<ConversationTools> {
    const timeoutMs = this.#config.timeoutSecs * 1_000;
    const onServer: OnServer = (server) => emit?.({ ...server, offeredTo });
    const open = async (): Promise<ConversationTools> => {
      const offered = await Promise.all((await this.open()).map((each) => each.begin?.(signal) ?? each));
      return new ConversationTools(offered, timeoutMs, onServer);
    };
    const offered = await standIn?.offer({ offeredTo, timeoutMs, signal, open });
    return offered ? new ConversationTools([offered], timeoutMs + guardMs, onServer) : open();
  }

  /** Rejects where a tool does not load; what was opened beside it is closed. */
  open(): Promise<readonly OpenTools[]> {
    this.#opening ??= openTools(this.#config, this.#context);
    return this.#opening;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await closeAll((await this.#opening?.catch(() => undefined)) ?? []);
  }
}

/** A stand-in keeps the time limit of the tools; this much later it is given up. */
const guardMs = 5_000;

type MetServer = NonNullable<OfferedTools['server']>;
type OnServer = (server: MetServer) => void;

/** The tools of one conversation, ready to be run. */
export class ConversationTools implements CallableTools {
  #offered: readonly OfferedTools[];
  readonly #timeoutMs: number;
  readonly #onServer: OnServer;

  constructor(offered: readonly OfferedTools[], timeoutMs: number, onServer: OnServer) {
    this.#offered = offered;
    this.#timeoutMs = timeoutMs;
    this.#onServer = onServer;
    for (const { server } of offered) if (server) onServer(server);
    this.#assertNamedApart();
  }

  get tools(): readonly RunnableTool[] {
    return this.#offered.flatMap(({ tools }) => tools);
  }

  find(name: string): RunnableTool | undefined {
    return this.tools.find((tool) => tool.name === name);
  }

  /** Rejects where tools are no longer those that a model was offered; changes that were announced are taken over. */
  async assertUnchanged(signal: AbortSignal): Promise<void> {
    this.#offered = await Promise.all(
      this.#offered.map(async (each) => {
        const next = await each.next?.(signal);
        if (next?.server) this.#onServer({ ...next.server, isAnnounced: true });
        return next ?? each;
      }),
    );
    this.#assertNamedApart();
  }

  /** Any failure of the tool is its answer. */
  async run(name: string, input: unknown, signal: AbortSignal): Promise<ToolRun> {
    const tool = this.find(name);
    if (!tool) return { error: { message: `There is no tool "${name}". ${this.#available()}` }, durationMs: 0 };
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    const began = performance.now();
    const answer = await tool.run(input, AbortSignal.any([signal, timeout])).catch((thrown: unknown): ToolAnswer => {
      signal.throwIfAborted();
      if (thrown instanceof AssayError && controlFaults.has(thrown.code)) throw thrown;
      const message = timeout.aborted ? `Timed out after ${this.#timeoutMs / 1_000} s.` : textOf(thrown);
      return { error: { message } };
    });
    signal.throwIfAborted();
    return { ...answer, durationMs: performance.now() - began };
  }

  #assertNamedApart(): void {
    const problem = duplicateIn(this.tools);
    if (problem) throw problem;
  }

  #available(): string {
    return `Available: ${this.tools.map(({ name }) => name).join(', ')}.`;
  }
}

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Opens the tools of a connector; one that does not load is an error of the trial, not an answer to the model. */
export async function openToolbox(config: ToolLoopConfig, context: TargetContext): Promise<Toolbox> {
  const toolbox = new Toolbox(config, context);
  // A recording answers in place of tools that may be gone.
  if (!context.toolTapes?.()?.isReplay) await toolbox.open();
  return toolbox;
}

async function openTools(config: ToolLoopConfig, context: TargetContext): Promise<readonly OpenTools[]> {
  const timeoutMs = config.timeoutSecs * 1_000;
  const opening = await Promise.allSettled(config.tools.map((tool) => openTool(tool, timeoutMs, context)));
  const open = opening.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failed = opening.find((each) => each.status === 'rejected');
  const problem = failed ? failed.reason : duplicateIn(open.flatMap(({ tools }) => tools));
  if (problem === undefined) return open;
  await closeAll(open);
  throw problem;
}

async function closeAll(open: readonly OpenTools[]): Promise<void> {
  await Promise.all(open.map((each) => each[Symbol.asyncDispose]()));
}

function openTool(config: ToolConfig, timeoutMs: number, context: TargetContext): Promise<OpenTools> {
  const { module, command, server } = config;
  if (server) return openServerTools(server, config, timeoutMs, context);
  if (module !== undefined) return openModuleTool(module, config, context);
  return openCommandTool(command ?? '', config, context);
}

function duplicateIn(tools: readonly RunnableTool[]): AssayError | undefined {
  const names = tools.map(({ name }) => name);
  const duplicate = names.find((name, index) => names.indexOf(name) < index);
  if (duplicate === undefined) return undefined;
  return new AssayError('TARGET_NOT_LOADED', `Two tools of the connector are named "${duplicate}".`, {
    hint: 'Rename one, or choose the tools of a server with `only`.',
  });
}
