import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { holdAgainstPromises } from './account.mjs';

export const fullDisk = {
  title: 'the disk of a worker is full from the beginning, that of another one in the middle',
  stage: { trials: 200, shortestMs: 20, longestMs: 200 },
  async run({ stage, fleet, account }) {
    const [tiny, small] = [join(stage.folder, 'tiny'), join(stage.folder, 'small')];
    if (!mounted(tiny, '4k') || !mounted(small, '1m')) {
      account.seen('left out', 'small file systems cannot be mounted here');
      return;
    }
    try {
      const run = stage.run();
      const full = fleet.start({ leaseSecs: 2, folder: join(tiny, 'bundles'), env: { TMPDIR: tiny } });
      fleet.start({ leaseSecs: 2, folder: join(small, 'bundles'), env: { TMPDIR: small } });
      await stage.untilStored(20);
      fill(join(small, 'rest'));
      fleet.start({ leaseSecs: 2 });
      const ended = await run.end;
      await fleet.end();
      await holdAgainstPromises(account, { stage, fleet, ended });
      const byFull = (await stage.writes()).filter(({ writer }) => writer === full.name).length;
      account.promise('the worker without room took none', byFull === 0, `${byFull} results`);
      account.promise('it says why', /cannot be run here: .*(ENOSPC|no space)/i.test(full.said), lastLine(full.said));
    } finally {
      for (const folder of [tiny, small]) execFileSync('umount', ['--lazy', folder]);
    }
  },
};

function mounted(folder, size) {
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

function fill(file) {
  try {
    writeFileSync(file, Buffer.alloc(2_000_000));
  } catch (error) {
    if (error.code !== 'ENOSPC') throw error;
  }
}

function lastLine(text) {
  return text
    .split('\n')
    .findLast((line) => line.includes('cannot be run here'))
    ?.trim();
}
