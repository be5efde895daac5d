import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assay, ended, startAssay } from '../../src/testing/support/assay.ts';
import { criteriaReply, judgedScenario } from '../../src/testing/support/judged-project.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

/** Notes each call, and answers as soon as there is a file `go`. */
const tool = `
read input
echo called >> calls.txt
until [ -e go ]; do sleep 0.1; done
echo "$input"
`;
const scenario = 'name: it\ncall: { command: sh tool.sh }\ninput: { n: 1 }\npassCriteria: [result.n === 1]\n';

const callsIn = (folder: string): number => {
  const file = join(folder, 'calls.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').split('called').length - 1 : 0;
};

function start(folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = startAssay(args, { cwd: folder, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function runningProject(): Promise<{ readonly folder: string; readonly child: ChildProcess }> {
  const folder = await temporaryFolder({ 'tool.sh': tool, 's.yaml': scenario });
  const child = start(folder, ['run', 's.yaml', '--json']);
  await expect.poll(() => callsIn(folder), { timeout: 30_000 }).toBe(1);
  // Whatever still waits may end.
  onTestFinished(() => writeFiles(folder, { go: '' }));
  return { folder, child };
}

const statusIn = async (folder: string) =>
  JSON.parse((await assay(['runs', '--json'], { cwd: folder })).stdout)[0] as { runId: string; status: string };

describe('a run and its process', () => {
  it('refuses a second process by name, and ends as finished', async () => {
    const { folder, child } = await runningProject();
    const end = ended(child);
    const { runId } = await statusIn(folder);
    const second = await assay(['run', '--resume', 'latest'], { cwd: folder });
    expect(second.exitCode).toBe(2);
    expect(second.stderr).toContain(`Run ${runId} is being run by pid ${child.pid} on host `);
    expect((await assay(['clean', '--older-than', '0d'], { cwd: folder })).stdout).toContain('0 runs removed');
    await writeFiles(folder, { go: '' });
    expect(await end).toMatchObject({ exitCode: 0 });
    expect(await statusIn(folder)).toMatchObject({ runId, status: 'finished' });
    expect(callsIn(folder)).toBe(1);
  });

  it('is seen as interrupted as soon as the process is gone, and taken up by one of two', async () => {
    const { folder, child } = await runningProject();
    const end = ended(child);
    child.kill('SIGKILL');
    await end;
    expect(await statusIn(folder)).toMatchObject({ status: 'interrupted' });
    const both = [0, 1].map(() => ended(start(folder, ['run', '--resume', 'latest', '--json'])));
    await expect.poll(() => callsIn(folder), { timeout: 30_000 }).toBe(2);
    const [refused] = await Promise.race(both.map(async (one) => [await one]));
    expect(refused).toMatchObject({ exitCode: 2 });
    await writeFiles(folder, { go: '' });
    expect((await Promise.all(both)).map(({ exitCode }) => exitCode).sort()).toEqual([0, 2]);
    expect(callsIn(folder)).toBe(2);
    expect(await statusIn(folder)).toMatchObject({ status: 'finished' });
  });
});

describe('what is not finished', () => {
  it('is not stored when it is interrupted while the judge is at work, and runs when resumed', async () => {
    const folder = await temporaryFolder({
      's.json': judgedScenario({ model: 'openai/gpt-4o-mini', successCriteria: 'It names Paris.' }),
      'tool.mjs': "export const answer = () => ({ text: 'Paris is the capital of France.' });\n",
    });
    await using model = await startScriptedModel({
      rules: [{ fault: 'stall', times: 1 }, { reply: { json: criteriaReply('met') } }],
    });
    const env = { OPENAI_API_KEY: 'sk-test-0123456789abcdef', ...model.environment };
    const child = start(folder, ['run', 's.json', '--json'], env);
    const end = ended(child);
    await expect.poll(() => model.log().length, { timeout: 30_000 }).toBe(1);
    child.kill('SIGINT');
    const interrupted = await end;
    expect(interrupted.exitCode).toBe(130);
    expect(JSON.parse(interrupted.stdout)).toMatchObject({ totals: { planned: 1, error: 0, notRun: 1 }, trials: [] });
    const resumed = await assay(['run', '--resume', 'latest', '--json'], { cwd: folder, env });
    expect(JSON.parse(resumed.stdout)).toMatchObject({ totals: { planned: 1, pass: 1 } });
  });

  it('runs trials again that ended in an error, and keeps the earlier attempts', async () => {
    const folder = await temporaryFolder({
      's.yaml':
        'name: it\ncall: { command: cat, env: { KEY: "${RETRY_KEY}" } }\ncases: [{ name: a, input: { n: 1 } }, { name: b, input: { n: 2 } }]\npassCriteria: [result.n > 0]\n',
    });
    const run = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
      JSON.parse((await assay([...args, '--json'], { cwd: folder, env })).stdout);
    const first = await run(['run', 's.yaml']);
    expect(first).toMatchObject({ totals: { planned: 2, error: 2 } });
    expect(await run(['run', '--resume', 'latest'], { RETRY_KEY: 'set' })).toMatchObject({ totals: { error: 2 } });
    const retried = await run(['run', '--retry-errors'], { RETRY_KEY: 'set' });
    expect(retried).toMatchObject({ runId: first.runId, totals: { planned: 2, pass: 2, error: 0, notRun: 0 } });
    const shown = await run(['show', retried.trials[0].trialId]);
    expect(shown).toMatchObject({ outcome: 'pass', attempts: [{ outcome: 'error' }] });
    const text = (await assay(['show', retried.trials[0].trialId], { cwd: folder })).stdout;
    expect(text).toMatch(/Earlier attempts\n {2}- error, /);
  });
});
