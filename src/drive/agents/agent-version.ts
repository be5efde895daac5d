import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import { runProcess } from '../../shared/processes/run-process.ts';

/** Agents are large programs: on a busy machine, some take more than ten seconds to say anything. */
const timeoutMs = 60_000;
const mostOutputBytes = 65_536;
const longestWords = 400;

interface VersionQuestion {
  /** For messages. */
  readonly agent: string;
  /** Shell command that prints the version. */
  readonly command: string;
  readonly path: string;
  readonly cwd: string;
}

/**
 * The version that an agent tells; null when it tells none. It is asked in a home of its own, as it will be started
 * for a trial, so that one which cannot be started like that is found out before anything is spent.
 */
export async function askVersion({ agent, command, path, cwd }: VersionQuestion): Promise<string | null> {
  const home = await mkdtemp(join(tmpdir(), 'assay-version-'));
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const env = { PATH: path, HOME: home, NO_COLOR: '1' };
    const request = { cwd, env, tag: randomUUID(), stdin: '', stdoutLimitBytes: mostOutputBytes, signal };
    const { exitCode, stdout, stderr } = await runProcess(command, request);
    if (exitCode === 0) return versionIn(stdout.text) ?? versionIn(stderr.text);
    const said = reasonIn(stderr.text) || reasonIn(stdout.text);
    const how = signal.aborted
      ? `gave no answer within ${timeoutMs / 1_000} s`
      : `failed: ${said || `exit code ${exitCode}`}`;
    throw new AssayError('AGENT_MISSING', `the agent \`${agent}\` cannot be started: \`${command}\` ${how}`);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** The line that says what went wrong; a stack trace or an excerpt of source text says nothing to a user. */
function reasonIn(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^at |^node:|^\^+$|^Node\.js v|^file:\/\/|^[\w/.-]+:\d+$/.test(line));
  const reason = lines.find((line) => /error|cannot|not found|require|unsupported|needs/i.test(line)) ?? lines[0] ?? '';
  return reason.slice(0, longestWords);
}

function versionIn(text: string): string | null {
  return /\d+\.\d+(?:\.\d+)?(?:-[\w.]+)?/.exec(text)?.[0] ?? null;
}

/** Whether a version is older than another, by their numbers alone. */
export function isOlder(version: string, than: string): boolean {
  const [ours, theirs] = [numbersOf(version), numbersOf(than)];
  const differing = [0, 1, 2].find((index) => (ours[index] ?? 0) !== (theirs[index] ?? 0));
  return differing !== undefined && (ours[differing] ?? 0) < (theirs[differing] ?? 0);
}

function numbersOf(version: string): number[] {
  return (version.split('-')[0] ?? '').split('.').map(Number);
}
