import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { comparable, DistributedProject, type Spoken, until } from '../../src/testing/support/distributed-run.ts';
import { unsteadyServer } from '../../src/testing/support/mcp-project.ts';
import { hasPostgres, usePostgres } from '../../src/testing/support/postgres.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const kills = 4;

const codeScenario = `import { defineScenario } from 'assay/scenario';
async function* rows() {
  for (let value = 0; value < 5; value++) yield { value };
}
export default defineScenario({
  name: 'Code',
  call: { module: './tool.mjs', export: 'work' },
  dataset: rows,
  passCriteria: ['result.value === input.value'],
});
`;

describe('a distributed run without a shared store', () => {
  it.each([['run', '--distributed'], ['worker'], ['workers'], ['cancel', 'latest']])(
    'says what to set: %s',
    async (...args) => {
      const cwd = await temporaryFolder({ 'a.yaml': 'name: A\ncall: { command: cat }\ncases: [{ input: 1 }]\n' });

      const { exitCode, stderr } = await assayInProcess(args, { cwd });

      expect(exitCode).toBe(2);
      expect(stderr).toContain('Several machines need a Postgres store; this one is sqlite:');
      expect(stderr).toContain('ASSAY_STORE=postgres://');
    },
  );

  it('refuses flags that go only with it', async () => {
    const { exitCode, stderr } = await assayInProcess(['run', '--detach'], { cwd: await temporaryFolder() });

    expect(exitCode).toBe(2);
    expect(stderr).toContain('--detach requires --distributed.');
  });
});

describe.skipIf(!hasPostgres)('a distributed run', () => {
  const postgres = usePostgres();

  it('gives every result once, and the report of a local run, although workers are killed all the time', {
    timeout: 180_000,
  }, async () => {
    const url = await postgres.newDatabase();
    const project = await DistributedProject.make(url, {
      rows: 120,
      tool: '  await wait(20);\n  if (value % 40 === 7) return { value: -1 };',
      // Workers have the files of the project, and no package beside them.
      files: { 'code.scenario.ts': codeScenario },
    });
    const run = project.run('--attempts', '50');
    const workers: Spoken[] = [];
    const startWorker = (): void => void workers.push(project.worker(['--concurrency', '4']));
    const stored = async () => Number((await postgres.query(url, 'select count(*) from trials'))[0]?.count);
    startWorker();
    startWorker();
    for (let kill = 1; kill <= kills; kill++) {
      await until(async () => (await stored().catch(() => 0)) >= kill * 20);
      workers.shift()?.child.kill('SIGKILL');
      startWorker();
    }

    const { stdout, exitCode } = await run.end;
    const local = await assayInProcess(['run', '--json'], { cwd: project.folder });

    expect(exitCode).toBe(1);
    expect(comparable(stdout)).toEqual(comparable(local.stdout));
    const ids = await postgres.query(url, 'select trial_id from trials');
    expect(new Set(ids.map((row) => row.trial_id)).size).toBe(125);
    expect(ids).toHaveLength(125);
    const queues = await postgres.query(url, 'select name from assay_queue.queue');
    expect(queues).toEqual([]);
  });

  it('refuses what a worker stores after its lease has ended, and says so', async () => {
    const url = await postgres.newDatabase();
    const project = await DistributedProject.make(url, {
      rows: 1,
      tool: "  writeFileSync(`${gate}/${process.pid}`, '');\n  await opened(`go-${process.pid}`);",
    });
    const open = (name: string) => writeFile(join(project.cache, name), '');
    const run = project.run();
    const stalled = project.worker();
    await until(() => existsSync(join(project.cache, `${stalled.child.pid}`)));
    stalled.child.kill('SIGSTOP');
    const other = project.worker();
    await until(() => existsSync(join(project.cache, `${other.child.pid}`)));
    await open(`go-${stalled.child.pid}`);

    stalled.child.kill('SIGCONT');
    await stalled.says('Refused as too late');
    expect(await postgres.query(url, 'select 1 from trials')).toEqual([]);
    await open(`go-${other.child.pid}`);

    const { exitCode, stdout } = await run.end;
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).totals).toMatchObject({ planned: 1, pass: 1 });
    expect(stalled.stderrText()).toMatch(/Refused as too late: t-\S+-1-1 \(Count, attempt 1\)/);
    expect(other.stderrText()).not.toContain('Refused');
  });

  it('has no verdict where a worker meets other definitions of tools than the first one did', async () => {
    const url = await postgres.newDatabase();
    const scenario = `name: Count
call: { server: { command: node, args: [./server.mjs] }, tool: add }
cases: [{ input: { a: 1, b: 1 } }, { input: { a: 2, b: 2 } }]
passCriteria: [result === input.a + input.b]
`;
    const files = { 'count.yaml': scenario, 'server.mjs': await unsteadyServer() };
    const project = await DistributedProject.make(url, { rows: 0, tool: '', files });
    const run = project.run();
    const first = project.worker(['--concurrency', '1'], { WORDS: 'one', STUCK: '2' });
    await until(async () => (await postgres.query(url, 'select 1 from trials').catch(() => [])).length === 1);
    first.child.kill('SIGKILL');
    project.worker(['--concurrency', '1'], { WORDS: 'two' });

    const { trials } = JSON.parse((await run.end).stdout);
    expect(trials).toMatchObject([{ outcome: 'pass' }, { outcome: 'error', fault: { code: 'MCP_TOOLS_CHANGED' } }]);
  });

  it('begins no further trial after so many failures, and finishes', async () => {
    const tool = '  await wait(50);\n  return { value: -1 };';
    const project = await DistributedProject.make(await postgres.newDatabase(), { rows: 60, tool });
    const run = project.run('--stop-after-failures', '2');
    project.worker(['--concurrency', '1']);

    const { exitCode, stdout } = await run.end;
    const { status, totals } = JSON.parse(stdout);
    expect(exitCode).toBe(1);
    expect(status).toBe('finished');
    // Trials that the worker had taken come to their end.
    expect(totals.fail).toBeGreaterThanOrEqual(2);
    expect(totals.notRun).toBeGreaterThan(0);
    expect(totals.planned).toBe(60);
  });

  it('can be left alone, watched from elsewhere, and seen in the list of workers', async () => {
    const project = await DistributedProject.make(await postgres.newDatabase(), {
      rows: 6,
      tool: "  if (value === 5) await opened('go');",
    });
    const detached = await project.run('--detach').end;
    const { runId } = JSON.parse(detached.stdout);
    const worker = project.worker(['--tags', 'here', '--concurrency', '2']);
    const watching = project.start(['watch', runId]);
    const list = async () =>
      JSON.parse((await assayInProcess(['workers', '--json'], { cwd: project.folder, env: project.env })).stdout);
    await worker.says('works: 2 trials at a time; tags: here');
    // What a worker reports and what is stored are read one after the other, so both are waited for.
    await until(async () => {
      const { workers, runs } = await list();
      return workers[0]?.running.length === 1 && runs[0]?.done === 5;
    });

    const { workers, runs } = await list();
    expect(workers[0]).toMatchObject({
      isLost: false,
      state: 'working',
      facts: { concurrency: 2, tags: ['here'], protocol: 1 },
      running: [{ scenario: 'Count', runId, attempt: 1 }],
    });
    expect(runs).toMatchObject([{ runId, waiting: 0, running: 1, done: 5, unserved: [] }]);
    await writeFile(join(project.cache, 'go'), '');

    const { exitCode, stdout } = await watching.end;
    expect(stdout).toContain('All 6 trials passed');
    expect(exitCode).toBe(0);
    const { stdout: text } = await assayInProcess(['workers'], { cwd: project.folder, env: project.env });
    expect(text).toContain('working 0/2');
  });
});
