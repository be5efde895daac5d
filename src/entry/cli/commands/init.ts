import { existsSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Starter } from '../../../compose/starters/index.ts';
import { starters } from '../../../compose/starters/index.ts';
import { AssayError } from '../../../domain/errors.ts';
import { makeFolders } from '../../../shared/make-folders.ts';
import { suggestion } from '../../../shared/suggest.ts';
import type { CliCommand } from '../command.ts';
import { type CliContext, isWatched, write } from '../context.ts';
import { numberOption, textOption } from '../options/values.ts';
import { Interrupt } from '../process.ts';

/** The named kind; otherwise a person is prompted, and a script gets the first. Undefined after Ctrl-C. */
async function chooseStarter(named: unknown, context: CliContext): Promise<Starter | undefined> {
  if (typeof named === 'string') return findStarter(named);
  const [first] = starters;
  if (!first) throw new AssayError('INTERNAL', 'There are no starter projects.');
  const isInteractive = context.stdin.isTTY === true && isWatched(context.stdout, context.env);
  return isInteractive ? promptForStarter(first, context) : first;
}

/** The kinds with a line about each, for help and question. */
function starterLines(): string[] {
  return starters.map(({ kind, summary }) => `${kind.padEnd(14)}${summary}`);
}

function findStarter(named: string): Starter {
  const found = starters.find(({ kind }) => kind === named);
  if (found) return found;
  const kinds = starters.map(({ kind }) => kind);
  throw new AssayError('USAGE', `There is no starter of the kind "${named}".`, { hint: suggestion(named, kinds) });
}

async function promptForStarter(first: Starter, { stdin, stdout }: CliContext): Promise<Starter | undefined> {
  const asking = createInterface({ input: stdin, output: stdout });
  const interrupt = new AbortController();
  // The terminal is in raw mode here: Ctrl-C is a key, not a signal.
  asking.on('SIGINT', () => interrupt.abort());
  asking.on('close', () => interrupt.abort());
  try {
    const list = starterLines().map((line, index) => `  ${index + 1}  ${line}`);
    const answer = await asking.question(`What do you want to test?\n${list.join('\n')}\nNumber or name [1]: `, {
      signal: interrupt.signal,
    });
    const given = answer.trim();
    if (given === '') return first;
    return starters[Number(given) - 1] ?? findStarter(given);
  } catch (error) {
    if (interrupt.signal.aborted) return undefined;
    throw error;
  } finally {
    asking.close();
  }
}

/** A project for the user's own server; undefined after Ctrl-C. */
async function fromServer(
  server: string,
  folder: string,
  { kind = 'mcp-server', timeoutSecs }: Readonly<Record<string, unknown>>,
  { cwd, env }: CliContext,
): Promise<Starter | undefined> {
  if (kind !== 'mcp-server') throw new AssayError('USAGE', '--server requires --kind mcp-server.');
  const { starterFromServer } = await import('../../../compose/starters/from-server.ts');
  using interrupt = new Interrupt(() => undefined);
  const { signal } = interrupt;
  try {
    return await starterFromServer({ server, cwd, folder, env, timeoutMs: Number(timeoutSecs) * 1_000, signal });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** `assay init`: a small project that runs at once, without a key. */
export const init: CliCommand = {
  configure(command) {
    const kinds = starterLines().map((line) => `  ${line}`);
    command
      .argument('[dir]', 'folder to create it in', '.')
      .option('--kind <kind>', 'what you want to test (asks if omitted)')
      .option(
        '--from <program>',
        'start from the files of promptfoo, mcpvals, evalstudio or llm-tool-test in the folder',
        textOption,
      )
      .option(
        '--server <command>',
        'with --kind mcp-server: start from your own server, a command line or a URL',
        textOption,
      )
      .option(
        '--timeout-secs <n>',
        'with --server: time limit for the start and for each request',
        numberOption(0, 86_400, true),
        30,
      )
      .addHelpText('after', `\nKinds:\n${kinds.join('\n')}\n`);
  },
  async run({ args, options, context }) {
    const folder = resolve(context.cwd, args[0] ?? '.');
    if (typeof options.from === 'string') {
      return (await import('./init-from.ts')).initFrom(options.from, folder, context);
    }
    const starter = await (typeof options.server === 'string'
      ? fromServer(options.server, folder, options, context)
      : chooseStarter(options.kind, context));
    if (!starter) return 130;
    if (existsSync(folder) && !statSync(folder).isDirectory()) {
      throw new AssayError('USAGE', `${args[0]} is a file; nothing was written.`, {
        hint: 'Name a new folder: assay init my-project',
      });
    }
    const existing = starter.files.filter(({ path }) => existsSync(join(folder, path)));
    if (existing.length > 0) {
      throw new AssayError(
        'USAGE',
        `${existing.map(({ path }) => path).join(', ')} already exists in ${folder}; nothing was written.`,
        { hint: 'Name an empty folder: assay init my-project' },
      );
    }
    for (const { path, text, isExecutable } of starter.files) {
      makeFolders(dirname(join(folder, path)));
      await writeFile(join(folder, path), text, { flag: 'wx', mode: isExecutable ? 0o755 : 0o644 });
    }
    const projectPath = relative(context.cwd, folder);
    const enter = projectPath === '' ? '' : `cd ${projectPath}\n  `;
    // A program that npx found in node_modules is not on the PATH.
    const runner = context.env.npm_command === 'exec' ? 'npx ' : '';
    const others = starters.filter(({ kind }) => kind !== starter.kind).map(({ kind }) => kind);
    const isChosen = options.kind !== undefined || options.server !== undefined;
    await write(
      context.stdout,
      `Written:\n${writtenLines(starter.files, projectPath)}\n\nNow run:\n  ${enter}${runner}assay run\n${
        isChosen ? '' : `\nThis project is of the kind ${starter.kind}. Others with --kind: ${others.join(', ')}.\n`
      }`,
    );
    return 0;
  },
};

function writtenLines(files: Starter['files'], projectPath: string): string {
  const paths = files.map(({ path }) => join(projectPath, path));
  const width = Math.max(...paths.map((path) => path.length));
  return files.map(({ purpose }, index) => `  ${paths[index]?.padEnd(width)}  ${purpose}`).join('\n');
}
