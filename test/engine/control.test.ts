import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { serveFiles } from '../../src/testing/fakes/server/served-project.ts';
import { assay } from '../../src/testing/support/assay.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { DistributedProject, until } from '../../src/testing/support/distributed-run.ts';
import { criteriaReply } from '../../src/testing/support/judged-project.ts';
import { hasPostgres, usePostgres } from '../../src/testing/support/postgres.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const notesItsBeginning = "  appendFileSync(gate + '/begun', value + ' ');";

/** A project on SQLite whose tool waits for files, with the commands that a second terminal would give. */
async function gatedProject(rows: number, tool: string, files: Record<string, string> = {}, storeUrl?: string) {
  const url = storeUrl ?? `sqlite:${await temporaryFolder()}/runs.db`;
  const project = await DistributedProject.make(url, { rows, tool: `${notesItsBeginning}\n${tool}`, files });
  const begun = (): string[] => {
    try {
      return readFileSync(join(project.cache, 'begun'), 'utf8').trim().split(' ').sort();
    } catch {
      return [];
    }
  };
  const control = (...args: string[]) =>
    assayInProcess(['control', ...args], { cwd: project.folder, env: project.env });
  const newest = async () => {
    const { stdout } = await assayInProcess(['runs', '--json'], { cwd: project.folder, env: project.env });
    return JSON.parse(stdout)[0];
  };
  return { project, begun, control, newest, open: (name: string) => writeFile(join(project.cache, name), '') };
}

describe('a live run', () => {
  it('is paused, retuned and continued from another terminal; the pause is not part of its duration', async () => {
    const tool = "  await opened(value < 2 ? 'first' : 'second');";
    const { project, begun, control, newest, open } = await gatedProject(6, tool);
    const startedAt = Date.now();
    const run = project.start(['run', '--json', '--concurrency', '2']);
    await until(async () => begun().length === 2);

    expect((await control('pause')).stdout).toContain('is paused: running trials end, and none begins');
    await run.says('Paused');
    await open('first');
    await until(async () => (await newest()).totals.pass === 2);
    expect(await newest()).toMatchObject({ status: 'paused', totals: { pass: 2, notRun: 4 } });
    expect((await control('pause')).stdout).toContain('was paused already');
    expect((await assay(['runs'], { cwd: project.folder, env: project.env })).stdout).toContain('paused:');
    expect(begun()).toEqual(['0', '1']);

    expect((await control('set', 'latest', '--concurrency', '4')).stdout).toContain('at most 4 trials at a time');
    await run.says('Trials at a time: 4');
    expect((await control('continue')).stdout).toContain('goes on');
    await until(async () => begun().length === 6);
    await open('second');
    const { exitCode, stdout } = await run.end;
    const { totals, durationMs, pausedMs } = JSON.parse(stdout);
    expect([exitCode, totals.pass]).toEqual([0, 6]);
    expect(pausedMs).toBeGreaterThan(0);
    expect(durationMs).toBeLessThanOrEqual(Date.now() - startedAt - pausedMs);
    expect(await newest()).toMatchObject({ status: 'finished', durationMs });
    const report = await assayInProcess(['report', 'latest', '--format', 'console', '-o', '-'], {
      cwd: project.folder,
      env: project.env,
    });
    expect(report.stdout).toContain('paused for ');

    const refusals = [
      [['pause'], 'is not running'],
      [['pasue'], '`pause`'],
      [['set'], 'changes nothing'],
      [['pause', 'latest', '--concurrency', '2'], 'takes no settings'],
      [['continue', 'latest', 't-1'], 'takes no trials'],
      [['set', 'latest', '--concurrency', '0'], 'whole number from 1'],
      [['pause', 'r-unknown'], 'There is no run'],
    ] as const;
    for (const [args, text] of refusals) {
      const { exitCode: refused, stderr } = await control(...args);
      expect([refused, stderr]).toEqual([2, expect.stringContaining(text)]);
    }
  });

  it('runs trials again that could not be judged, and no others', async () => {
    const tool =
      "  if (value < 2 && !existsSync(gate + '/mended')) process.exit(3);\n  if (value > 2) await opened('go');";
    const { project, control, newest, open } = await gatedProject(5, tool);
    const run = project.start(['run', '--json', '--concurrency', '2']);
    await until(async () => {
      const run = await newest();
      return run?.totals.error === 2 && run.totals.pass === 1;
    });
    const { stdout } = await assayInProcess(['show', 'latest', '--json'], { cwd: project.folder, env: project.env });
    const ids: Record<string, string> = {};
    for (const { trialId, caseId } of JSON.parse(stdout).trials) ids[caseId] = trialId;
    const [first = '', , judged = ''] = Object.values(ids);
    const refused = await control('requeue', 'latest', judged);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('has a verdict (pass)')]);
    expect((await control('requeue', 'latest', 't-nothing')).stderr).toContain('no finished trial');

    await open('mended');
    expect((await control('requeue', 'latest', first)).stdout).toContain('1 trial of');
    expect(await newest()).toMatchObject({ totals: { error: 1, pass: 1 } });
    expect((await control('requeue')).stdout).toContain('1 trial of');
    expect((await control('requeue')).stdout).toContain('no trial that ended in an error');
    await open('go');
    const { exitCode, stdout: document, stderr } = await run.end;
    expect([exitCode, JSON.parse(document).totals]).toEqual([0, expect.objectContaining({ pass: 5, error: 0 })]);
    expect(stderr).toContain('2 trials that could not be judged run again');
  });

  it('that is killed while it is paused is interrupted, and says so when it is resumed', async () => {
    const { project, begun, control, newest, open } = await gatedProject(3, "  await opened('go');");
    const run = project.start(['run', '--json', '--concurrency', '1']);
    await until(async () => begun().length === 1);
    await control('pause');
    await run.says('Paused');
    run.child.kill('SIGKILL');
    await run.end;
    expect(await newest()).toMatchObject({ status: 'interrupted' });
    await open('go');
    const resumed = await project.start(['run', '--resume', 'latest', '--json']).end;
    expect(resumed.stderr).toContain('The run was paused; it goes on now.');
    expect([resumed.exitCode, JSON.parse(resumed.stdout).totals.pass]).toEqual([0, 3]);
  });

  it('gets another spending limit where it has one', async () => {
    await using model = await startScriptedModel({
      rules: [{ reply: { json: criteriaReply('met', '"value":0', 'e2') } }],
    });
    const scenario = {
      name: 'Count',
      call: { module: './tool.mjs', export: 'work' },
      input: { value: 0 },
      judge: { model: 'openai/gpt-4o-mini', successCriteria: 'The value is 0.' },
    };
    const { project, begun, control, open } = await gatedProject(1, "  await opened('go');", {
      'count.yaml': JSON.stringify(scenario),
    });
    const run = project.start(['run', '--json', '--no-cache', '--max-usd', '0.000001'], {
      OPENAI_API_KEY: 'sk-test-key-of-the-scripted-model',
      ...model.environment,
    });
    await until(async () => begun().length === 1);
    expect((await control('set', 'latest', '--max-usd', '1')).stdout).toContain('a spending limit of $1');
    await run.says('Spending limit: $1');
    await open('go');
    const { stdout, exitCode } = await run.end;
    expect([exitCode, JSON.parse(stdout).trials[0]]).toMatchObject([0, { outcome: 'pass' }]);
  });

  it('is changed over the API, which refuses what the command refuses', async () => {
    const gate = join(await temporaryFolder(), 'go');
    const scenario = JSON.stringify({
      name: 'Gated',
      call: { command: `while [ ! -e '${gate}' ]; do sleep 0.02; done; echo '{"ok":true}'` },
      input: {},
      repeat: 3,
      passCriteria: ['result.ok'],
    });
    await using served = await serveFiles({ 'gated.json': scenario });
    const started = await served.send('POST', '/api/runs', { concurrency: 1 });
    const { runId } = (await started.json()) as { runId: string };
    const change = (body: object) => served.send('POST', `/api/runs/${runId}/control`, body);
    const paused = await (await change({ action: 'pause' })).json();
    expect(paused).toEqual({ runId, message: expect.stringContaining('is paused') });
    expect(await served.get(`/api/runs/${runId}`)).toMatchObject({ status: 'paused', isLive: true });
    expect((await change({ action: 'set', maxUsd: 1 })).status).toBe(400);
    expect((await change({ action: 'stop' })).status).toBe(400);
    expect((await change({ action: 'continue' })).status).toBe(200);
    await writeFile(gate, '');
    await until(async () => !(await served.get<{ isLive: boolean }>(`/api/runs/${runId}`)).isLive);
    expect(await served.get(`/api/runs/${runId}`)).toMatchObject({ status: 'finished', totals: { pass: 3 } });
    expect((await change({ action: 'pause' })).status).toBe(400);
  });

  describe.skipIf(!hasPostgres)('on workers', () => {
    const postgres = usePostgres();

    it('is paused, limited, and gets its errors again', async () => {
      // Workers take the next trials ahead where trials are shorter than a quarter of a second.
      const tool = `  if (value === 0) await new Promise((resolve) => setTimeout(resolve, 600));
  if (value === 0 && !existsSync(gate + '/mended')) return () => 'not JSON';
  await opened(value < 2 ? 'first' : 'second');`;
      const url = await postgres.newDatabase();
      const { project, begun, control, newest, open } = await gatedProject(6, tool, {}, url);
      const worker = project.worker(['--concurrency', '2']);
      const run = project.run();
      await until(
        async () => ['0', '1', '2'].every((value) => begun().includes(value)) && (await newest()).totals.error === 1,
      );
      expect((await control('pause')).stdout).toContain('is paused');
      await run.says('Paused');
      const before = begun().length;
      await open('mended');
      await open('first');
      expect((await control('requeue')).stdout).toContain('1 trial of');
      expect((await control('set', 'latest', '--max-usd', '1')).exitCode).toBe(2);
      expect((await control('set', 'latest', '--concurrency', '1')).stdout).toContain('at most 1 trial at a time');
      await until(async () => (await newest()).totals.pass >= 1);
      expect(await newest()).toMatchObject({ status: 'paused' });
      expect(begun()).toHaveLength(before);
      expect((await control('continue')).stdout).toContain('goes on');
      await open('second');
      const { exitCode, stdout } = await run.end;
      const { totals, pausedMs } = JSON.parse(stdout);
      expect([exitCode, totals.pass, worker.child.exitCode]).toEqual([0, 6, null]);
      expect(pausedMs).toBeGreaterThan(0);
    });
  });
});
