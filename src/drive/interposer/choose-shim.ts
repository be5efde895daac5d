import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { type SystemCalls, systemCallsOf } from './perl-program.ts';
import { nonBlockingFlag, type PerlMachine, perlShim, quietFirstLine } from './perl-shim.ts';
import { shShim } from './sh-shim.ts';
import type { Shim } from './shim.ts';
import { type RenderStub, stubOf } from './stub.ts';
import { writeExecutables } from './write-executables.ts';

const perlPaths = ['/usr/bin/perl', '/bin/perl', '/usr/local/bin/perl', '/opt/homebrew/bin/perl'];
/** Takes milliseconds; a machine that is busy must not count as one without perl, where less is recorded. */
const probeTimeoutMs = 30_000;
/** A clock that is further off than this is not the clock. */
const clockToleranceMs = 60_000;

/** Probes which shim works on this machine, once for each file system; keep the instance to reuse its results. */
export class ShimProbes {
  readonly #best = new Map<number, Shim>();

  /** The best shim that works in the folder; its requirements are probed there, not guessed. */
  async choose(folder: string): Promise<Shim> {
    const { dev } = statSync(folder);
    const earlier = this.#best.get(dev);
    if (earlier) return earlier;
    const { shim, isBest } = await probeShims(folder);
    // A probe that failed because the machine was busy must not decide for later trials.
    if (isBest) this.#best.set(dev, shim);
    return shim;
  }
}

async function probeShims(folder: string): Promise<{ readonly shim: Shim; readonly isBest: boolean }> {
  const perl = perlPaths.find((path) => existsSync(path));
  if (perl === undefined) return { shim: shShim, isBest: false };
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
    if (answer === undefined || !isComplete) continue;
    const isBest = starter === stub && systemCalls === calls;
    return { shim: perlShim(machine(perl, firstLine, systemCalls, starter)), isBest };
  }
  return { shim: shShim, isBest: false };
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
