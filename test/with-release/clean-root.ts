import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CommandResult, ended } from '../../src/testing/support/assay.ts';

export const releaseFolder = fileURLToPath(new URL('../../release', import.meta.url));

/** The executable for this machine. */
export const executable = join(releaseFolder, `assay-linux-${process.arch}`);

export const packageVersion: string = JSON.parse(
  readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8'),
).version;

/** A machine that has the C and C++ libraries, the executable, and nothing else: no Node.js, no shell. */
export class CleanRoot {
  readonly #home: string;
  readonly #libraries: readonly string[];

  /** `home` is the folder of this machine that is its HOME. */
  constructor(home: string) {
    this.#home = home;
    this.#libraries = execFileSync('ldd', [executable], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
  }

  start(args: readonly string[], { cwd = '.', program = '/usr/bin/assay', env = {} }: Command = {}): ChildProcess {
    const mounts = this.#libraries.flatMap((path) => ['--ro-bind', realpathSync(path), path]);
    const variables = Object.entries({ HOME: '/home/user', PATH: '/usr/bin', ...env });
    return spawn('bwrap', [
      ...['--unshare-all', '--share-net', '--die-with-parent', '--clearenv'],
      ...variables.flatMap(([name, value]) => ['--setenv', name, value]),
      ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--bind', this.#home, '/home/user', ...mounts],
      ...['--ro-bind', executable, '/usr/bin/assay', '--chdir', join('/home/user', cwd), '--', program, ...args],
    ]);
  }

  run(args: readonly string[], command: Command = {}): Promise<CommandResult> {
    const child = this.start(args, command);
    child.stdin?.end();
    return ended(child);
  }
}

interface Command {
  /** Relative to HOME. */
  readonly cwd?: string;
  readonly program?: string;
  readonly env?: Readonly<Record<string, string>>;
}
