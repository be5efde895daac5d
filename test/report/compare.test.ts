import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CommandResult } from '../../src/testing/support/assay.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';
import { reportDocumentIn } from '../../src/testing/support/reported-figures.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

/** Cases of a tool that adds; those in `wrong` come out wrong. */
async function adder(wrong: readonly number[] = [], count = 12): Promise<string> {
  const folder = await temporaryFolder({});
  await breakCases(folder, wrong);
  const cases = Array.from({ length: count }, (_, index) => ({
    name: `add-${index}`,
    input: { n: index },
    expected: index + 1,
  }));
  const scenario = {
    name: 'adding',
    call: { module: './tool.mjs', export: 'add' },
    cases: cases.map(({ name, input, expected }) => ({ name, input, passCriteria: [`result === ${expected}`] })),
  };
  await writeFiles(folder, { 'adding.json': JSON.stringify(scenario) });
  return folder;
}

async function breakCases(folder: string, wrong: readonly number[]): Promise<void> {
  const text = `export const add = ({ n }) => (${JSON.stringify(wrong)}.includes(n) ? -1 : n + 1);\n`;
  await writeFiles(folder, { 'tool.mjs': text });
}

async function run(folder: string, ...flags: readonly string[]): Promise<CommandResult> {
  return assay(['run', 'adding.json', '-q', ...flags], { cwd: folder });
}

interface ComparisonDocument {
  readonly schema: string;
  readonly answer: string;
  readonly metrics: readonly {
    readonly name: string;
    readonly answer: string;
    readonly cases: number;
    readonly plan?: object;
  }[];
  readonly changedCases: readonly { readonly caseId: string; readonly change: string; readonly broken: string[] }[];
  readonly differences: readonly { readonly what: string; readonly isDecisive: boolean }[];
}

async function compare(
  folder: string,
  ...args: readonly string[]
): Promise<CommandResult & { document: ComparisonDocument }> {
  const result = await assay(['compare', ...args, '--json'], { cwd: folder });
  return { ...result, document: result.stdout === '' ? undefined : JSON.parse(result.stdout) };
}

describe('assay compare', () => {
  it('reports that a run is worse, which cases broke, and exits with 1', async () => {
    const folder = await adder();
    await run(folder);
    await breakCases(folder, [0, 1, 2, 3, 4, 5, 6, 7]);
    await run(folder);
    const { document, exitCode } = await compare(folder, 'latest~1', 'latest', '--fail-on', 'worse');
    expect(exitCode).toBe(1);
    expect(document).toMatchObject({ schema: 'assay.compare/1', answer: 'worse', differences: [] });
    expect(document.metrics[0]).toMatchObject({ name: 'pass-rate', answer: 'worse', cases: 12 });
    expect(document.changedCases).toHaveLength(8);
    expect(document.changedCases[0]).toMatchObject({
      change: 'broke',
      broken: [expect.stringMatching(/^result === \d+$/)],
    });
    expect((await compare(folder, 'latest', 'latest~1', '--fail-on', 'worse')).exitCode).toBe(0);
    expect((await compare(folder, 'latest~1', 'latest', '--fail-on', 'not-better')).exitCode).toBe(1);
    expect((await compare(folder, 'latest', 'latest', '--fail-on', 'changed')).exitCode).toBe(0);
    const unknown = await compare(folder, 'latest~1', 'latest', '--metric', 'pas-rate');
    expect(unknown).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Did you mean `pass-rate`?') });
    const text = await assay(['compare', 'latest~1', 'latest'], { cwd: folder });
    expect(text.stdout).toMatch(/^On these 12 tasks, B is worse: pass rate 100 % → 33 %\./);
  });

  it('answers for one task by its trials, beside the answer over tasks, in every format', async () => {
    const folder = await adder([], 1);
    await run(folder, '--repeat', '8');
    await breakCases(folder, [0]);
    await run(folder, '--repeat', '8');
    const { document, exitCode } = await compare(folder, 'latest~1', 'latest', '--fail-on', 'worse');
    expect(exitCode).toBe(1);
    expect(document.answer).toBe('not-enough-data');
    expect(document.metrics[0]).toMatchObject({
      cases: 1,
      onTheseTasks: { answer: 'worse', cases: 1, trialsA: 8, trialsB: 8, difference: -1 },
    });
    const words = ['On this task, B is worse: pass rate 100 % → 0 %; 1 case broke', /worse \(−100 to −\d+\)/];
    for (const format of ['console', 'markdown']) {
      const { stdout } = await assay(['compare', 'latest~1', 'latest', '--format', format], { cwd: folder });
      for (const each of words) expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(each);
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain('For tasks like these, not enough data');
    }
    const plan = await assay(['plan-repeats', 'latest~1', 'latest', '--json'], { cwd: folder });
    const [question] = document.metrics;
    expect(JSON.parse(plan.stdout).plan).toEqual(question?.plan);
  });

  it('decides by these tasks, or by tasks like these with --question', async () => {
    const folder = await adder([], 20);
    await run(folder, '--repeat', '10');
    await breakCases(folder, [3, 7, 11]);
    await run(folder, '--repeat', '10');
    const flags = ['latest~1', 'latest', '--fail-on', 'worse'];
    const { document, exitCode } = await compare(folder, ...flags);
    expect(exitCode).toBe(1);
    expect(document).toMatchObject({ answer: 'not-enough-data', answerOnTheseTasks: 'worse' });
    expect((await compare(folder, ...flags, '--question', 'tasks-like-these')).exitCode).toBe(0);
    const check = await assay(['run', 'adding.json', '-q', '--repeat', '10', '--baseline', 'latest~1'], {
      cwd: folder,
    });
    expect(check.stderr).toContain('adding › add-3');
    const text = await assay(['compare', 'latest~2', 'latest'], { cwd: folder });
    const words = text.stdout.replaceAll(/\s+/g, ' ');
    expect(words).toContain('3 cases broke (adding › add-11: passed 10 of 10, now 0 of 10');
    expect(text.stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(24);
  });

  it('refuses what is not comparable, unless it is forced', async () => {
    const folder = await adder();
    await run(folder);
    const file = join(folder, 'adding.json');
    await writeFiles(folder, {
      'adding.json': (await readFile(file, 'utf8')).replace('result === 1"', 'result == 1"'),
    });
    await run(folder);
    const refused = await compare(folder, 'latest~1', 'latest');
    expect(refused.exitCode).toBe(2);
    expect(refused.document).toMatchObject({
      answer: 'not-comparable',
      metrics: [],
      differences: [{ what: 'scenario', isDecisive: true }],
    });
    expect(refused.stderr).toContain('--force');
    const forced = await compare(folder, 'latest~1', 'latest', '--force');
    expect(forced).toMatchObject({ exitCode: 0, document: { answer: 'not-enough-data', isForced: true } });
  });

  it('reads documents of `assay run --json`, and writes files', async () => {
    const folder = await adder();
    await writeFiles(folder, { 'run.json': (await run(folder, '--json')).stdout });
    const args = ['compare', 'run.json', 'latest', '--format', 'console,markdown,json,html', '-o', 'out'];
    const written = await assay(args, { cwd: folder });
    expect(written.exitCode).toBe(0);
    expect(written.stdout).toContain('A and B are the same run.');
    expect(await readFile(join(folder, 'out/comparison.md'), 'utf8')).toContain('| pass rate | 100 % → 100 % |');
    expect(JSON.parse(await readFile(join(folder, 'out/comparison.json'), 'utf8'))).toMatchObject({ changedCases: [] });
    const { comparison } = reportDocumentIn(await readFile(join(folder, 'out/comparison.html'), 'utf8'));
    const anyRun = expect.stringMatching(/^r-/);
    expect(comparison).toMatchObject({ a: { runId: anyRun }, b: { runId: anyRun }, changedCases: [] });
  });

  it('compares the guidance variants of one run', async () => {
    const guidance = 'guidance: { bad: guides/bad.md, good: guides/good.md }\n';
    const folder = await toolProject({
      scenario: toolScenario('[{ type: file_exists, path: .my-tool/store.db }]', guidance),
      script: `steps:
  - run: my-tool create milk
    when: { not: { file: AGENTS.md, contains: --title } }
  - run: my-tool create --title milk
    when: { file: AGENTS.md, contains: --title }
`,
      files: { 'guides/bad.md': 'Use my-tool create.\n', 'guides/good.md': 'Use my-tool create --title TEXT.\n' },
    });
    const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
    await assay(['run', 'scenario.yaml', '--no-cache', '-q', '--repeat', '2'], { cwd: folder, env });
    const { document, exitCode } = await compare(folder, 'latest', '--by', 'guidance');
    expect(exitCode).toBe(0);
    expect(document).toMatchObject({
      answer: 'not-enough-data',
      a: { label: 'bad', trials: 2 },
      b: { label: 'good', trials: 2 },
      changedCases: [{ change: 'fixed', passedA: 0, triedA: 2, passedB: 2, triedB: 2, variant: { agent: 'scripted' } }],
      subcommands: [{ subcommand: 'create', callsA: 2, callsB: 2, errorsA: 2, errorsB: 0 }],
    });
    const swapped = await compare(folder, 'latest', '--by', 'guidance', '--a', 'good');
    expect(swapped.document.changedCases).toMatchObject([{ change: 'broke', broken: ['file_exists'] }]);
    const unknown = await compare(folder, 'latest', '--by', 'guidance', '--a', 'goood');
    expect(unknown).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Did you mean `good`?') });
    expect((await compare(folder, 'latest', '--by', 'model')).exitCode).toBe(2);
    const shown = await assay(['show', 'latest'], { cwd: folder });
    expect(shown.stdout).toMatch(/scripted, guidance good +2 +100 % \(57 % to 100 %\) +100 % \(12 % to 100 %\)/);
  });

  it.each([
    { args: ['nothing', 'latest'], message: 'There is no run, baseline or file "nothing"' },
    { args: [], message: 'Fewer than 2 runs are stored, so there is no "latest~1".' },
    { args: ['latest', 'latest', '--by', 'agent'], message: 'a second run was named' },
    { args: ['latest', 'latest', '--a', 'x'], message: 'require --by' },
    { args: ['latest', 'latest', '--smallest', 'pass-rate'], message: 'a name and a number above 0' },
    { args: ['latest', 'latest', '--format', 'htlm'], message: 'Unknown format "htlm"' },
    { args: ['latest', 'latest', '--fail-on', 'bad'], message: 'Allowed choices are worse, not-better, changed' },
  ])('refuses $args', async ({ args, message }) => {
    const result = await assay(['compare', ...args], { cwd: await temporaryFolder({}) });
    expect(result.stderr).toContain(message);
    expect(result.exitCode).toBe(2);
  });
});

describe('what is left out of a comparison', () => {
  it('is the run before the latest, and the latest', async () => {
    const folder = await adder([3]);
    await run(folder);
    await run(folder);
    const [after, before] = JSON.parse((await assay(['runs', '--json'], { cwd: folder })).stdout);
    expect((await compare(folder)).document).toMatchObject({
      a: { label: before.runId },
      b: { label: after.runId },
    });
    expect((await compare(folder, before.runId)).document).toMatchObject({ b: { label: after.runId } });
    const alone = await assay(['compare', 'latest'], { cwd: folder });
    expect(alone).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`Both runs to compare are ${after.runId}, the latest.`),
    });
  });
});

describe('assay baseline', () => {
  it('is set, kept, and broken by name', async () => {
    const folder = await adder([3]);
    await run(folder);
    const set = await assay(['baseline', 'set', '--name', 'main'], { cwd: folder });
    expect(set).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('assay.baseline.main.json') });

    const kept = await run(folder, '--baseline', 'main');
    expect(kept.stderr).toContain('No regression against the baseline main');
    expect(kept.exitCode).toBe(1);

    await breakCases(folder, []);
    expect((await run(folder, '--baseline', 'main')).exitCode).toBe(0);

    await breakCases(folder, [3, 4]);
    const doubtful = await run(folder, '--baseline', 'main', '--min-pass-rate', '0.5');
    expect(doubtful.stderr).toContain('1 possible one is within chance with so few trials');
    expect(doubtful.exitCode).toBe(0);
    const broken = await run(folder, '--baseline', 'main', '--min-pass-rate', '0.5', '--any-break');
    expect(broken.stderr).toContain('adding › add-4: result === 5 broke: passed 1 of 1 before, 0 of 1 now');
    expect(broken.stderr).not.toContain('add-3');
    expect(broken.exitCode).toBe(1);

    const check = await assay(['baseline', 'check', 'latest', '--name', 'main', '--any-break', '--json'], {
      cwd: folder,
    });
    expect(check.exitCode).toBe(1);
    expect(JSON.parse(check.stdout)).toMatchObject({
      schema: 'assay.baseline-check/1',
      outcome: 'fail',
      regressions: [{ rule: 'check', caseId: 'add-4', trialId: expect.any(String) }],
    });
  });

  it('warns of a fall by more than 15 % in a project without a config, and says what the statistics answer', async () => {
    const folder = await adder();
    await run(folder);
    await assay(['baseline', 'set'], { cwd: folder });
    await breakCases(folder, [3]);
    const small = await assay(['run', '-q', '--baseline', 'default', '--min-pass-rate', '0.5'], { cwd: folder });
    expect(small).toMatchObject({ exitCode: 0 });
    expect(small.stderr).not.toContain('warning:');
    await breakCases(folder, [3, 4]);
    const large = await assay(['run', '-q', '--baseline', 'default', '--min-pass-rate', '0.5'], { cwd: folder });
    expect(large).toMatchObject({ exitCode: 0 });
    expect(large.stderr).toMatch(
      /warning: pass rate fell by 17 points: 100 % → 83 % \(on these \d+ tasks: [a-z -]+; for tasks like these: [a-z -]+\)/,
    );
    const check = await assay(['baseline', 'check', '--json'], { cwd: folder });
    expect(JSON.parse(check.stdout)).toMatchObject({
      outcome: 'pass',
      warnings: [{ rule: 'score-drop', figure: 'pass-rate', before: 1, change: expect.closeTo(-1 / 6) }],
    });
  });

  it('says so if it is the best of several runs, part of which is luck', async () => {
    const folder = await adder([3]);
    await run(folder);
    await breakCases(folder, []);
    await run(folder);
    await breakCases(folder, [3, 4]);
    await run(folder);
    const set = (which: string) => assay(['baseline', 'set', which], { cwd: folder });
    expect((await set('latest~1')).stderr).toMatch(/^warning: r-\S+ passed more often than 2 other runs/);
    expect((await set('latest~2')).stderr).toBe('');
    expect((await set('latest')).stderr).toBe('');
  });

  it('may be an earlier run, and `latest` is not the run itself', async () => {
    const folder = await adder();
    await run(folder);
    await breakCases(folder, [1]);
    const broken = await run(folder, '--baseline', 'latest', '--any-break', '--json');
    expect(broken.stderr).toContain('1 regression against the baseline');
    expect(JSON.parse(broken.stdout)).toMatchObject({ schema: 'assay.run/1' });
  });

  it('that is not there costs nothing', async () => {
    const folder = await adder();
    const missing = await run(folder, '--baseline', 'main');
    expect(missing).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('There is no run, baseline or file'),
    });
    expect((await assay(['runs', '--json'], { cwd: folder })).stdout).toBe('[]\n');
    expect((await run(folder, '--max-cost-rise', '20%')).stderr).toContain('requires --baseline');
    expect((await assay(['baseline', 'sett'], { cwd: folder })).stderr).toContain('Did you mean `set`?');
  });

  it('of other scenarios says nothing, with exit code 2', async () => {
    const folder = await adder();
    await run(folder);
    await assay(['baseline', 'set'], { cwd: folder });
    const text = await readFile(join(folder, 'adding.json'), 'utf8');
    await writeFiles(folder, { 'adding.json': text.replace('result === 1"', 'result == 1"') });
    const changed = await run(folder, '--baseline', 'default');
    expect(changed.stderr).toContain('1 scenario changed between the runs: adding');
    expect(changed.exitCode).toBe(2);
  });
});

describe('assay experiment plan', () => {
  it('tells repeats, trials and time', async () => {
    const folder = await adder([0, 1, 2]);
    await run(folder, '--repeat', '2');
    const plan = await assay(['plan-repeats', 'latest', '--difference', '0.2', '--json'], { cwd: folder });
    expect(JSON.parse(plan.stdout)).toMatchObject({ metric: 'pass-rate', difference: 0.2, cases: 12, repeats: 2 });
    const text = await assay(['plan-repeats', 'latest'], { cwd: folder });
    expect(text.stdout).toContain('To detect a difference of 5 points in pass-rate with 80 % power:');
    expect((await assay(['plan-repeats', 'latest', '--metric', 'none'], { cwd: folder })).exitCode).toBe(3);
  });
});
