import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assay } from './support/assay.ts';
import { DistributedProject, until } from './support/distributed-run.ts';
import { hasPostgres, usePostgres } from './support/postgres.ts';

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
    expect(JSON.parse(stdout).totals).toMatchObject({ pass: 5, skipped: 5 });
    expect(stderr).toMatch(/Continue with: assay run --resume r-\S+ --distributed/);
    const again = await assay(['cancel', 'latest'], { cwd: project.folder, env: project.env });
    expect(again.stdout).toContain('was over already');

    await open(project, 'go');
    const resumed = await project.run('--resume', 'latest').end;
    expect(resumed.exitCode).toBe(0);
    expect(JSON.parse(resumed.stdout).totals).toMatchObject({ planned: 10, pass: 10 });
    expect(worker.child.exitCode).toBeNull();
  });

  it('may be two of one run', async () => {
    const url = await postgres.newDatabase();
    const project = await DistributedProject.make(url, { rows: 20, tool: "  if (value > 4) await opened('go');" });
    const first = project.run();
    project.worker(['--concurrency', '4']);
    await until(async () => (await storedCount(url)) === 5);
    const second = project.run('--resume', 'latest');
    await second.says('5 of 20 trials are stored already').catch(() => undefined);
    await open(project, 'go');

    const ends = await Promise.all([first.end, second.end]);

    for (const { exitCode, stdout } of ends) {
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout).totals).toMatchObject({ planned: 20, pass: 20 });
    }
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

describe.skipIf(!hasPostgres)('who runs which trial', () => {
  const postgres = usePostgres();

  it('is a worker with the variable and the tag that the trial needs; others and the coordinator say what is missing', async () => {
    const project = await DistributedProject.make(await postgres.newDatabase(), {
      rows: 1,
      tool: '',
      files: {
        'keyed.yaml':
          'name: Keyed\ncall: { command: "echo \\"{\\\\\\"key\\\\\\": \\\\\\"$KEY\\\\\\"}\\"", env: { KEY: "${ONLY_THERE}" } }\nworker: { tags: [gpu] }\ncases: [{ input: 1 }]\npassCriteria: [result.key === "there"]\n',
      },
    });
    const run = project.start(['run', '--distributed', '--json'], { ONLY_THERE: 'elsewhere' });
    const without = project.worker();
    await without.says('needs tag gpu, variable ONLY_THERE');
    await run.says('lacks tag gpu, variable ONLY_THERE');
    project.worker(['--tags', 'gpu'], { ONLY_THERE: 'there' });

    const { exitCode, stdout } = await run.end;
    expect(JSON.parse(stdout).totals).toMatchObject({ planned: 2, pass: 2 });
    expect(exitCode).toBe(0);
  });

  it('is no worker of an older protocol, which says so', async () => {
    const project = await DistributedProject.make(await postgres.newDatabase(), { rows: 1, tool: '' });
    const run = project.run();
    const old = project.worker(['--protocol', '0']);
    await old.says('needs protocol 1 (update Assay there)');
    await run.says('protocol 1 (update Assay there)');
    const { stdout } = await assay(['workers'], { cwd: project.folder, env: project.env });
    expect(stdout).toMatch(/not taken: r-\S+ needs protocol 1/);
    project.worker();

    expect((await run.end).exitCode).toBe(0);
  });

  it('is only one at a time where that is the limit, whatever the number of workers', async () => {
    const project = await DistributedProject.make(await postgres.newDatabase(), {
      rows: 12,
      tool: "  if (existsSync(gate + '/busy')) return { value: 'not alone' };\n  writeFileSync(gate + '/busy', '');\n  await wait(20);\n  (await import('node:fs')).rmSync(gate + '/busy');",
      files: { 'assay.config.yaml': 'limits: { "target:module": 1 }\n' },
    });
    const run = project.run();
    project.worker(['--concurrency', '4']);
    project.worker(['--concurrency', '4']);

    const { exitCode, stdout } = await run.end;
    expect(JSON.parse(stdout).totals).toMatchObject({ planned: 12, pass: 12 });
    expect(exitCode).toBe(0);
    expect(existsSync(join(project.cache, 'busy'))).toBe(false);
  });
});
