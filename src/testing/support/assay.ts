import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { storeEnvironment } from './project-store.ts';

/** The built program. */
export const programPath = fileURLToPath(new URL('../../../bin/assay.js', import.meta.url));

/** Projects that tests run are not trusted by the user who runs the tests. */
export const stateOfTests = join(tmpdir(), 'assay-tests-state');

export interface CommandResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the built program as a user would; the test ends it. */
export function startAssay(args: readonly string[], options: CommandOptions): ChildProcess {
  const child = spawn(process.execPath, [programPath, ...args], {
    cwd: options.cwd,
    env: commandEnvironment(options),
  });
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(options.stdin ?? '');
  return child;
}

/** The environment of these tests, without what would change the answers of a command. */
export function commandEnvironment({ cwd, env = {} }: CommandOptions): Record<string, string | undefined> {
  if (process.env.ASSAY_STALE_BUILD) {
    throw new Error('The built program is older than its sources. Run `npm run dev-test -- <file>`, which builds it.');
  }
  const { NO_COLOR: _, FORCE_COLOR: _f, ASSAY_STORE: __, CI: ___, ...inherited } = process.env;
  return { ...inherited, ...storeEnvironment(cwd), XDG_STATE_HOME: stateOfTests, ...env };
}

/** Runs the built program to its end. */
export async function assay(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  return ended(startAssay(args, options));
}

/** Waits for a started program and collects what it printed. */
export function ended(child: ChildProcess): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (exitCode, signal) => resolve({ exitCode, signal, stdout, stderr }));
  });
}
