import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AssayError, asAssayError } from '../../domain/errors.ts';
import type { IsolationTier } from '../../domain/isolation-tier.ts';
import { firstLine } from '../../shared/text.ts';
import type { IsolatedFolders } from './isolated-folders.ts';
import { bubblewrapIsolation, type Isolation, noIsolation, processIsolations } from './isolation.ts';

/** Takes milliseconds; a machine that is busy must not count as one that lacks a tier. */
const probeTimeoutMs = 30_000;

/** Not an exit code by which programs report a failure. */
const expectedExitCode = 42;

/** Succeeds where process ids start again from 1, /proc shows only them, the trial's folders are writable and covers stay. */
const probeScript = `
[ $$ -lt 10 ] || { echo "process ids are not its own" >&2; exit 1; }
[ "$(readlink /proc/self/exe)" ] || { echo "/proc is not its own" >&2; exit 1; }
: > written && : > "$1/written" || exit 1
if [ "$2" ]; then
  grep -q cover "$2" || { echo "files cannot be covered" >&2; exit 1; }
  ! umount "$2" 2>/dev/null && ! { true > "$2"; } 2>/dev/null || { echo "covers can be taken away" >&2; exit 1; }
fi
exit ${expectedExitCode}
`;

interface ProbeResult {
  readonly exitCode: number | string | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Why the isolation does not work here; undefined when it does. */
export async function probeIsolation(isolation: Isolation, folders: IsolatedFolders): Promise<string | undefined> {
  const covered = isolation.canCover ? (folders.covered?.[0]?.path ?? '') : '';
  const argv = isolation.wrap(['/bin/sh', '-c', probeScript, 'sh', folders.tmp, covered], folders);
  const { exitCode, stderr } = await run(argv, folders.directory);
  if (exitCode === expectedExitCode) return undefined;
  return firstLine(stderr) || `a probe ended with ${exitCode ?? 'a signal'}`;
}

/** Absolute path of a program on PATH; undefined when it is missing. */
async function findProgram(name: string): Promise<string | undefined> {
  const { exitCode, stdout } = await run(['/bin/sh', '-c', 'command -v "$1"', 'sh', name], '/');
  return exitCode === 0 ? stdout.trim() : undefined;
}

function run([program, ...rest]: readonly [string, ...string[]], cwd: string): Promise<ProbeResult> {
  return new Promise((resolve) => {
    const options = { cwd, timeout: probeTimeoutMs, killSignal: 'SIGKILL' } as const;
    execFile(program, rest, options, (error, stdout, stderr) => {
      resolve({ exitCode: error ? (error.code ?? undefined) : 0, stdout, stderr });
    });
  });
}

/** Whether a tier works here; if not, why. */
export type ProbedTier = { readonly isolation: Isolation } | { readonly problem: string };

/** Probes which tiers work on this machine, each once; keep the instance to reuse its results. */
export class IsolationProbes {
  readonly #probed = new Map<IsolationTier, Promise<ProbedTier>>();

  /** Really runs something in the tier, the first time. */
  probe(tier: IsolationTier): Promise<ProbedTier> {
    const earlier = this.#probed.get(tier);
    if (earlier) return earlier;
    const probed = probeTier(tier).catch((error: unknown) => ({ problem: asAssayError(error).message }));
    this.#probed.set(tier, probed);
    return probed;
  }
}

const bestFirst: readonly IsolationTier[] = ['bubblewrap', 'process', 'none'];

/** The wanted tier, or the best that works here; throws when the wanted one does not. */
export async function findIsolation(
  wanted: IsolationTier | 'auto',
  probes: IsolationProbes = new IsolationProbes(),
): Promise<Isolation> {
  if (wanted === 'auto') return findBest(probes);
  const probed = await probes.probe(wanted);
  if ('isolation' in probed) return probed.isolation;
  throw new AssayError(
    'ISOLATION_UNAVAILABLE',
    `Isolation "${wanted}" is not available on this machine: ${probed.problem}`,
  );
}

async function findBest(probes: IsolationProbes): Promise<Isolation> {
  for (const tier of bestFirst) {
    const probed = await probes.probe(tier);
    if ('isolation' in probed) return probed.isolation;
  }
  return noIsolation;
}

async function probeTier(tier: IsolationTier): Promise<ProbedTier> {
  if (tier === 'none') return { isolation: noIsolation };
  if (tier === 'container') return { problem: 'it needs an image' };
  const candidates = tier === 'process' ? await processCandidates() : await bubblewrapCandidates();
  if ('problem' in candidates) return candidates;
  return firstThatWorks(candidates.isolations);
}

type Candidates = { readonly isolations: readonly Isolation[] } | { readonly problem: string };

async function processCandidates(): Promise<Candidates> {
  const [unshare, setpriv] = await Promise.all([findProgram('unshare'), findProgram('setpriv')]);
  if (unshare === undefined) return { problem: 'the program unshare was not found; install util-linux' };
  return { isolations: processIsolations({ unshare, setpriv }, process.geteuid?.() === 0) };
}

async function bubblewrapCandidates(): Promise<Candidates> {
  const bwrap = await findProgram('bwrap');
  if (bwrap === undefined) return { problem: 'the program bwrap was not found; install bubblewrap' };
  return { isolations: [bubblewrapIsolation(bwrap)] };
}

async function firstThatWorks(isolations: readonly Isolation[]): Promise<ProbedTier> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-isolation-'));
  try {
    const folders = { directory: join(folder, 'work'), home: join(folder, 'home'), tmp: join(folder, 'tmp') };
    for (const path of Object.values(folders)) await mkdir(path);
    const cover = { path: join(await realpath(folders.directory), 'covered'), by: join(folder, 'cover') };
    await writeFile(cover.path, 'bare');
    await writeFile(cover.by, 'cover');
    let problem = 'nothing to try';
    for (const isolation of isolations) {
      const found = await probeIsolation(isolation, { ...folders, writable: [], covered: [cover] });
      if (found === undefined) return { isolation };
      problem = found;
    }
    return { problem };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
