import { join, relative } from 'node:path';
import { stringify } from 'yaml';
import { openSession } from '../../drive/mcp/open-session.ts';
import { type ServerDefinition, serverDefinitionSchema } from '../../drive/mcp/server-definition.ts';
import { pinsOf } from '../../mcp-check/baseline.ts';
import { type CallPlan, planCalls } from '../../mcp-check/calls/plan-calls.ts';
import type { ListedTool } from '../../mcp-check/definitions/listed-server.ts';
import { isRefusal, readsLikeError, refusalText } from '../../mcp-check/session/answer-text.ts';
import { listServer } from '../../mcp-check/session/list-server.ts';
import { ServerUnderCheck } from '../../mcp-check/session/server-under-check.ts';
import { canonicalJson, isRecord, parseJson } from '../../shared/json.ts';
import { redactDeep } from '../../shared/redaction/redaction.ts';
import { printable, shorten } from '../../shared/text.ts';
import { secretRedaction } from '../config/redaction.ts';
import type { Starter } from './index.ts';
import { SecretPlaceholders, unsetVariablesText } from './secret-placeholders.ts';

interface ServerStart {
  /** A command line or a URL. */
  readonly server: string;
  /** Where the command runs. */
  readonly cwd: string;
  /** The folder of the new project. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const callsPerTool = 2;
const longestResult = 2_000;

/** A project for the user's own server: tests with the results that were observed, and a baseline of its definitions. */
export async function starterFromServer(start: ServerStart): Promise<Starter> {
  const { cwd, folder, env, timeoutMs, signal } = start;
  const written = writtenServer(start.server);
  const definition: ServerDefinition = serverDefinitionSchema().parse(written);
  const open = () => openSession(definition, { directory: cwd, env, timeoutMs, signal });
  await using server = await ServerUnderCheck.open({ open, timeoutMs, signal });
  const { listed } = await listServer(server);
  const tests: ObservedTest[] = [];
  const uncalled: string[] = [];
  for (const tool of listed.tools) {
    const settings = { callsAll: false, call: [], skip: [], callsPerTool, seed: 1, knownArguments: new Map() };
    const plan = planCalls(tool, settings);
    if (plan.leftOut === undefined) tests.push(...(await observe(server, tool, plan)));
    else uncalled.push(`${tool.name}: ${plan.leftOut.replace(' (--call calls it)', '')}`);
  }
  const redact = secretRedaction(env);
  const ownFolder = relative(join(folder, 'scenarios'), cwd);
  const placed = definition.transport === 'stdio' ? { ...written, cwd: ownFolder === '' ? '.' : ownFolder } : written;
  const secrets = new SecretPlaceholders(env);
  const harmless = tests.map((test) => withoutSecrets(test, redactDeep(test, redact)));
  const withVariables = secrets.server(placed);
  const remarks = [...unsetVariablesText(secrets.variables), ...uncalledText(uncalled)];
  const suite = suiteText(listed.facts.name || 'server', withVariables, harmless, remarks, listed.tools);
  return {
    kind: 'mcp-server',
    summary: 'your own MCP server',
    files: [
      { path: 'assay.config.yaml', purpose: 'defaults of the project', text: 'scenarios: [scenarios]\n' },
      { path: 'scenarios/server.yaml', purpose: 'the server and tests of its tools, to confirm', text: suite },
      {
        path: 'mcp-pins.json',
        purpose: 'its definitions, for assay mcp check --baseline',
        text: `${JSON.stringify(redactDeep(pinsOf(listed), redact), null, 2)}\n`,
      },
    ],
  };
}

/** A URL is reached; a command line is started, by a shell only where it needs one. */
export function writtenServer(server: string): Record<string, unknown> {
  if (/^https?:\/\//i.test(server)) return { transport: 'shttp', url: server };
  if (/[$|&;<>`()*\\]/.test(server)) return { transport: 'stdio', command: 'sh', args: ['-c', server] };
  const [command = '', ...args] = commandWords(server);
  return { transport: 'stdio', command, args };
}

/** The words of a command line without a shell; quotes keep words together. */
export function commandWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}

interface ObservedTest {
  readonly name: string;
  readonly description: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly expectedResult?: unknown;
  readonly expectedError?: string;
}

/** Calls a tool with each set of arguments twice: only a result that stays the same is expected again. */
async function observe(
  server: ServerUnderCheck,
  tool: ListedTool,
  plan: Extract<CallPlan, { leftOut: undefined }>,
): Promise<ObservedTest[]> {
  const different = new Map(plan.valid.map((args) => [canonicalJson(args), args]));
  const tests: ObservedTest[] = [];
  for (const args of different.values()) {
    if (server.lost !== undefined) break;
    const [first, second] = [await server.callTool(tool.name, args), await server.callTool(tool.name, args)];
    if (first.kind !== 'answer' || second.kind !== 'answer') continue;
    const { answer } = first;
    // Generated arguments may rightly be refused; what is right is for the author to say.
    if (isRefusal(answer) || readsLikeError(answer, tool.name) || answer.kind === 'error') continue;
    const result = resultValue(answer.result);
    const isStable =
      second.answer.kind === 'result' && canonicalJson(resultValue(second.answer.result)) === canonicalJson(result);
    const isShort = (JSON.stringify(result) ?? '').length <= longestResult;
    const description = isStable && isShort ? 'observed, to confirm' : 'answers with a result';
    tests.push({ name: tool.name, description, args, ...(isStable && isShort && { expectedResult: result }) });
  }
  return [...tests, ...(await observeRefusal(server, tool, plan))];
}

/** A wrong call whose refusal names the argument is a test as well. */
async function observeRefusal(
  server: ServerUnderCheck,
  tool: ListedTool,
  { probes }: Extract<CallPlan, { leftOut: undefined }>,
): Promise<ObservedTest[]> {
  const probe = probes.find(({ defect }) => defect === 'missing');
  if (probe?.argument === undefined || server.lost !== undefined) return [];
  const end = await server.callTool(tool.name, probe.args);
  if (end.kind !== 'answer' || !isRefusal(end.answer)) return [];
  if (!refusalText(end.answer).includes(probe.argument)) return [];
  const description = `refuses a call without ${probe.argument}`;
  return [{ name: tool.name, description, args: probe.args, expectedError: probe.argument }];
}

/** A result that holds a secret of the environment is not kept, and so it cannot be expected. */
function withoutSecrets(test: ObservedTest, redacted: ObservedTest): ObservedTest {
  if (canonicalJson(test) === canonicalJson(redacted)) return test;
  const { expectedResult: _, ...others } = redacted;
  return { ...others, description: 'answers with a result' };
}

function resultValue({ structuredContent, content }: Readonly<Record<string, unknown>>): unknown {
  if (structuredContent !== undefined) return structuredContent;
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  const [only, ...others] = blocks;
  if (others.length > 0 || typeof only?.text !== 'string') return { content };
  return parseJson(only.text) ?? only.text;
}

function uncalledText(uncalled: readonly string[]): string[] {
  if (uncalled.length === 0) return [];
  const listed = uncalled.map((line) => `- ${shorten(printable(line), 200)}`);
  return ['Not called, because they may change something or could not be called:', ...listed];
}

function suiteText(
  name: string,
  server: Readonly<Record<string, unknown>>,
  tests: readonly ObservedTest[],
  remarks: readonly string[],
  tools: readonly ListedTool[],
): string {
  const title = shorten(printable(name), 80);
  const data = { server, ...(tests.length > 0 && { toolHealthSuites: [{ name: title, tests }] }) };
  const [first] = tools;
  const comments = [
    ...remarks,
    'A model can use the tools to do a task (assay list models lists the available ones):',
    'workflows:',
    '  - name: A task of your users',
    `    steps: [{ user: Write the task here., expectTools: [${shorten(printable(first?.name ?? 'tool'), 80)}], expectedState: text of the answer }]`,
  ];
  return [
    '# Results were observed when this file was written: confirm each, and change what is wrong.',
    '# Check the definitions with: assay mcp check --baseline mcp-pins.json scenarios/server.yaml',
    stringify(data, { lineWidth: 120 }).trimEnd(),
    ...comments.map((line) => `# ${line}`),
    '',
  ].join('\n');
}
