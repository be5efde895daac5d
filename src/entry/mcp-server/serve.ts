import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { version } from '../../compose/program.ts';
import { asAssayError, formatPosition } from '../../domain/errors.ts';
import { ProblemsError } from '../../domain/problem.ts';
import { counted } from '../../shared/format.ts';
import type { ServedTool, ToolContext } from './served-tool.ts';
import { boundedAnswer, clipped } from './text.ts';
import { servedTools } from './tools/index.ts';

interface ServeOptions extends Pick<ToolContext, 'folder' | 'env' | 'storeUrl'> {
  readonly stdin: Readable;
  /** Carries the protocol and nothing else. */
  readonly stdout: Writable;
  /** Ends the server, and with it every run. */
  readonly signal: AbortSignal;
  /** For what the protocol has no place for. */
  readonly log: (message: string) => void;
}

const listedProblems = 20;

const instructions =
  'Assay runs evaluations of tools, MCP servers and agents in this project. Usual order: list_scenarios, validate after changing a file, run (narrowed down), show with a trial id to see why it failed, compare with an earlier run after a change.';

/** Serves the tools over stdio until the client goes away or the signal comes; every call has ended by then. */
export async function serveAssay(options: ServeOptions): Promise<void> {
  const { stdin, stdout, log } = options;
  const ending = new AbortController();
  const calls = new Set<Promise<unknown>>();
  class Connection extends StdioServerTransport {
    override async close(): Promise<void> {
      ending.abort();
      await super.close();
    }
  }
  const signal = AbortSignal.any([options.signal, ending.signal]);
  const makeServer = (): McpServer => {
    const server = new McpServer({ name: 'assay', title: 'Assay', version }, { instructions });
    for (const tool of servedTools) {
      const { name, title, description, inputSchema, outputSchema, annotations } = tool;
      const config = { title, description, inputSchema, outputSchema, annotations };
      server.registerTool(name, config, (input, context) => {
        const call = answer(tool, input, contextOf(options, context, signal));
        calls.add(call);
        return call.finally(() => calls.delete(call));
      });
    }
    return server;
  };
  const onerror = (error: Error): void => log(error.message);
  const handle = serveStdio(makeServer, { transport: new Connection(stdin, stdout), onerror });
  if (!signal.aborted) await once(signal, 'abort');
  await Promise.allSettled(calls);
  await handle.close();
}

function contextOf(
  { folder, env, storeUrl }: ServeOptions,
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
