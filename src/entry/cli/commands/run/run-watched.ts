import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { openProject } from '../../../../compose/config/project.ts';
import { programFile } from '../../../../compose/program.ts';
import { assertOptions } from '../../../../domain/assert-options.ts';
import { AssayError } from '../../../../domain/errors.ts';
import { counted } from '../../../../shared/format.ts';
import type { Invocation } from '../../command.ts';
import { type CliContext, isWatched, write } from '../../context.ts';
import { Interrupt } from '../../process.ts';

/** Editors write a file in several steps. */
const settleMs = 150;
const mostFolders = 2_000;

/** Runs again whenever a file of the project is saved, until Ctrl-C. Each run is a process, so changed code is loaded. */
export async function runWatched({ argv, options, context }: Invocation): Promise<number> {
  assertOptions(options, 'cli');
  const { folder } = await openProject(context.cwd, context.env);
  const ignored = typeof options.output === 'string' ? [resolve(context.cwd, options.output)] : [];
  const args = ['run', ...argv.filter((arg) => arg !== '--watch')];
  using interrupt = new Interrupt(() => undefined);
  for (;;) {
    const exitCode = await runOnce(args, context);
    if (interrupt.signal.aborted) return 130;
    using folders = new FolderWatch(folder, ignored);
    await write(context.stderr, `\n  ${waitingText(exitCode, folders.count, context)}\n`);
    const why = await nextReason(folders, interrupt.signal, context);
    if (why === undefined) return 130;
    await write(context.stderr, `\n  ${why}\n`);
  }
}

/** Ctrl-C reaches the run by itself: it is in the same process group. */
async function runOnce(args: readonly string[], { cwd, env }: CliContext): Promise<number> {
  const child = spawn(process.execPath, [programFile(), ...args], {
    cwd,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const end = (): void => void child.kill();
  process.once('SIGTERM', end);
  process.once('SIGHUP', end);
  const [code] = (await once(child, 'close')) as [number | null];
  process.off('SIGTERM', end);
  process.off('SIGHUP', end);
  return code ?? 130;
}

function waitingText(exitCode: number, folders: number, { stdin, stderr, env }: CliContext): string {
  const enter = stdin.isTTY === true && isWatched(stderr, env) ? ', Enter to run now' : '';
  return `Exit code ${exitCode}. Watching ${counted(folders, 'folder')}: save a file to run again${enter}, Ctrl-C to end.`;
}

/** Reason to start the next run; undefined after Ctrl-C. */
async function nextReason(
  folders: FolderWatch,
  signal: AbortSignal,
  { stdin }: CliContext,
): Promise<string | undefined> {
  const lines = stdin.isTTY === true ? createInterface({ input: stdin }) : undefined;
  try {
    return await new Promise<string | undefined>((done) => {
      signal.addEventListener('abort', () => done(undefined), { once: true });
      if (signal.aborted) done(undefined);
      lines?.once('line', () => done('Running again.'));
      folders.onChange((path) => done(`${path} changed.`));
    });
  } finally {
    lines?.close();
  }
}

/** Watches the folders of a project, without those that hold results, packages or history. */
class FolderWatch implements Disposable {
  readonly #root: string;
  readonly #ignored: readonly string[];
  readonly #watchers: FSWatcher[] = [];
  #timer: NodeJS.Timeout | undefined;
  #listener: ((path: string) => void) | undefined;
  #missed: string | undefined;

  constructor(root: string, ignored: readonly string[]) {
    this.#root = root;
    this.#ignored = ignored;
    this.#add(root);
  }

  get count(): number {
    return this.#watchers.length;
  }

  /** Also reports a change that came before. */
  onChange(listener: (path: string) => void): void {
    this.#listener = listener;
    if (this.#missed !== undefined) listener(this.#missed);
  }

  #add(folder: string): void {
    if (this.#watchers.length >= mostFolders || this.#ignored.includes(folder)) return;
    try {
      const watcher = watch(folder, (_event, name) => this.#note(folder, name));
      // A folder that is deleted ends its own watching and nothing else.
      watcher.on('error', () => watcher.close());
      this.#watchers.push(watcher);
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (entry.isDirectory() && isSource(entry.name)) this.#add(join(folder, entry.name));
      }
    } catch (error) {
      if (folder === this.#root) throw asUnwatchable(folder, error);
    }
  }

  #note(folder: string, name: string | null): void {
    if (name === null || !isSource(name) || this.#ignored.includes(join(folder, name))) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#missed = relative(this.#root, join(folder, name));
      this.#listener?.(this.#missed);
    }, settleMs);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) watcher.close();
  }
}

/** Hidden files are those of editors, of version control and of Assay itself. */
function isSource(name: string): boolean {
  return !name.startsWith('.') && name !== 'node_modules' && !name.endsWith('~');
}

function asUnwatchable(folder: string, error: unknown): AssayError {
  const reason = error instanceof Error ? error.message : String(error);
  return new AssayError('USAGE', `The folder ${folder} cannot be watched: ${reason}.`, {
    hint: 'Run without --watch, or raise the limits of the system for watched files.',
  });
}
