import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { writeExecutable } from '../write-executable.ts';
import { type PerlMachine, perlShim, quietFirstLine } from './perl-shim.ts';
import { shShim } from './sh-shim.ts';
import type { Shim } from './shim.ts';
import { nonBlockingFlag, type SystemCalls, systemCallsOf } from './system-calls.ts';

const perlPaths = ['/usr/bin/perl', '/bin/perl', '/usr/local/bin/perl', '/opt/homebrew/bin/perl'];
const probeTimeoutMs = 5_000;
/** A clock that is further off than this is not the clock. */
const clockToleranceMs = 60_000;

/** The best shim that works on this machine; what it needs is tried out in the folder, not guessed. */
export async function chooseShim(folder: string): Promise<Shim> {
  const perl = perlPaths.find((path) => existsSync(path));
  if (perl === undefined) return shShim;
  const known = systemCallsOf(process.platform, process.arch);
  for (const firstLine of [quietFirstLine(perl), `#!${perl}`]) {
    const answer = await probe(folder, firstLine, known);
    if (answer !== undefined) return perlShim(machine(firstLine, isClock(answer) ? known : undefined));
  }
  return shShim;
}

function machine(firstLine: string, systemCalls: SystemCalls | undefined): PerlMachine {
  const flag = nonBlockingFlag(process.platform);
  return { firstLine, systemCalls, nonBlockingFlag: flag, wouldBlockError: constants.errno.EAGAIN };
}

/** What perl prints as the time when it is started by this line: empty without a system call, undefined if it fails. */
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
