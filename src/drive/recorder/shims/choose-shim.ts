import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import {
  nonBlockingFlag,
  type PerlMachine,
  perlShim,
  quietFirstLine,
  type SystemCalls,
  systemCallsOf,
} from './perl-shim.ts';
import { shShim } from './sh-shim.ts';
import type { Shim } from './shim.ts';

/**
 * Writes a program that can be started at once. Another process writes it, because a file that this one has open for
 * writing could be inherited by whatever is started meanwhile, and would be refused as busy until that has started.
 */
export async function writeExecutable(path: string, text: string): Promise<void> {
  const child = spawn('/bin/sh', ['-c', 'cat >"$1" && chmod 755 "$1"', 'sh', path], {
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaint += chunk;
  });
  child.stdin.on('error', () => undefined).end(text);
  const [exitCode] = await once(child, 'close');
  if (exitCode !== 0)
    throw new AssayError('WORKSPACE_FAILED', `The recorder could not write ${path}: ${complaint.trim()}`);
}

const perlPaths = ['/usr/bin/perl', '/bin/perl', '/usr/local/bin/perl', '/opt/homebrew/bin/perl'];
const probeTimeoutMs = 5_000;
/** A clock that is further off than this is not the clock. */
const clockToleranceMs = 60_000;

/** The best shim that works on this machine; its requirements are probed in the folder, not guessed. */
export async function chooseShim(folder: string): Promise<Shim> {
  const perl = perlPaths.find((path) => existsSync(path));
  if (perl === undefined) return shShim;
  const systemCalls = systemCallsOf(process.platform, process.arch);
  for (const firstLine of [quietFirstLine(perl), `#!${perl}`]) {
    const answer = await probe(folder, firstLine, systemCalls);
    if (answer !== undefined) return perlShim(machine(firstLine, isClock(answer) ? systemCalls : undefined));
  }
  return shShim;
}

function machine(firstLine: string, systemCalls: SystemCalls | undefined): PerlMachine {
  const flag = nonBlockingFlag(process.platform);
  return { firstLine, systemCalls, nonBlockingFlag: flag, wouldBlockError: constants.errno.EAGAIN };
}

/** The time that perl prints when this line starts it: empty without a system call, undefined if it fails. */
async function probe(folder: string, firstLine: string, calls: SystemCalls | undefined): Promise<string | undefined> {
  const file = join(folder, 'probe');
  const readClock = `my $t = "\\0" x 16; syscall(${calls?.clock_gettime}, 0, $t); print unpack('q', $t);`;
  await writeExecutable(file, `${firstLine}\nprint '=';\n${calls === undefined ? '' : readClock}\n`);
  const printed = await new Promise<string>((resolve) => {
    execFile(file, { timeout: probeTimeoutMs, env: {} }, (error, stdout) => resolve(error === null ? stdout : ''));
  });
  return printed.startsWith('=') ? printed.slice(1) : undefined;
}

function isClock(seconds: string): boolean {
  return Math.abs(Number(seconds) * 1000 - Date.now()) < clockToleranceMs;
}
