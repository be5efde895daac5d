import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
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
import { writeExecutables } from './write-executables.ts';

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
    if (answer !== undefined) return perlShim(machine(perl, firstLine, isClock(answer) ? systemCalls : undefined));
  }
  return shShim;
}

function machine(perl: string, firstLine: string, systemCalls: SystemCalls | undefined): PerlMachine {
  return {
    perl,
    firstLine,
    systemCalls,
    nonBlockingFlag: nonBlockingFlag(process.platform),
    wouldBlockError: constants.errno.EAGAIN,
    isLinux: process.platform === 'linux',
  };
}

/** The time that perl prints when this line starts it: empty without a system call, undefined if it fails. */
async function probe(folder: string, firstLine: string, calls: SystemCalls | undefined): Promise<string | undefined> {
  const file = join(folder, 'probe');
  const readClock = `my $t = "\\0" x 16; syscall(${calls?.clock_gettime}, 0, $t); print unpack('q', $t);`;
  await writeExecutables({ [file]: `${firstLine}\nprint '=';\n${calls === undefined ? '' : readClock}\n` });
  const printed = await new Promise<string>((resolve) => {
    execFile(file, { timeout: probeTimeoutMs, env: {} }, (error, stdout) => resolve(error === null ? stdout : ''));
  });
  return printed.startsWith('=') ? printed.slice(1) : undefined;
}

function isClock(seconds: string): boolean {
  return Math.abs(Number(seconds) * 1000 - Date.now()) < clockToleranceMs;
}
