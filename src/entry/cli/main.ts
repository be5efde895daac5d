import { CommanderError } from 'commander';
import { AssayError, asAssayError, formatPosition } from '../../domain/errors.ts';
import { alikeProblems, formatProblem, type ProblemGroup, ProblemsError } from '../../domain/problem.ts';
import { counted } from '../../shared/format.ts';
import { checkedBy, checkFromNowOn } from '../../shared/project-trust.ts';
import { didYouMean, suggestion } from '../../shared/suggest.ts';
import { type CommandEntry, parserOf } from './command.ts';
import { commandGroups, commands, families, shownCommands } from './commands/index.ts';
import { type CliContext, writeText } from './context.ts';
import { withBorder } from './terminal-border.ts';
import { assertTwoDashes, usageText } from './usage-text.ts';

const listedProblems = 100;

/** An error for people: what happened, where, and what to do. */
function errorText(error: AssayError, withStack: boolean): string {
  const stack = withStack && error.stack ? `\n${error.stack}\n${causeText(error.cause)}` : '';
  if (error instanceof ProblemsError) return `${problemsText(error)}${stack}`;
  const at = error.at ? `${formatPosition(error.at)}: ` : '';
  const hint = error.hint ? `\n  ${error.hint}` : '';
  return `error: ${at}${error.message}${hint}\n${stack}`;
}

function problemsText({ problems }: ProblemsError): string {
  const groups = alikeProblems(problems);
  const first = groups.slice(0, listedProblems);
  const listed = first.map(problemText).join('');
  const unlisted = problems.length - first.reduce((total, { length }) => total + length, 0);
  const more = unlisted > 0 ? `… and ${counted(unlisted, 'more problem')}; \`assay validate --json\` lists all.\n` : '';
  const files = new Set(problems.map((problem) => problem.at.file)).size;
  const where = files === 1 ? '' : ` in ${counted(files, 'file')}`;
  return `${listed}${more}\n${counted(problems.length, 'problem')}${where}; nothing was run.\n`;
}

/** A row of a dataset is rarely alone with its problem: what the file has more often is listed once, with its first place. */
function problemText([first, ...others]: ProblemGroup): string {
  const again = others.length > 0 ? `\n    The same at ${counted(others.length, 'other place')} of the file.` : '';
  return `${formatProblem(first)}${again}\n`;
}

function causeText(cause: unknown): string {
  return cause instanceof Error && cause.stack ? `caused by ${cause.stack}\n` : '';
}

/**
 * Notices output that was lost. A reader that went away, as in `| head`, ends the writing and nothing else, unless a
 * document was requested: half a document is useless.
 */
class OutputWatch {
  readonly #context: CliContext;
  #failure: NodeJS.ErrnoException | undefined;

  constructor(context: CliContext) {
    this.#context = context;
    context.stdout.on('error', (error: NodeJS.ErrnoException) => {
      this.#failure ??= error;
    });
    context.stderr.on('error', () => undefined);
  }

  /** The exit code of the command, or that of lost output where the command itself succeeded. */
  async exitCode(argv: readonly string[], ended: number): Promise<number> {
    // A failed write is reported in a later turn than the one that made it.
    await new Promise((resolve) => setImmediate(resolve));
    const failure = this.#failure;
    if (!failure || (failure.code === 'EPIPE' && !isDocumentRequested(argv))) return ended;
    const why = failure.code === 'EPIPE' ? 'its reader closed the pipe' : failure.message;
    const hint = failure.code === 'EPIPE' ? 'Let the next program read to the end, or write to a file.' : undefined;
    const message = `Standard output could not be written completely: ${why}.`;
    const error = new AssayError('OUTPUT_UNWRITABLE', message, { hint });
    await writeText(this.#context.stderr, errorText(error, false));
    return ended > 1 ? ended : error.exitCode;
  }
}

function isDocumentRequested(argv: readonly string[]): boolean {
  return argv.some((arg, index) => arg === '--json' || (arg === '-' && /^(-o|--output)$/.test(argv[index - 1] ?? '')));
}

/** Runs the command that the arguments name and gives the exit code; never throws. */
export async function main(argv: readonly string[], context: CliContext): Promise<number> {
  const output = new OutputWatch(context);
  const exitCode = await runCommand(argv, withBorder(withoutServerTokens(context)));
  return output.exitCode(argv, exitCode);
}

/** Takes the tokens of servers out of the environment: no tool, agent or other program that is started may have them. */
function withoutServerTokens(context: CliContext): CliContext {
  const { ASSAY_SERVE_TOKEN, ASSAY_COLLECT_TOKEN, ...env } = context.env;
  if (ASSAY_SERVE_TOKEN === undefined && ASSAY_COLLECT_TOKEN === undefined) return context;
  delete process.env.ASSAY_SERVE_TOKEN;
  delete process.env.ASSAY_COLLECT_TOKEN;
  const { cwd, stdout, stderr } = context;
  return {
    ...{ cwd, env, serverTokens: { ASSAY_SERVE_TOKEN, ASSAY_COLLECT_TOKEN }, stdout, stderr },
    get stdin() {
      return context.stdin;
    },
  };
}

async function runCommand(argv: readonly string[], context: CliContext): Promise<number> {
  const [name, ...rest] = argv;
  const isWhole = rest.includes('--all');
  try {
    if (name === undefined || name === '--help' || name === '-h') return await printHelp(context, isWhole);
    if (name !== 'help') return await call(name, rest, context);
    const [named, ...others] = rest;
    return named === undefined ? await printHelp(context, false) : await call(named, [...others, '--help'], context);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const assayError = asAssayError(error);
    await writeText(context.stderr, errorText(assayError, argv.includes('--debug') || argv.includes('-d')));
    return assayError.exitCode;
  }
}

async function call(name: string, given: readonly string[], context: CliContext): Promise<number> {
  const member = findMember(name, given[0]);
  if (!member && isFamilyHelp(name, given)) return await printFamily(name, context);
  const entry = member ?? findCommand(name);
  const args = member ? given.slice(1) : given;
  const command = await entry.load();
  const isHelp = args.includes('--help') || args.includes('-h');
  const parser = parserOf(entry, command, isHelp && args.includes('--all')).configureOutput({
    writeOut: (text) => context.stdout.write(text),
    writeErr: (text) => context.stderr.write(text),
    outputError: (text, writeText) => writeText(usageText(text, entry.name, parser)),
  });
  if (!member && parser.registeredArguments.length === 0) assertNoMember(name, given[0]);
  assertTwoDashes(args, parser);
  parser.parse(args, { from: 'user' });
  const run = (): Promise<number> => command.run({ argv: args, args: parser.args, options: parser.opts(), context });
  const isRunning = typeof entry.runs === 'string' ? args.includes(entry.runs) : entry.runs === true;
  return checked(isRunning, context, run);
}

/** Before anything of a project is run, it is known whether the user wants that. */
async function checked(isRunning: boolean, { cwd, env }: CliContext, run: () => Promise<number>): Promise<number> {
  const { readingChecks, runningChecks } = await import('../../compose/trust/trust-checks.ts');
  if (!isRunning) return checkedBy(readingChecks(cwd, env), run);
  checkFromNowOn(runningChecks(cwd, env));
  return run();
}

/** A word after a family that names none of its commands. */
function assertNoMember(family: string, word = ''): void {
  if (!Object.hasOwn(families, family) || !/^\w/.test(word)) return;
  const members = shownCommands.filter((entry) => entry.name.startsWith(`${family} `));
  const names = members.map((entry) => entry.name.slice(family.length + 1));
  throw new AssayError('USAGE', `Unknown command "${family} ${word}".`, { hint: suggestion(word, names) });
}

/** `mcp check` of `assay mcp check`. */
function findMember(family: string, member = ''): CommandEntry | undefined {
  return shownCommands.find((entry) => entry.name === `${family} ${member}`);
}

/** A family without a command of its name, or whose help is requested. */
function isFamilyHelp(name: string, args: readonly string[]): boolean {
  if (!Object.hasOwn(families, name) || commands.some((entry) => entry.name === name)) return false;
  return !commands.some(({ aliases }) => aliases.includes(name)) || ['--help', '-h'].includes(args[0] ?? '');
}

async function printFamily(name: string, context: CliContext): Promise<number> {
  const members = shownCommands.filter((entry) => entry.name.startsWith(`${name} `));
  const usual = commands.find(({ aliases }) => aliases.includes(name));
  const without = usual ? `Without a command: \`assay ${usual.name}\`.\n` : '';
  const lines = commandLines(members.map((entry) => [entry.name, entry.summary]));
  const text = `Usage: assay ${name} <command> [options]\n\n${families[name]}\n\nCommands:\n${lines}\n${without}`;
  await writeText(context.stdout, `${text}Each command has its own --help.\n`);
  return 0;
}

function findCommand(name: string): CommandEntry {
  const found = commands.find((entry) => entry.name === name || entry.aliases.includes(name));
  if (found) return found;
  if (name.startsWith('-')) {
    const hint = suggestion(name, ['--help', '--version']);
    throw new AssayError('USAGE', `Unknown option "${name}".`, { hint: `${hint} Other options follow a command.` });
  }
  const names = shownCommands.flatMap((entry) => [entry.name, ...entry.aliases]);
  const hint = didYouMean(name, names) ?? 'List the commands with `assay --help`.';
  throw new AssayError('USAGE', `Unknown command "${name}".`, { hint });
}

const helpTail = `Options:
  --version, -v   print the version
  --help, -h      show this help

Tools that fail: \`faults\` of a scenario. Record and replay: \`assay run --record <dir>\`, \`--record-tools <dir>\`.
What a coding agent did with a CLI tool: \`assay show <trial>\`.

Start with \`assay init\`; each command has its own --help. \`assay --help --all\` lists every command.
`;

/** The groups of the help page: a family is one line. */
async function printHelp(context: CliContext, isWhole: boolean): Promise<number> {
  const groups = commandGroups.map(({ title, entries }) => {
    const listed = entries.filter(({ isSeldom }) => isWhole || !isSeldom);
    const rows = listed.map(({ name, summary }): [string, string] => {
      const [family = name] = name.split(' ');
      return Object.hasOwn(families, family) && !isWhole ? [family, families[family] ?? ''] : [name, summary];
    });
    return `${title}:\n${commandLines([...new Map(rows)])}\n`;
  });
  const head = 'assay: Evaluate how well agents use tools, and how well your tools work for agents';
  await writeText(context.stdout, `${head}\n\nUsage: assay <command> [options]\n\n${groups.join('')}${helpTail}`);
  return 0;
}

function commandLines(rows: readonly (readonly [name: string, summary: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length), 10) + 2;
  return rows.map(([name, summary]) => `  ${name.padEnd(width)}${summary}\n`).join('');
}
