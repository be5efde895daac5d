import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assay } from '../../src/testing/support/assay.ts';
import { DistributedProject, until } from '../../src/testing/support/distributed-run.ts';
import { hasPostgres, usePostgres } from '../../src/testing/support/postgres.ts';

describe.skipIf(!hasPostgres)('coordinators of a distributed run', () => {
  const postgres = usePostgres();
  const open = (project: DistributedProject, name: string) => writeFile(join(project.cache, name), '');
  const storedCount = async (url: string) =>
    Number((await postgres.query(url, 'select count(*) from trials').catch(() => []))[0]?.count ?? 0);

  it('can be cancelled from elsewhere, and resumed', async () => {
    const url = await postgres.newDatabase();
    const project = await DistributedProject.make(url, { rows: 10, tool: "  if (value > 4) await opened('go');" });
    const run = project.run();
    const worker = project.worker(['--concurrency', '2']);
    await until(async () => (await storedCount(url)) === 5);

    const cancelled = await assay(['cancel', 'latest'], { cwd: project.folder, env: project.env });
    expect(cancelled.stdout).toMatch(/is cancelled: 5 of 10 trials are stored/);
    const { exitCode, stdout, stderr } = await run.end;
    expect(exitCode).toBe(130);
    expect(JSON.parse(stdout).totals).toMatchObject({ pass: 5, notRun: 5 });
    expect(stderr).toMatch(/Continue with: assay run --resume r-\S+ --distributed/);
    const again = await assay(['cancel', 'latest'], { cwd: project.folder, env: project.env });
    expect(again.stdout).toContain('was over already');

    await open(project, 'go');
    const resumed = await project.run('--resume', 'latest').end;
    expect(resumed.exitCode).toBe(0);
    expect(JSON.parse(resumed.stdout).totals).toMatchObject({ planned: 10, pass: 10 });
    expect(worker.child.exitCode).toBeNull();
  });

  it('is one while it lives: another is refused, and takes nothing away', async () => {
    const url = await postgres.newDatabase();
    const project = await DistributedProject.make(url, { rows: 20, tool: "  if (value > 4) await opened('go');" });
    const first = project.run();
    project.worker(['--concurrency', '4']);
    await until(async () => (await storedCount(url)) === 5);
    const second = await project.run('--resume', 'latest').end;
    expect(second.exitCode).toBe(2);
    expect(second.stderr).toMatch(/Run r-\S+ is being run by pid \d+ on host \S+ since /);
    await open(project, 'go');

    const { exitCode, stdout } = await first.end;
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).totals).toMatchObject({ planned: 20, pass: 20 });
    expect(await storedCount(url)).toBe(20);
  });

  it('may be killed: the workers finish the run, and somebody else gets the report', async () => {
    const url = await postgres.newDatabase();
    const project = await DistributedProject.make(url, { rows: 12, tool: "  if (value > 4) await opened('go');" });
    const run = project.run();
    project.worker(['--concurrency', '4']);
    await until(async () => (await storedCount(url)) === 5);
    run.child.kill('SIGKILL');
    await open(project, 'go');
    await until(async () => (await postgres.query(url, 'select status from runs'))[0]?.status === 'finished');

    const resumed = await project.run('--resume', 'latest').end;
    expect(resumed.exitCode).toBe(0);
    expect(JSON.parse(resumed.stdout).totals).toMatchObject({ planned: 12, pass: 12 });
  });
});
