import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assay } from '../../src/testing/support/assay.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { serving } from '../../src/testing/support/serving.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

const sumTool = 'export const sum = ({ a, b }: { a: number; b: number }): number => a + b;\n';

/** The rows come from a file of their own, so tests can change them. */
const suite = `import { defineScenario, defineSuite } from 'assay/scenario';
import { pairs } from './pairs.ts';

const call = { module: './sum.ts', export: 'sum' };

export default defineSuite({
  tags: ['sums'],
  repeat: 2,
  scenarios: [
    defineScenario({ name: 'rows', call, repeat: 1, tags: ['many'], dataset: pairs, passCriteria: ['result === expected'] }),
    ...[1, 2].map((a) => defineScenario({ name: \`made \${a}\`, call, input: { a, b: 1 }, passCriteria: [\`result === \${a + 1}\`] })),
  ],
});
`;
const pairs = `export async function* pairs() {
  for (let a = 0; a < 3; a++) yield { input: { a, b: 1 }, expected: a + 1 };
}
`;
const project = { 'sum.ts': sumTool, 'pairs.ts': pairs, 'sums.scenario.ts': suite };

const badFiles = {
  'sum.ts': sumTool,
  'bad.scenario.ts': `import { defineScenario, defineSuite } from 'assay/scenario';
const call = { module: './sum.ts', export: 'sum' };
const evaluators = [
  { type: 'contains', config: { text: 'x' } },
  { type: 'contains', config: { txt: 'x' } },
  { type: 'latency-budget', config: { maxMs: 'soon' } },
];
async function* rows() {
  yield { input: 1, passCritera: ['true'] };
  yield { input: 2, since: () => 1 };
  throw new Error('out of rows');
}
export default defineSuite({
  scenarios: [
    defineScenario({ name: 'a', call, input: 1, passCritera: ['true'] }),
    { name: 'b', call, input: 1, evaluators },
    { name: 'c', call, input: 1, passCriteria: ['true', 'result ==== 2'] },
    { name: 'd', call: { module: () => 1 }, input: { at: /x/, n: 1n }, passCriteria: ['true'] },
    { name: 'e', call, dataset: rows, passCriteria: ['true'] },
    { name: 'f', call, dataset: [], passCriteria: ['true'] },
    ...[1].map((n) => ({ name: \`g\${n}\`, call, input: 1, passCriterai: ['true'] })),
  ],
});
`,
  'key.scenario.ts':
    "import { defineSuite } from 'assay';\nexport default defineSuite({ tag: [], scenarios: [{}] });\n",
  'nothing.scenario.mjs': '\nexport default 7;\n',
  'other.scenario.mjs': 'export default { rows: [1] };\n',
  'throws.scenario.ts': "\nthrow new Error('no luck');\n",
  'unparsed.scenario.mjs': 'export default {\n  name: ,\n};\n',
};

/** A project whose code the commands that only read may load. */
async function trustedProject(files: Readonly<Record<string, string>>): Promise<string> {
  const cwd = await temporaryFolder(files);
  await assayInProcess(['trust'], { cwd });
  return cwd;
}

describe('scenarios in code', () => {
  it('are found, listed, shown, planned, run and resumed as those in YAML, where the package is not installed', async () => {
    const plain =
      'export default { name: "plain", call: { command: "cat" }, input: 1, passCriteria: ["result === 1"] };';
    const cwd = await trustedProject({
      ...project,
      'plain.scenario.mjs': plain,
      // Neither the name of a scenario nor named on the command line, so it must not be executed.
      'other.mjs': "throw new Error('executed');",
    });

    const listed = JSON.parse((await assayInProcess(['scenarios', '--json'], { cwd })).stdout);
    expect(listed.map(({ name, tags }: { name: string; tags: string[] }) => [name, tags])).toEqual([
      ['plain', []],
      ['rows', ['sums', 'many']],
      ['made 1', ['sums']],
      ['made 2', ['sums']],
    ]);
    const planned = await assayInProcess(['run', '--dry-run', '--tags', 'sums'], { cwd });
    expect(planned.stdout).toContain('7 trials would run. Nothing was run.');

    const ran = await assayInProcess(['run', '--json'], { cwd });
    const { runId, totals } = JSON.parse(ran.stdout);
    expect([ran.exitCode, totals]).toEqual([0, { planned: 8, pass: 8, fail: 0, error: 0, skipped: 0, notRun: 0 }]);
    const shown = await assayInProcess(['show', 'rows'], { cwd });
    expect(shown.stdout).toMatch(/file +sums\.scenario\.ts\n[\s\S]*row-3 \[criteria\]\n[\s\S]*Last trials\n +pass/);

    // Another text with the same data is the same run; other rows of an imported file are another one.
    await writeFile(join(cwd, 'sums.scenario.ts'), `// A comment.\n${suite}`);
    const same = await assayInProcess(['run', '--resume', runId, '--json'], { cwd });
    expect([same.exitCode, JSON.parse(same.stdout).totals.pass]).toEqual([0, 8]);
    await writeFile(join(cwd, 'pairs.ts'), pairs.replace('a < 3', 'a < 4'));
    const changed = await assayInProcess(['run', '--resume', runId], { cwd });
    expect(changed.exitCode).toBe(2);
    expect(changed.stderr).toContain('since it started, sums.scenario.ts was changed');
  });

  it('have problems with the messages of YAML, at their positions in the code', async () => {
    const cwd = await trustedProject(badFiles);

    const { exitCode, stderr } = await assayInProcess(['validate'], { cwd });

    const functionHint =
      '    A scenario is data, so workers and other machines can run it. Export the function from a module and name it: `{ module: "./tool.ts", export: "name" }`.';
    expect(stderr.split('\n')).toEqual([
      'bad.scenario.ts:5:33: unknown key `txt`',
      '    Did you mean `text`?',
      'bad.scenario.ts:6:46: `evaluators[2].config.maxMs` must be a number, not text',
      'bad.scenario.ts:15:49: unknown key `passCritera`',
      '    Did you mean `passCriteria`?',
      'bad.scenario.ts:17:68: unusable criterion `result ==== 2`: unexpected `=`',
      'bad.scenario.ts:18:34: `call.module` is a function',
      functionHint,
      'bad.scenario.ts:18:58: `input.at` is a RegExp, which is not plain data',
      '    Write the expression as text.',
      'bad.scenario.ts:18:66: `input.n` is a bigint, which is not plain data',
      'bad.scenario.ts:19:33: row 1: unknown key `passCritera`',
      '    Did you mean `passCriteria`?',
      'bad.scenario.ts:19:33: row 2: `since` is a function',
      functionHint,
      'bad.scenario.ts:19:33: the code of the dataset threw after 2 rows: out of rows',
      'bad.scenario.ts:20:33: the dataset has no rows',
      'bad.scenario.ts:21:57: unknown key `passCriterai`',
      '    Did you mean `passCriteria`?',
      'key.scenario.ts:2:30: unknown key `tag`',
      '    Did you mean `tags`?',
      'nothing.scenario.mjs:2:16: the file must export a scenario, a list of scenarios or a suite',
      '    Write `export default defineScenario({ … })`.',
      'other.scenario.mjs:1:16: not a scenario',
      '    Add at least `name`, `call`, an input and criteria.',
      'throws.scenario.ts:2:7: the file could not be loaded: no luck',
      'unparsed.scenario.mjs:2:9: the file could not be loaded: Unexpected token',
      '',
      '17 problems in 6 files; nothing was run.',
      '',
    ]);
    expect(exitCode).toBe(2);
  });

  it('in a template are not executed', async () => {
    const cwd = await temporaryFolder({
      'task.yaml':
        'name: Task\ntemplate_folder: work\ntarget: { binary: cat }\ntask: { prompt: Do it. }\nevaluation: { gates: [{ type: file_exists, path: x }] }\n',
      'work/inner.scenario.mjs':
        "import { writeFileSync } from 'node:fs';\nwriteFileSync('executed', '');\nexport default {};\n",
    });
    const { exitCode } = await assayInProcess(['validate'], { cwd });
    expect([exitCode, await readdir(cwd)]).toEqual([0, ['task.yaml', 'work']]);
  });
});

describe('a dataset in code', () => {
  it('is streamed: more rows than fit in memory are read once, and nothing is left on the disk', async () => {
    const rows = 1_200;
    const cwd = await trustedProject({
      'big.scenario.mjs': `import { appendFileSync } from 'node:fs';
async function* rows() {
  appendFileSync('started', 'x');
  for (let n = 0; n < ${rows}; n++) yield { input: { n, random: Math.random(), text: String(n % 10).repeat(60_000) } };
}
export default { name: 'big', call: { module: './size.mjs' }, dataset: rows, passCriteria: ['result === input.random'] };
`,
      'size.mjs': 'export default ({ random }) => random;\n',
      'tmp/none': '',
    });
    await rm(join(cwd, 'tmp', 'none'));
    const env = { NODE_OPTIONS: '--max-old-space-size=64', TMPDIR: join(cwd, 'tmp') };

    const { stdout, exitCode } = await assay(['validate'], { cwd, env });

    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining(`1 scenario with ${rows.toLocaleString('en-US')} cases`),
    ]);
    expect(await readFile(join(cwd, 'started'), 'utf8')).toBe('x');
    expect((await readdir(join(cwd, 'tmp'))).filter((name) => name.startsWith('assay-rows-'))).toEqual([]);
  });

  it('is tried with the rows that were checked, even if the code would yield others', async () => {
    // Too long for memory, so the rows of the trials come from the disk.
    const cwd = await temporaryFolder({
      'random.scenario.mjs': `let count = 0;
function* rows() {
  for (let n = 0; n < 30; n++) yield { name: 'n' + n, input: { n, started: count, text: 'x'.repeat(30_000) } };
  count++;
}
export default { name: 'random', call: { module: './echo.mjs' }, dataset: rows, passCriteria: ['result.started === 0', 'result.length === 30000'] };
`,
      'echo.mjs': 'export default ({ n, started, text }) => ({ n, started, length: text.length });\n',
    });
    const { stdout } = await assayInProcess(['run', '--json'], { cwd });
    const { totals, trials } = JSON.parse(stdout);
    expect(totals).toMatchObject({ pass: 30, fail: 0, error: 0 });
    expect(trials.map(({ caseId }: { caseId: string }) => caseId).sort()).toEqual(
      Array.from({ length: 30 }, (_, n) => `n${n}`).sort(),
    );
  });
});

describe('the server of a project with scenarios in code', () => {
  it('shows their source and its problems as they are now, and never writes them', async () => {
    const plain = (count: number) =>
      `import { defineScenario } from 'assay/scenario';\nconst cases = Array.from({ length: ${count} }, (_, input) => ({ input }));\nexport default defineScenario({ name: 'plain', call: { command: 'cat' }, cases, passCriteria: ['true'] });\n`;
    const cwd = await temporaryFolder({ ...project, 'plain.scenario.mjs': plain(1) });
    const { request } = await serving(cwd);
    const cases = async () => {
      const { items } = (await (await request('/api/scenarios')).json()) as { items: Record<string, unknown>[] };
      return items.map(({ name, cases: count, isEditable }) => [name, count, isEditable]);
    };

    expect(await cases()).toEqual([
      ['plain', 1, false],
      ['rows', 3, false],
      ['made 1', 1, false],
      ['made 2', 1, false],
    ]);
    await writeFiles(cwd, { 'pairs.ts': pairs.replace('a < 3', 'a < 5'), 'plain.scenario.mjs': plain(2) });
    expect((await cases()).slice(0, 2)).toEqual([
      ['plain', 2, false],
      ['rows', 5, false],
    ]);

    const secret = 'not-to-be-shown-4711';
    const secretive = `export default { name: 'secretive', call: { url: 'http://127.0.0.1:9', headers: { authorization: '${secret}', token: process.env.TOKEN } }, input: 1, passCriteria: ['true'] };\n`;
    await writeFiles(cwd, { 'secretive.scenario.mjs': secretive });
    const masked = (await (await request('/api/files/secretive.scenario.mjs')).json()) as { readonly text: string };
    expect(masked.text).toBe(secretive.replace(secret, '••••••••1'));

    const broken = suite.replace("passCriteria: ['result", "passCritera: ['result");
    await writeFiles(cwd, { 'sums.scenario.ts': broken });
    const file = (await (await request('/api/files/sums.scenario.ts')).json()) as { readonly revision: string };
    expect(file).toMatchObject({
      text: broken,
      isEditable: false,
      whyNot: 'it is a program; edit it where you edit programs',
      problems: [{ line: 10, message: 'unknown key `passCritera`', hint: 'Did you mean `passCriteria`?' }],
    });
    const body = JSON.stringify({ kind: 'scenario', text: '', revision: file.revision });
    expect((await request('/api/files/sums.scenario.ts', { method: 'PUT', body })).status).toBe(400);
    expect(await readFile(join(cwd, 'sums.scenario.ts'), 'utf8')).toBe(broken);
  });
});

describe('the example in code', () => {
  it('has scenarios of every kind, and passes without a key', async () => {
    const cwd = new URL('../../examples/code-first', import.meta.url).pathname;
    const { stdout, exitCode } = await assayInProcess(['run', '--json', '--store', 'sqlite::memory:'], { cwd });
    const { totals, trials } = JSON.parse(stdout) as {
      totals: object;
      trials: { scenario: string; outcome: string; caseId: string }[];
    };
    expect(totals).toEqual({ planned: 20, pass: 20, fail: 0, error: 0, skipped: 0, notRun: 0 });
    expect(new Set(trials.map(({ scenario }) => scenario))).toEqual(
      new Set([
        'Amounts in every currency',
        ...['', '12', 'EUR 12', '12 euro'].map((text) => `Refuses "${text}"`),
        'Booking a table',
        'Takes a note',
        'Thermometer',
      ]),
    );
    expect(exitCode).toBe(0);
    const outcomes = (await readFile(join(cwd, '.assay/outcomes.txt'), 'utf8')).trim().split('\n');
    expect(outcomes.sort()).toEqual(trials.map(({ scenario, caseId }) => `pass ${scenario}, ${caseId}`).sort());
  });
});
