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
import { type RenderStub, stubOf } from './stub.ts';
import { writeExecutables } from './write-executables.ts';

const perlPaths = ['/usr/bin/perl', '/bin/perl', '/usr/local/bin/perl', '/opt/homebrew/bin/perl'];
const probeTimeoutMs = 5_000;
/** A clock that is further off than this is not the clock. */
const clockToleranceMs = 60_000;

/** The best shim that works on this machine; its requirements are probed in the folder, not guessed. */
export async function chooseShim(folder: string): Promise<Shim> {
  const perl = perlPaths.find((path) => existsSync(path));
  if (perl === undefined) return shShim;
  const calls = systemCallsOf(process.platform, process.arch);
  const stub = calls && stubOf(process.platform, process.arch);
  for (const [firstLine, starter] of [
    [quietFirstLine(perl), stub],
    [quietFirstLine(perl), undefined],
    [`#!${perl}`, undefined],
  ] as const) {
    const answer = await probe(folder, firstLine, calls, starter && ((path) => starter(perl, path)));
    const systemCalls = isClock(answer ?? '') ? calls : undefined;
    const isComplete = starter === undefined || systemCalls !== undefined;
    if (answer !== undefined && isComplete) return perlShim(machine(perl, firstLine, systemCalls, starter));
  }
  return shShim;
}

function machine(
  perl: string,
  firstLine: string,
  systemCalls: SystemCalls | undefined,
  stub: RenderStub | undefined,
): PerlMachine {
  return {
    perl,
    firstLine,
    stub,
    systemCalls,
    nonBlockingFlag: nonBlockingFlag(process.platform),
    wouldBlockError: constants.errno.EAGAIN,
    isLinux: process.platform === 'linux',
  };
}

/** The time that perl prints when this line or a stub starts it: empty without a system call, undefined if it fails. */
async function probe(
  folder: string,
  firstLine: string,
  calls: SystemCalls | undefined,
  stub: ((path: string) => Buffer) | undefined,
): Promise<string | undefined> {
  const file = join(folder, 'probe');
  const started = stub === undefined ? file : join(folder, 'probe-stub');
  const readClock = `my $t = "\\0" x 16; syscall(${calls?.clock_gettime}, 0, $t); print unpack('q', $t);`;
  const text = `${firstLine}\nprint "$ARGV[0]=";\n${calls === undefined ? '' : readClock}\n`;
  await writeExecutables({ [file]: text, ...(stub && { [started]: stub(file) }) });
  const options = { timeout: probeTimeoutMs, env: { PERL5OPT: stub ? '-Mhidden' : '' } };
  const printed = await new Promise<string>((resolve) => {
    execFile(started, options, (error, stdout) => resolve(error === null ? stdout : ''));
  });
  const expected = stub === undefined ? '=' : `${started}=`;
  return printed.startsWith(expected) ? printed.slice(expected.length) : undefined;
}

function isClock(seconds: string): boolean {
  return Math.abs(Number(seconds) * 1000 - Date.now()) < clockToleranceMs;
}
