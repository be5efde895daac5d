import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { executesCodeToOpen } from '../../compose/config/find-config.ts';
import { version } from '../../compose/program.ts';
import { asAssayError, formatPosition } from '../../domain/errors.ts';
import { ProblemsError } from '../../domain/problem.ts';
import { counted } from '../../shared/format.ts';
import type { ServedTool, ToolContext } from './served-tool.ts';
import { boundedAnswer, clipped } from './text.ts';
import { servedTools } from './tools/index.ts';

/** Where the tools work. */
export type ServedProject = Pick<ToolContext, 'folder' | 'env' | 'storeUrl'>;

const listedProblems = 20;

const instructions =
  'Assay runs evaluations of tools, MCP servers and agents in this project. Usual order: list_scenarios, validate after changing a file, run (narrowed down), show with a trial id to see why it failed, compare with an earlier run after a change.';

/** Servers with Assay's tools, one for each connection or request, and the calls that they still work on. */
export class AssayServers {
  readonly #project: ServedProject;
  readonly #ending: AbortSignal;
  readonly #calls = new Set<Promise<unknown>>();

  /** `ending` ends every call. */
  constructor(project: ServedProject, ending: AbortSignal) {
    this.#project = project;
    this.#ending = ending;
  }

  readonly make = (): McpServer => {
    // The list of tools is the same as long as the program runs.
    const capabilities = { tools: { listChanged: false } };
    const server = new McpServer({ name: 'assay', title: 'Assay', version }, { instructions, capabilities });
    const readsByCode = executesCodeToOpen(this.#project.folder);
    for (const tool of servedTools) {
      const { name, title, description, inputSchema, outputSchema, annotations: hints } = tool;
      const annotations = readsByCode ? { ...hints, readOnlyHint: false } : hints;
      const config = { title, description, inputSchema, outputSchema, annotations };
      server.registerTool(name, config, (input, context) => {
        const call = answer(tool, input, contextOf(this.#project, context, this.#ending));
        this.#calls.add(call);
        return call.finally(() => this.#calls.delete(call));
      });
    }
    return server;
  };

  /** Resolves when no call runs any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#calls);
  }
}

function contextOf(
  { folder, env, storeUrl }: ServedProject,
  { mcpReq: { signal, notify, _meta } }: ServerContext,
  ending: AbortSignal,
): ToolContext {
  const progressToken = _meta?.progressToken;
  return {
    folder,
    env,
    storeUrl,
    signal: AbortSignal.any([signal, ending]),
    progress(progress, total, message) {
      if (progressToken === undefined) return;
      const params = { progressToken, progress, total, message };
      // A client that went away gets no answer; its call is ended by the signal.
      notify({ method: 'notifications/progress', params }).catch(() => undefined);
    },
  };
}

async function answer(tool: ServedTool, input: unknown, context: ToolContext) {
  try {
    const { data, text } = await tool.call(input, context);
    return { structuredContent: data as Record<string, unknown>, content: [{ type: 'text' as const, text }] };
  } catch (error) {
    return { isError: true, content: [{ type: 'text' as const, text: errorText(error) }] };
  }
}

function errorText(thrown: unknown): string {
  const error = asAssayError(thrown);
  if (!(error instanceof ProblemsError)) {
    const at = error.at ? `${formatPosition(error.at)}: ` : '';
    return boundedAnswer([`${error.code}: ${at}${clipped(error.message, 2_000)}`, clipped(error.hint, 1_000)]);
  }
  const { problems, code } = error;
  const listed = problems.slice(0, listedProblems).map(({ at, message, hint }) => {
    return `${formatPosition(at)}: ${clipped(message)}${hint ? ` (${clipped(hint)})` : ''}`;
  });
  const more = problems.length > listedProblems ? 'Call validate to see all of them.' : '';
  return boundedAnswer([`${code}: ${counted(problems.length, 'problem')}; nothing was run.`, ...listed, more]);
}
