import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assay } from '../../src/testing/support/assay.ts';
import { DistributedProject } from '../../src/testing/support/distributed-run.ts';
import { hasPostgres, usePostgres } from '../../src/testing/support/postgres.ts';

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
    expect(stdout).toMatch(/not started: r-\S+ needs protocol 1/);
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
