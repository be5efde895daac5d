import { mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ShimProbes } from '../../../drive/interposer/choose-shim.ts';
import { systemCallsOf } from '../../../drive/interposer/perl-program.ts';
import { nonBlockingFlag, type PerlMachine, perlShim, quietFirstLine } from '../../../drive/interposer/perl-shim.ts';
import { shShim } from '../../../drive/interposer/sh-shim.ts';
import type { Shim } from '../../../drive/interposer/shim.ts';

/** A kind of shim and its abilities. */
export interface ShimKind {
  readonly name: string;
  readonly shim: Shim;
  readonly keepsOutput: boolean;
  /** Whether it is as good as no shim in every way that is tested. */
  readonly isExact: boolean;
}

/** All kinds of shim that can be tried on this machine; the first is the one that is used here. */
export async function shimKinds(): Promise<ShimKind[]> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-shims-'));
  const best = await new ShimProbes().choose(folder);
  await rm(folder, { recursive: true });
  const machine: PerlMachine = {
    perl: '/usr/bin/perl',
    firstLine: quietFirstLine('/usr/bin/perl'),
    stub: undefined,
    systemCalls: undefined,
    nonBlockingFlag: nonBlockingFlag(process.platform),
    wouldBlockError: constants.errno.EAGAIN,
    isLinux: process.platform === 'linux',
  };
  const portable = perlShim(machine);
  const systemCalls = systemCallsOf(process.platform, process.arch);
  const byLine = perlShim({ ...machine, systemCalls });
  const sh: ShimKind = { name: 'sh', shim: shShim, keepsOutput: false, isExact: false };
  if (best === shShim) return [sh];
  return [
    { name: 'perl', shim: best, keepsOutput: true, isExact: best.limits === undefined },
    ...(best.starter && systemCalls
      ? [{ name: 'perl by its first line', shim: byLine, keepsOutput: true, isExact: true }]
      : []),
    { name: 'perl without system calls', shim: portable, keepsOutput: true, isExact: false },
    sh,
  ];
}
