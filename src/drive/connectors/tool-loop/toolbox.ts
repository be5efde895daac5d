import { AssayError } from '../../../domain/errors.ts';
import type { TargetContext } from '../../targets/target.ts';
import { openCommandTool } from './command-tool.ts';
import { openServerTools } from './mcp-tools.ts';
import { openModuleTool } from './module-tool.ts';
import type { OpenTools, RunnableTool, ToolAnswer } from './runnable-tool.ts';
import type { ToolConfig, ToolLoopConfig } from './tool-loop-config.ts';

/** One run of a tool. */
export type ToolRun = ToolAnswer & { readonly durationMs: number };

/** The tools of a connector, ready to be run. */
export class Toolbox implements AsyncDisposable {
  readonly tools: readonly RunnableTool[];
  readonly #open: readonly OpenTools[];
  readonly #timeoutMs: number;

  constructor(open: readonly OpenTools[], timeoutMs: number) {
    this.#open = open;
    this.#timeoutMs = timeoutMs;
    this.tools = open.flatMap(({ tools }) => tools);
  }

  find(name: string): RunnableTool | undefined {
    return this.tools.find((tool) => tool.name === name);
  }

  /** Rejects only when the signal is given: any other failure is the tool's answer. */
  async run(name: string, input: unknown, signal: AbortSignal): Promise<ToolRun> {
    const tool = this.find(name);
    if (!tool) return { error: { message: `There is no tool "${name}". ${this.#available()}` }, durationMs: 0 };
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    const began = performance.now();
    const answer = await tool.run(input, AbortSignal.any([signal, timeout])).catch((thrown: unknown): ToolAnswer => {
      signal.throwIfAborted();
      const message = timeout.aborted ? `Timed out after ${this.#timeoutMs / 1_000} s.` : textOf(thrown);
      return { error: { message } };
    });
    signal.throwIfAborted();
    return { ...answer, durationMs: performance.now() - began };
  }

  #available(): string {
    return `Available: ${this.tools.map(({ name }) => name).join(', ')}.`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#open.map((each) => each[Symbol.asyncDispose]()));
  }
}

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Opens the tools of a connector; one that does not load is an error of the trial, not an answer to the model. */
export async function openToolbox(config: ToolLoopConfig, context: TargetContext): Promise<Toolbox> {
  const timeoutMs = config.timeoutSecs * 1_000;
  const opening = await Promise.allSettled(config.tools.map((tool) => openTool(tool, timeoutMs, context)));
  const open = opening.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const toolbox = new Toolbox(open, timeoutMs);
  const failed = opening.find((each) => each.status === 'rejected');
  const problem = failed ? failed.reason : duplicateIn(toolbox.tools);
  if (problem === undefined) return toolbox;
  await toolbox[Symbol.asyncDispose]();
  throw problem;
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
