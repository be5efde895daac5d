import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importFormats } from '../../src/load/imports/formats/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { storedBytes } from '../../src/testing/support/project-store.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const agents = new URL('../../src/drive/agents/', import.meta.url);

/** What agents printed, as files of one folder. */
function agentFiles(): Record<string, string> {
  const paths = readdirSync(agents, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    paths
      .filter((path) => /fixtures\/.*\.(?:jsonl|stderr)$/.test(path))
      .map((path) => [`streams/${path.replace('/fixtures/', '-')}`, readFileSync(new URL(path, agents), 'utf8')]),
  );
}

const result = (task: number, trial: number, reward: number) => ({
  task_id: task,
  trial,
  reward,
  traj: [
    { role: 'user', content: 'Cancel it' },
    { role: 'assistant', content: 'Done' },
  ],
});

describe('assay import', () => {
  it('makes a run of what agents printed, which can be shown', async () => {
    const files = agentFiles();
    const cwd = await temporaryFolder(files);
    const imported = await assay(['import', 'streams', '--json', '--name', 'agents'], { cwd });
    expect(imported).toMatchObject({ exitCode: 0, stderr: '' });
    const document = JSON.parse(imported.stdout);
    const streams = Object.keys(files).filter((name) => name.endsWith('.jsonl'));
    const failed = streams.filter((name) => name.includes('error401'));
    expect(document).toMatchObject({
      schema: 'assay.import/1',
      name: 'agents',
      totals: { planned: streams.length, pass: 0, fail: 0, error: failed.length },
      problems: [],
    });
    const run = JSON.parse((await assay(['show', document.runId, '--json'], { cwd })).stdout);
    expect(run).toMatchObject({ schema: 'assay.run/1', name: 'agents', outcome: 'error' });
    const codex = run.trials.find((trial: { scenario: string }) => trial.scenario === 'codex-ok');
    expect(codex).toMatchObject({
      outcome: 'skipped',
      reason: 'no recorded outcome',
      variant: { agent: 'codex' },
      usage: { inputTokens: 3_000, outputTokens: 84 },
    });
    const shown = await assay(['show', codex.trialId], { cwd });
    expect(shown.stdout).toContain('DONE: the tool printed hello-from-tool.');
  });

  it('turns rewards into outcomes, side by side by task, with ids of their own each time', async () => {
    const results = [result(0, 0, 1), result(1, 0, 0), result(0, 1, 1), result(1, 1, 1)];
    const cwd = await temporaryFolder({ 'tau.json': JSON.stringify(results) });
    const first = await assay(['import', 'tau.json'], { cwd });
    expect(first).toMatchObject({ exitCode: 0, stderr: '' });
    expect(first.stdout).toContain('tau.json: read as tau-bench, 4 trials');
    expect(first.stdout).toContain('4 trials: 3 passed, 1 failed');
    await assay(['import', 'tau.json'], { cwd });
    const runs = JSON.parse((await assay(['runs', '--json'], { cwd })).stdout);
    expect(runs.map(({ totals }: { totals: object }) => totals)).toEqual([
      { planned: 4, pass: 3, fail: 1, error: 0, skipped: 0, notRun: 0 },
      { planned: 4, pass: 3, fail: 1, error: 0, skipped: 0, notRun: 0 },
    ]);
    const trialsOf = async (run: { runId: string }) =>
      JSON.parse((await assay(['show', run.runId, '--json'], { cwd })).stdout).trials;
    const [newer, older] = [await trialsOf(runs[0]), await trialsOf(runs[1])];
    const key = ({ scenario, caseId, repeat, outcome }: Record<string, unknown>) => [scenario, caseId, repeat, outcome];
    expect(newer.map(key)).toEqual([
      ['0', 'task', 1, 'pass'],
      ['0', 'task', 2, 'pass'],
      ['1', 'task', 1, 'fail'],
      ['1', 'task', 2, 'pass'],
    ]);
    expect(older.map(key)).toEqual(newer.map(key));
    expect(newer[2].evaluatorResults).toEqual([
      { type: 'imported', kind: 'assertion', state: 'fail', success: false, value: 0, reason: 'reward 0' },
    ]);
    const ids = [...newer, ...older].map(({ trialId }) => trialId);
    expect(new Set(ids).size).toBe(8);
  });

  it('takes back what Assay itself wrote', async () => {
    const cwd = await temporaryFolder();
    await assay(['init', '--kind', 'tool'], { cwd });
    await assay(['run', '--reporter', 'json,junit', '--output', 'out', '--quiet'], { cwd });
    const run = JSON.parse(readFileSync(join(cwd, 'out', 'run.json'), 'utf8'));
    const again = await assay(['import', 'out/run.json', '--json'], { cwd });
    expect(JSON.parse(again.stdout)).toMatchObject({ totals: run.totals, files: [{ format: 'assay-run' }] });
    const imported = JSON.parse((await assay(['show', 'latest', '--json'], { cwd })).stdout);
    const key = ({ trialId: _id, ...trial }: Record<string, unknown>) => trial;
    const without = (trials: Record<string, unknown>[]) => trials.map(key);
    expect(without(imported.trials)).toEqual(without(run.trials));
    const junit = await assay(['import', 'out/junit.xml', '--json'], { cwd });
    expect(JSON.parse(junit.stdout)).toMatchObject({ totals: run.totals, files: [{ format: 'junit' }] });
  });

  it('imports what can be read, tells the rest by file and line, and does not end well', async () => {
    const good = JSON.stringify(result(0, 0, 1));
    const cwd = await temporaryFolder({
      'good.jsonl': `${good}\n{"half`,
      'damaged.jsonl': `${good}\nnonsense\n${JSON.stringify(result(1, 0, 1))}\n`,
      'empty.jsonl': '',
      'picture.png': Buffer.from([0x89, 0x50, 0, 0, 1]),
      'other.json': '{"name":"package"}',
    });
    const torn = await assay(['import', 'good.jsonl'], { cwd });
    expect(torn.exitCode).toBe(3);
    expect(torn.stderr).toBe('good.jsonl:2:1: the last line is incomplete: not JSON\n');
    expect(torn.stdout).toContain('1 trial: 1 passed\n  1 part could not be read: trials may be missing\n');
    const files = ['damaged.jsonl', 'empty.jsonl', 'picture.png', 'other.json', 'missing.jsonl'];
    const mixed = await assay(['import', ...files], { cwd });
    expect(mixed.exitCode).toBe(3);
    expect(mixed.stdout).toContain('2 trials: 2 passed');
    const lines = mixed.stderr.trimEnd().split('\n');
    const hint = lines.filter((line) => line.startsWith('    '));
    // All of them: a reader chooses from this list.
    expect(hint).toEqual([`    Set it with \`--format\`: ${importFormats.map(({ name }) => name).join(', ')}.`]);
    expect(lines.filter((line) => !line.startsWith('    ')).sort()).toEqual([
      'damaged.jsonl:2:1: not JSON',
      'empty.jsonl:1:1: the file is empty',
      'missing.jsonl:1:1: the file or folder does not exist',
      'other.json:1:1: unknown format: it has `name`',
      'picture.png:1:1: not a text file',
    ]);
  });

  it('refuses when there is nothing to import, and leaves no run behind', async () => {
    const cwd = await temporaryFolder({ 'empty.jsonl': '\n', 'folder/notes.md': 'x' });
    for (const args of [['empty.jsonl'], ['missing'], ['folder'], ['empty.jsonl', '--format', 'tau-bench']]) {
      const refused = await assay(['import', ...args], { cwd });
      expect(refused).toMatchObject({ exitCode: 2, stdout: 'Nothing was imported.\n' });
    }
    expect((await assay(['runs'], { cwd })).stdout).toContain('No runs are stored yet');
    const unknown = await assay(['import', 'empty.jsonl', '--format', 'taubench'], { cwd });
    expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
    expect(unknown.stderr).toContain('Did you mean `tau-bench`?');
  });

  it('shows the columns that it guessed of a table, and reads it when they are confirmed', async () => {
    const cwd = await temporaryFolder({ 'results.csv': 'task,correct,usd\na,1,0.5\nb,0,0.25\n' });
    const refused = await assay(['import', 'results.csv'], { cwd });
    expect(refused).toMatchObject({ exitCode: 2, stdout: 'Nothing was imported.\n' });
    expect(refused.stderr).toContain(
      'results.csv:2:1: a table whose columns were guessed: case=task,outcome=correct,cost=usd',
    );
    expect(refused.stderr).toContain('--columns guessed');
    const read = await assay(['import', 'results.csv', '--columns', 'case=task,outcome=correct,cost=usd', '--json'], {
      cwd,
    });
    expect(read).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(read.stdout)).toMatchObject({
      totals: { planned: 2, pass: 1, fail: 1 },
      files: [{ format: 'table', trials: 2 }],
    });
    const wrong = await assay(['import', 'results.csv', '--columns', 'cases=task'], { cwd });
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
    expect(wrong.stderr).toContain('"cases=task" is not one of scenario=…, case=…');
    const noNumber = await assay(['import', 'results.csv', '--pass-at', 'high'], { cwd });
    expect(noNumber).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('keeps secrets out of the store', async () => {
    const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789';
    const cwd = await temporaryFolder({ 'talk.jsonl': `${JSON.stringify({ role: 'user', content: secret })}\n` });
    expect((await assay(['import', 'talk.jsonl'], { cwd })).exitCode).toBe(0);
    const run = JSON.parse((await assay(['show', 'latest', '--json'], { cwd })).stdout);
    const shown = await assay(['show', run.trials[0].trialId, '--json'], { cwd });
    expect(shown.stdout).toContain('"role": "user"');
    expect(shown.stdout).not.toContain(secret);
    expect((await storedBytes(cwd)).includes(secret)).toBe(false);
  });
});
