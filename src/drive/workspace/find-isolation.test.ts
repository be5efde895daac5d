import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { findIsolation, IsolationProbes, type ProbedTier, probeIsolation } from './find-isolation.ts';
import type { IsolatedFolders } from './isolated-folders.ts';
import { bubblewrapIsolation, exitOf, type Isolation } from './isolation.ts';

const probes = new IsolationProbes();
const probed = { process: await probes.probe('process'), bubblewrap: await probes.probe('bubblewrap') };

function problemOf(tier: ProbedTier): string {
  return 'problem' in tier ? tier.problem : '';
}

async function foldersIn(folder: string): Promise<IsolatedFolders> {
  const folders = { directory: join(folder, 'work'), home: join(folder, 'home'), tmp: join(folder, 'tmp') };
  for (const path of Object.values(folders)) mkdirSync(path);
  return { ...folders, writable: [] };
}

function run(isolation: Isolation, folders: IsolatedFolders, command: string) {
  const [program, ...rest] = isolation.wrap(['/bin/sh', '-c', command], folders);
  return spawnSync(program, rest, { cwd: folders.directory, encoding: 'utf8', input: 'from outside' });
}

describe('findIsolation', () => {
  it('gives nothing when nothing is wanted', async () => {
    expect((await findIsolation('none')).wrap(['a', 'b'], await foldersIn(await temporaryFolder()))).toEqual([
      'a',
      'b',
    ]);
  });

  it('gives the best that works here', async () => {
    const best =
      problemOf(probed.bubblewrap) === '' ? 'bubblewrap' : problemOf(probed.process) === '' ? 'process' : 'none';
    expect((await findIsolation('auto', probes)).tier).toBe(best);
  });

  it('says why a wanted one does not work', async () => {
    const without = new (class extends IsolationProbes {
      override async probe(): Promise<ProbedTier> {
        return { problem: 'no such luck' };
      }
    })();
    await expect(findIsolation('process', without)).rejects.toMatchObject({
      code: 'ISOLATION_UNAVAILABLE',
      message: 'Isolation "process" is not available on this machine: no such luck',
    });
    expect((await findIsolation('auto', without)).tier).toBe('none');
  });

  it('takes what does not run, and what does not isolate, for not working', async () => {
    const folders = await foldersIn(await temporaryFolder());
    expect(await probeIsolation(bubblewrapIsolation('/nowhere/bwrap'), folders)).toContain('ENOENT');
    const bare: Isolation = { tier: 'process', isNamespaced: true, canCover: false, wrap: (argv) => argv };
    expect(await probeIsolation(bare, folders)).toBe('process ids are not its own');
  });
});

describe.each(['process', 'bubblewrap'] as const)('isolation %s', (tier) => {
  const problem = problemOf(probed[tier]);
  it.skipIf(problem !== '')(
    `passes on streams, arguments and exit codes${problem && ` (skipped: ${problem})`}`,
    async () => {
      const folders = await foldersIn(await temporaryFolder());
      const isolation = await findIsolation(tier, probes);
      const end = run(isolation, folders, 'pwd; cat; echo oops >&2; id -u; exit 3');
      expect(end).toMatchObject({ status: 3, stderr: 'oops\n' });
      expect(end.stdout).toBe(`${folders.directory}\nfrom outside${process.geteuid?.()}\n`);
      expect(run(isolation, folders, 'kill -SEGV $$')).toMatchObject({ status: 139, stderr: '' });
    },
  );

  it.skipIf(problem !== '')(`shows no other processes${problem && ` (skipped: ${problem})`}`, async () => {
    const folders = await foldersIn(await temporaryFolder());
    const end = run(await findIsolation(tier, probes), folders, 'set -- /proc/[0-9]*; echo $#; kill -9 1; echo alive');
    expect(end.stdout).toBe('2\nalive\n');
  });
});

describe('isolation bubblewrap', () => {
  const problem = problemOf(probed.bubblewrap);
  it.skipIf(problem !== '')(
    `lets only the trial's folders be written${problem && ` (skipped: ${problem})`}`,
    async () => {
      const outside = await temporaryFolder({ 'readable/tool': 'tool', 'writable/there': '' });
      const folders = {
        ...(await foldersIn(await temporaryFolder())),
        writable: [join(outside, 'writable'), join(outside, 'nowhere')],
        readable: [join(outside, 'readable')],
      };
      const isolation = await findIsolation('bubblewrap', probes);
      const { home, tmp } = folders;
      const allowed = run(isolation, folders, `touch here ${home}/here ${tmp}/here /tmp/own ${outside}/writable/here`);
      expect(allowed).toMatchObject({ status: 0, stderr: '' });
      expect(readdirSync(join(outside, 'writable')).sort()).toEqual(['here', 'there']);
      expect([existsSync(join(tmp, 'own')), existsSync('/tmp/own')]).toEqual([true, false]);
      expect(run(isolation, folders, `cat ${outside}/readable/tool`).stdout).toBe('tool');
      for (const path of [`${outside}/readable/new`, '/usr/new', '/new']) {
        expect(run(isolation, folders, `touch ${path}`)).toMatchObject({ status: 1 });
        expect(existsSync(path)).toBe(false);
      }
    },
  );

  it.skipIf(problem !== '' || process.geteuid?.() !== 0)(
    'leaves root no rights over the machine: those of a user over files and processes, and read-only settings',
    async () => {
      const folders = await foldersIn(await temporaryFolder());
      const isolation = await findIsolation('bubblewrap', probes);
      const { stdout } = run(
        isolation,
        folders,
        'grep CapEff /proc/self/status; find /proc/[a-z]* -maxdepth 2 -type f -perm /222 -writable',
      );
      // chown, dac_override, fowner, fsetid, kill, setgid, setuid, net_bind_service and setfcap.
      expect(stdout).toBe('CapEff:\t00000000800004fb\n');
    },
  );

  it('leaves out a link that leads nowhere', async () => {
    const folder = await temporaryFolder();
    const folders = await foldersIn(folder);
    writeFileSync(join(folder, 'there'), '');
    const argv = bubblewrapIsolation('bwrap').wrap(['agent'], {
      ...folders,
      writable: [join(folder, 'there'), '/nowhere'],
    });
    expect(argv).toContain(join(folder, 'there'));
    expect(argv).not.toContain('/nowhere');
  });

  it.skipIf(problem !== '')('starts any number of processes of a trial whose readable folders are links', async () => {
    const folder = await temporaryFolder();
    mkdirSync(join(folder, 'real'));
    writeFileSync(join(folder, 'real', 'data'), 'read through the link\n');
    symlinkSync(join(folder, 'real'), join(folder, 'link'));
    const folders = { ...(await foldersIn(folder)), readable: [join(folder, 'link')] };
    const isolation = await findIsolation('bubblewrap', probes);
    for (let count = 0; count < 3; count++) {
      const { stdout, stderr } = run(isolation, folders, `cat ${join(folder, 'link', 'data')}`);
      expect({ stdout, stderr }).toEqual({ stdout: 'read through the link\n', stderr: '' });
    }
    isolation.tidy?.(folders);
    expect(readdirSync(folders.tmp)).toEqual([]);
  });
});

describe('exitOf', () => {
  it.each([
    [
      { exitCode: 0, signal: null },
      { exitCode: 0, signal: null },
    ],
    [
      { exitCode: 3, signal: null },
      { exitCode: 3, signal: null },
    ],
    [
      { exitCode: 139, signal: null },
      { exitCode: null, signal: 'SIGSEGV' },
    ],
    [
      { exitCode: 137, signal: null },
      { exitCode: null, signal: 'SIGKILL' },
    ],
    [
      { exitCode: 255, signal: null },
      { exitCode: 255, signal: null },
    ],
    [
      { exitCode: null, signal: 'SIGKILL' },
      { exitCode: null, signal: 'SIGKILL' },
    ],
  ])('%o is %o', (seen, expected) => {
    expect(exitOf(seen)).toEqual(expected);
  });

  it.runIf(process.platform === 'linux')('does not take an exit code for a signal that ends nothing', () => {
    expect(exitOf({ exitCode: 145, signal: null })).toEqual({ exitCode: 145, signal: null });
  });
});
