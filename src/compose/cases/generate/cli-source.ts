import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, extname, join, resolve } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import { type ListedTool, readTool } from '../../../mcp-check/definitions/listed-server.ts';
import { TimeLimit } from '../../../shared/async.ts';
import { runProcess } from '../../../shared/processes/run-process.ts';
import { expandVariables } from '../../../shared/variables.ts';
import { commandWords } from '../../starters/from-server.ts';
import { SecretPlaceholders } from '../../starters/secret-placeholders.ts';
import { type CliCommand, callFiles, type Program, taskFile } from './cli-files.ts';
import { type CallEnd, expectedEnd } from './expected-answer.ts';
import type { SourceRequest } from './find-source.ts';
import { generatePrompts } from './generate-prompts.ts';
import {
  type CaseSource,
  type GeneratedCall,
  type GeneratedPrompt,
  type ToolSurface,
  usableTools,
} from './generated-case.ts';
import { leftOutTools } from './mcp-source.ts';
import { type HelpText, readHelp } from './read-help.ts';

const mostCommands = 40;
const mostHelpBytes = 1_000_000;

/** A CLI tool by its help texts: direct calls of its commands, and tasks for agents. */
export async function cliSource(request: SourceRequest): Promise<CaseSource> {
  const secrets = new SecretPlaceholders(request.env);
  const program = programOf(request, secrets);
  const isFile = extname(request.from) === '.txt';
  const text = isFile ? await readFile(resolve(request.cwd, request.from), 'utf8') : await helpOf(program, [], request);
  const root = readHelp(text);
  if (isFile && root.commands.length === 0 && root.options.length === 0)
    throw new AssayError('FILE_INVALID', `The help of ${program.name} shows neither commands nor options.`, {
      hint: 'Save a help text that lists them as a .txt file, and name that file.',
    });
  const commands: CliCommand[] = [];
  for (const { name, description } of root.commands.filter((each) => each.name !== 'help').slice(0, mostCommands)) {
    const own = isFile ? '' : await helpOf(program, [name], request).catch(() => '');
    commands.push(commandOf([name], { ...readHelp(own), description: description || readHelp(own).description }));
  }
  if (commands.length === 0) commands.push(commandOf([], root, program.name));
  const tools = commands.map(({ tool }) => tool);
  const surface: ToolSurface = { name: program.name, tools, leftOut: leftOutTools(tools, request) };
  const usable = new Set(usableTools(surface).map(({ name }) => name));
  const planned = [
    ...unknownCommand(root, tools),
    ...commands.flatMap((command) => callsOf(command, usable.has(command.tool.name))),
  ];
  // A help text alone shows nothing of what the program does.
  const calls = isFile ? [] : await repeatableCalls(planned, program, request);
  return {
    surface,
    calls,
    prompts: program.words.length === 1 ? generatePrompts(surface) : [],
    provable: (prompt) => doablePrompt(prompt, commands, calls),
    notes: new Map(isFile ? tools.map(({ name }) => [name, 'what it prints is not known from a help text alone']) : []),
    variables: secrets.variables,
    files: (kept, prompts) => [
      ...callFiles(program, kept, request),
      ...prompts.map((prompt) => taskFile(prompt, program, commands, request)),
    ],
  };
}

/**
 * A task is to run a command, which is possible where the command alone does something in an empty folder. Its output
 * is expected, because a command line such as `tool list || true` ends well whatever the command does; its arguments are
 * not, because a command line decides itself how it takes values.
 */
function doablePrompt(
  { args: _, ...prompt }: GeneratedPrompt,
  commands: readonly CliCommand[],
  calls: readonly GeneratedCall[],
): GeneratedPrompt | undefined {
  if (prompt.tool === undefined) return prompt;
  const words = commands.find(({ tool }) => tool.name === prompt.tool)?.words ?? [];
  const alone = calls.find(({ argv, label }) => label === 'usual' && argv?.join('\0') === words.join('\0'));
  return alone && { ...prompt, printed: alone.printed };
}

function programOf({ from, cwd, env }: SourceRequest, secrets: SecretPlaceholders): Program {
  if (extname(from) === '.txt') {
    const name = basename(from, '.txt').replace(/[-_.]?help$/i, '') || basename(from, '.txt');
    return { words: [name], written: [name], name };
  }
  const words = commandWords(from);
  const last = words.at(-1) ?? '';
  const own = words.length > 1 && ['--help', '-h', 'help'].includes(last) ? words.slice(0, -1) : words;
  const named = nameIn(own, cwd);
  return {
    words: expandVariables(own, env),
    written: secrets.words(own),
    name: basename(named).replace(/\.\w+$/, ''),
  };
}

const script = /\.(?:[cm]?[jt]s|py|rb|sh|pl|php)$/;

/** The word before the first option, which may have a secret as its value; `node --flag tool.mjs` names its script. */
function nameIn(words: readonly string[], cwd: string): string {
  const firstOption = words.findIndex((word) => word.startsWith('-'));
  const leading = firstOption < 0 ? words : words.slice(0, firstOption);
  const isScript = (word: string): boolean => script.test(word) && existsSync(resolve(cwd, word));
  return (leading.length === 1 ? words.find(isScript) : undefined) ?? leading.at(-1) ?? 'tool';
}

async function helpOf(
  { words, written }: Program,
  command: readonly string[],
  request: SourceRequest,
): Promise<string> {
  const line = [...words, ...command, '--help'].map(quoted).join(' ');
  const shownLine = [...written, ...command, '--help'].join(' ');
  using limit = new TimeLimit(request.timeoutMs, request.signal);
  const { signal } = limit;
  const end = await runProcess(line, {
    cwd: request.cwd,
    env: request.env,
    tag: 'assay-generate',
    stdin: '',
    stdoutLimitBytes: mostHelpBytes,
    signal,
  });
  if (signal.aborted) throw new AssayError('TARGET_TIMEOUT', `\`${shownLine}\` did not end in time.`);
  const text = end.stdout.text.trim() === '' ? end.stderr.text : end.stdout.text;
  if (end.exitCode === 126 || end.exitCode === 127 || text.trim() === '') {
    throw new AssayError(
      'TARGET_NOT_LOADED',
      `\`${shownLine}\` printed no help: ${end.stderr.text.trim() || `exit code ${end.exitCode}`}`,
      { hint: 'Check the command line of `--from`: it is run in the current folder.' },
    );
  }
  return text;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function commandOf(words: readonly string[], help: HelpText, name = words.join(' ')): CliCommand {
  const properties = Object.fromEntries([
    ...help.options.map(({ flag, choices, takesValue }) => [bare(flag), schemaOf(choices, takesValue)]),
    ...help.required.map((argument) => [argument, { type: 'string' }]),
  ]);
  const tool = readTool({
    name,
    description: help.description,
    inputSchema: { type: 'object', properties, required: help.required },
  });
  if (!tool) throw new AssayError('INTERNAL', 'A command has no name.');
  return { words, help, tool };
}

function schemaOf(choices: readonly string[], takesValue: boolean): Record<string, unknown> {
  if (choices.length > 0) return { enum: choices };
  return { type: takesValue ? 'string' : 'boolean' };
}

function bare(flag: string): string {
  return flag.replace(/^-+/, '');
}

const strange = 'assay-unknown';

function unknownCommand({ commands }: HelpText, [first]: readonly ListedTool[]): GeneratedCall[] {
  if (commands.length === 0 || !first) return [];
  return [{ tool: first.name, label: 'error-path', title: 'an unknown command is refused', args: {}, argv: [strange] }];
}

/** The help of every command; options and errors only of commands that change nothing, and of the program itself. */
function callsOf({ words, help, tool }: CliCommand, isUsable: boolean): GeneratedCall[] {
  const call = (label: GeneratedCall['label'], title: string, argv: readonly string[], args = {}): GeneratedCall => {
    return { tool: tool.name, label, title, args, argv: [...words, ...argv] };
  };
  const unknown = call('error-path', 'an unknown option is refused', [`--${strange}`]);
  const calls = [call('usual', 'prints its help', ['--help'], { help: true })];
  if (!isUsable) return words.length === 0 ? [...calls, ...versionCalls(help, call), unknown] : calls;
  return [
    ...calls,
    ...versionCalls(help, call),
    ...(help.required.length > 0 ? [] : choiceCalls(help, call)),
    unknown,
    ...help.options
      .filter(({ choices }) => choices.length > 0)
      .map(({ flag }) => call('error-path', `${flag} with a value that it does not have`, [flag, strange])),
    ...(help.required.length > 0 ? [call('error-path', `${help.required[0]} is missing`, [])] : []),
  ];
}

function versionCalls({ options }: HelpText, call: MakeCall): GeneratedCall[] {
  const isThere = options.some(({ flag }) => flag === '--version');
  return isThere ? [call('usual', 'prints its version', ['--version'], { version: true })] : [];
}

type MakeCall = (label: GeneratedCall['label'], title: string, argv: readonly string[], args: object) => GeneratedCall;

function choiceCalls({ options }: HelpText, call: MakeCall): GeneratedCall[] {
  return [
    call('usual', 'without options', [], {}),
    ...options.flatMap(({ flag, choices }) =>
      choices.map((choice) => call('boundary', `${flag} ${choice}`, [flag, choice], { [bare(flag)]: choice })),
    ),
  ];
}

/** Calls that do the same twice in an empty folder, with what they do as their criteria. */
async function repeatableCalls(
  planned: readonly GeneratedCall[],
  program: Program,
  request: SourceRequest,
): Promise<GeneratedCall[]> {
  const secrets = program.words.flatMap((word, index) => (word === program.written[index] ? [] : valuesIn(word)));
  const hides = (line: string): boolean => secrets.some((secret) => line.includes(secret));
  const found: GeneratedCall[] = [];
  for (const call of planned) {
    const { argv = [], label } = call;
    const [first, second] = [await endOf(argv, program, request), await endOf(argv, program, request)];
    const expected = first && second && expectedEnd(label === 'error-path', [first, second], hides);
    if (expected) found.push({ ...call, criteria: expected.criteria, printed: expected.text });
  }
  return found;
}

/** A word and what is behind its `=`. */
function valuesIn(word: string): string[] {
  return [word, word.slice(word.indexOf('=') + 1)];
}

/** Undefined for a call that did not end in time. */
async function endOf(
  argv: readonly string[],
  { words }: Program,
  request: SourceRequest,
): Promise<CallEnd | undefined> {
  const cwd = await mkdtemp(join(tmpdir(), 'assay-generate-'));
  try {
    const started = words.map((word) =>
      word.includes('/') || existsSync(resolve(request.cwd, word)) ? resolve(request.cwd, word) : word,
    );
    using limit = new TimeLimit(request.timeoutMs, request.signal);
    const { signal } = limit;
    const { exitCode, stdout, stderr } = await runProcess([...started, ...argv].map(quoted).join(' '), {
      cwd,
      env: request.env,
      tag: 'assay-generate',
      stdin: '',
      stdoutLimitBytes: mostHelpBytes,
      signal,
    });
    return signal.aborted ? undefined : { exitCode, stdout: stdout.text, stderr: stderr.text };
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}
