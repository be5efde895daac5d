import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assay } from '../../src/testing/support/assay.ts';
import { DistributedProject, until } from '../../src/testing/support/distributed-run.ts';
import { hasPostgres, usePostgres } from '../../src/testing/support/postgres.ts';

describe.skipIf(!hasPostgres)('faults of a distributed run', () => {
  const postgres = usePostgres();
  const open = (project: DistributedProject, name: string) => writeFile(join(project.cache, name), '');

  it('sets a trial aside that ends its worker three times, and finishes the others', async () => {
    const project = await DistributedProject.make(await postgres.newDatabase(), {
      rows: 8,
      tool: "  if (value === 3) process.kill(process.pid, 'SIGKILL');",
    });
    const run = project.run();
    let lives = 0;
    const keepAlive = async (): Promise<void> => {
      while (run.child.exitCode === null && lives < 8) {
        lives++;
        await Promise.race([project.worker(['--concurrency', '3']).end, run.end]);
      }
    };
    await keepAlive();

    const { exitCode, stdout } = await run.end;
    expect(exitCode).toBe(3);
    const { totals, trials } = JSON.parse(stdout);
    expect(totals).toMatchObject({ planned: 8, pass: 7, error: 1 });
    expect(trials[3]).toMatchObject({
      ...{ outcome: 'error', fault: { code: 'TRIAL_SET_ASIDE', blame: 'target' } },
      ...{ costUsd: null, durationMs: null },
    });
    expect(trials[3].reason).toMatch(/^Set aside after 3 attempts: each time the worker ended or was lost/);
    expect(lives).toBe(4);
  });

  it('goes on by itself when Postgres is restarted twice', async () => {
    const url = await postgres.newDatabase();
    const project = await DistributedProject.make(url, {
      rows: 60,
      tool: '  await opened(`go-${Math.floor(value / 20)}`);',
    });
    const run = project.run();
    const worker = project.worker(['--concurrency', '4']);
    for (const step of [0, 1]) {
      await open(project, `go-${step}`);
      await until(
        async () => (await postgres.query(url, 'select 1 from trials').catch(() => [])).length >= 20 * step + 20,
      );
      await postgres.server.stop('immediate');
      await postgres.server.start();
    }
    await open(project, 'go-2');

    const { exitCode, stdout } = await run.end;
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).totals).toMatchObject({ planned: 60, pass: 60 });
    expect(worker.child.exitCode).toBeNull();
  });

  it('gives trials back, uncounted, when a worker is asked to end', async () => {
    const url = await postgres.newDatabase();
    const project = await DistributedProject.make(url, {
      rows: 1,
      tool: "  writeFileSync(`${gate}/${process.pid}`, '');\n  await opened('go');",
    });
    const run = project.run();
    const first = project.worker(['--drain-secs', '0.1']);
    await until(() => existsSync(join(project.cache, String(first.child.pid))));
    first.child.kill('SIGTERM');
    const { exitCode, stderr } = await first.end;

    expect(exitCode).toBe(0);
    expect(stderr).toContain('Giving back 1 trial that did not finish.');
    const jobs = await postgres.query(url, 'select state, retry_count, started_on from assay_queue.job');
    expect(jobs).toEqual([{ state: 'retry', retry_count: 0, started_on: null }]);
    const workers = JSON.parse((await assay(['workers', '--json'], { cwd: project.folder, env: project.env })).stdout);
    expect(workers.workers).toEqual([]);

    await open(project, 'go');
    project.worker();
    expect((await run.end).exitCode).toBe(0);
  });
});
