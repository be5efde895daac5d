import { dirname, relative, resolve } from 'node:path';
import { AssayError, asAssayError } from '../../../domain/errors.ts';
import { openSession } from '../../../drive/mcp/open-session.ts';
import { serverDefinitionSchema } from '../../../drive/mcp/server-definition.ts';
import { readSource } from '../../../load/sources/source-file.ts';
import { decideCall } from '../../../mcp-check/calls/reason-to-call.ts';
import type { ListedTool } from '../../../mcp-check/definitions/listed-server.ts';
import { isRefusal, readsLikeError, refusalText } from '../../../mcp-check/session/answer-text.ts';
import { listServer } from '../../../mcp-check/session/list-server.ts';
import { ServerUnderCheck } from '../../../mcp-check/session/server-under-check.ts';
import { isRecord } from '../../../shared/json.ts';
import { printable, shorten } from '../../../shared/text.ts';
import { writtenServer } from '../../starters/from-server.ts';
import { SecretPlaceholders } from '../../starters/secret-placeholders.ts';
import { expectedResult } from './expected-answer.ts';
import type { SourceRequest } from './find-source.ts';
import { generateCalls } from './generate-calls.ts';
import { generatePrompts } from './generate-prompts.ts';
import {
  type CaseSource,
  type GeneratedCall,
  type GeneratedFile,
  type GeneratedPrompt,
  type ToolSurface,
  usableTools,
} from './generated-case.ts';

type Data = Readonly<Record<string, unknown>>;

/** An MCP server: its tools are listed, and those that change nothing are called to see which arguments they take. */
export async function mcpSource(request: SourceRequest): Promise<CaseSource> {
  const { written, directory } = await serverOf(request);
  const definition = serverDefinitionSchema().parse(written);
  const { env, signal, timeoutMs } = request;
  const open = () => openSession(definition, { directory, env, timeoutMs, signal });
  await using server = await ServerUnderCheck.open({ open, timeoutMs, signal }).catch((error) => {
    throw isProgram(request.from) ? withCliHint(asAssayError(error), request.from) : error;
  });
  const { listed } = await listServer(server);
  if (listed.tools.length === 0) throw new AssayError('FILE_INVALID', `${request.from} has no tools.`);
  const surface: ToolSurface = {
    name: printable(listed.facts.name || 'server'),
    tools: listed.tools,
    leftOut: leftOutTools(listed.tools, request),
  };
  const notes = new Map<string, string>();
  const calls: GeneratedCall[] = [];
  const secrets = new SecretPlaceholders(env);
  const hides = (text: string): boolean => secrets.text(text) !== text;
  for (const tool of usableTools(surface)) calls.push(...(await acceptedCalls(tool, server, { notes, hides })));
  const placed = secrets.server(placedServer(written, directory, request));
  return {
    surface,
    calls,
    prompts: generatePrompts(surface),
    notes,
    variables: secrets.variables,
    files: (kept, prompts) => [serverFile(surface, placed, kept, prompts)],
  };
}

/** A program alone may well be a CLI tool. */
function isProgram(from: string): boolean {
  return /^[^\s:]+$/.test(from);
}

function withCliHint(error: AssayError, from: string): AssayError {
  const hint = `Use \`--from "${from} --help"\` if ${from} is a CLI tool; an MCP server must start with this command.`;
  return new AssayError(error.code, error.message, { hint, cause: error });
}

/** Tools that may change something are used only where the user says so. */
export function leftOutTools(
  tools: readonly ListedTool[],
  { callsAll, call, skip }: Pick<SourceRequest, 'callsAll' | 'call' | 'skip'>,
): ReadonlyMap<string, string> {
  return new Map(
    tools.flatMap((tool): [string, string][] => {
      const decision = decideCall(tool, { callsAll, call, skip });
      return 'leftOut' in decision ? [[tool.name, decision.leftOut.replace('calls it', 'includes it')]] : [];
    }),
  );
}

async function serverOf({ from, cwd }: SourceRequest): Promise<{ readonly written: Data; readonly directory: string }> {
  if (!/\.(?:ya?ml|jsonc?)$/i.test(from)) return { written: writtenServer(from), directory: cwd };
  const { value } = await readSource(from, cwd);
  const server = isRecord(value) && isRecord(value.server) ? value.server : undefined;
  if (!server) {
    throw new AssayError('USAGE', `${from} is neither an OpenAPI document nor a file about an MCP server.`, {
      hint: 'Name a file with the key `openapi` or `server`.',
    });
  }
  return { written: server, directory: dirname(resolve(cwd, from)) };
}

/** The server as the new file starts it. */
function placedServer(written: Data, directory: string, { folder }: SourceRequest): Data {
  if (written.url !== undefined) return written;
  const cwd = relative(folder, resolve(directory, String(written.cwd ?? '.'))) || '.';
  return { ...written, cwd };
}

interface Found {
  readonly notes: Map<string, string>;
  /** Texts that a file must not have. */
  hides(text: string): boolean;
}

/**
 * Calls with what both of two tries of them returned. Those that fit the schema and are refused are left out: only their
 * author knows which arguments exist.
 */
async function acceptedCalls(
  tool: ListedTool,
  server: ServerUnderCheck,
  { notes, hides }: Found,
): Promise<GeneratedCall[]> {
  const accepted: GeneratedCall[] = [];
  let refused = 0;
  for (const call of generateCalls(tool)) {
    if (call.label === 'error-path') accepted.push(call);
    else {
      const end = await server.callTool(tool.name, call.args);
      const result = resultOf(end, tool);
      if (result !== undefined) {
        const again = resultOf(await server.callTool(tool.name, call.args), tool);
        accepted.push({
          ...call,
          expected: again === undefined ? {} : expectedResult(call.args, [result, again], hides),
        });
      } else if (++refused === 1) {
        const why = end.kind === 'answer' ? refusalText(end.answer) : end.message;
        notes.set(tool.name, `refused ${call.title}: ${shorten(printable(why), 100)}`);
      }
    }
    if (server.lost !== undefined) throw new AssayError('MCP_SERVER_DIED', server.lost);
  }
  if (accepted.length === 0) notes.set(tool.name, 'no arguments could be made that fit its schema');
  return accepted;
}

/** A result that is neither a refusal nor reads like one. */
function resultOf(end: Awaited<ReturnType<ServerUnderCheck['callTool']>>, { name }: ListedTool): unknown {
  if (end.kind !== 'answer' || end.answer.kind !== 'result') return undefined;
  return isRefusal(end.answer) || readsLikeError(end.answer, name) ? undefined : end.answer.result;
}

const suiteTitles = { usual: 'usual calls', boundary: 'boundary values', 'error-path': 'error paths' } as const;

function serverFile(
  { name }: ToolSurface,
  server: Data,
  calls: readonly GeneratedCall[],
  prompts: readonly GeneratedPrompt[],
): GeneratedFile {
  const labels = ['usual', 'boundary', 'error-path'] as const;
  const suites = labels.flatMap((label) => {
    const tests = calls.filter((call) => call.label === label).map(testOf);
    return tests.length === 0 ? [] : [{ name: `${name}: ${suiteTitles[label]}`, tags: [label], tests }];
  });
  return {
    name: 'server.yaml',
    content: {
      server,
      ...(suites.length > 0 && { toolHealthSuites: suites }),
      ...(prompts.length > 0 && { workflows: prompts.map((prompt) => workflowOf(prompt, name)) }),
    },
  };
}

function testOf({ tool, label, title, args, expected }: GeneratedCall): Data {
  return { name: tool, description: title, args, ...expected, ...(label === 'error-path' && { expectedError: '' }) };
}

function workflowOf({ label, title, text, tool, args, avoids, isFromModel }: GeneratedPrompt, server: string): Data {
  const called = tool === undefined ? [] : [{ type: 'tool-called', config: { tool, ...(args && { args }) } }];
  const avoided = tool === undefined ? ['*'] : avoids === undefined ? [] : [avoids];
  return {
    name: `${server}: ${tool === undefined ? '' : `${tool}, `}${title}`,
    tags: [label, ...(isFromModel ? ['from-model'] : [])],
    steps: [{ user: text, ...(tool !== undefined && { expectTools: [tool] }) }],
    evaluators: [...called, ...avoided.map((name) => ({ type: 'tool-not-called', config: { tool: name } }))],
  };
}
