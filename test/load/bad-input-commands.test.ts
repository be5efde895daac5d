import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { structuralMutations, textualMutations } from '../../src/testing/support/malformed-files.ts';
import { toolFile } from '../../src/testing/support/problems.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const good = 'name: Search\ncall: { module: ./tool.mjs, export: search }\ninput: {}\npassCriteria: [result]\n';
const project = { ...toolFile, 'good.yaml': good };

describe('assay run with a wrong file', () => {
  it.each([
    ['a syntax error', { 'bad.yaml': 'name: [x\ncall: y\n' }, 'bad.yaml:2:1: '],
    ['an unknown evaluator', { 'bad.yaml': `${good}evaluators: [{ type: latncy-budget }]\n` }, 'bad.yaml:5:22: '],
    [
      'an unusable criterion',
      { 'bad.json': '{"name":"x","call":{"module":"./tool.mjs"},"input":1,"passCriteria":["reslt"]}' },
      'bad.json:1:71: ',
    ],
    [
      'a bad dataset row',
      { 'bad.yaml': good.replace('input: {}', 'dataset: d.jsonl'), 'd.jsonl': '{"a":1}\n{"a":\n' },
      'd.jsonl:2:6: ',
    ],
    [
      'a dataset that is not there',
      { 'bad.yaml': good.replace('input: {}', 'dataset: nope.csv') },
      'bad.yaml:3:10: nope.csv: ',
    ],
    ['a wrong config in YAML', { 'assay.config.yaml': 'sotre: x\n' }, 'assay.config.yaml:1:1: '],
    ['a wrong config in TOML', { 'assay.config.toml': 'store = "x\n' }, 'assay.config.toml:1:11: '],
    [
      'a JavaScript config that does not parse',
      { 'assay.config.mjs': 'export default {\n  store: ,\n};\n' },
      'assay.config.mjs:2:10: ',
    ],
    [
      'a TypeScript config that does not parse',
      { 'assay.config.ts': 'export default {\n  store: ,\n};\n' },
      'assay.config.ts:2:',
    ],
    ['two scenarios of one name', { 'more.yaml': good }, 'more.yaml:1:7: '],
  ])('%s: nothing is run, nothing is stored', async (_about, files, place) => {
    const cwd = await temporaryFolder({ ...project, ...files });
    const { exitCode, stdout, stderr } = await assay(['run', '.'], { cwd });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr.startsWith(place), stderr).toBe(true);
    expect(stderr).toMatch(/\n\n1 problem; nothing was run\.\n$/);
    expect(stderr).not.toMatch(/\n\s+at |node:internal/);
    expect(existsSync(join(cwd, '.assay'))).toBe(false);
  });
});

it.each(['run', 'validate'])(
  'assay %s warns of a key that it ignores, and says on its own line what may be meant',
  async (command) => {
    const talk = 'name: Talk\nconnector: { type: module, config: { module: ./bot.mjs } }\nuserMessages: [Hello]\n';
    const cwd = await temporaryFolder({
      'bot.mjs': "export default async () => ({ message: { role: 'assistant', content: 'Hi' } });\n",
      'talk.yaml': `${talk}timeoutMs: 5\nevaluators: [{ type: contains, config: { text: Hi } }]\n`,
    });
    const { stderr } = await assay([command, 'talk.yaml'], { cwd });
    expect(stderr).toContain(
      'warning: talk.yaml:4:1: unknown key `timeoutMs` is ignored\n    Did you mean `timeoutSecs`?\n',
    );
  },
);

describe('assay validate with hundreds of wrong files', () => {
  const mutations = [...structuralMutations('.json'), ...textualMutations('.json')].filter(
    ({ expected }) => expected === 'broken',
  );

  it('finds each of them in one go', async () => {
    const cwd = await temporaryFolder({
      ...toolFile,
      ...Object.fromEntries(mutations.map(({ file, text }) => [file, text])),
    });
    const { exitCode, stdout } = await assay(['validate', '--json', ...mutations.map(({ file }) => file)], { cwd });
    const { scenarios, problems } = JSON.parse(stdout) as { scenarios: number; problems: { at: { file: string } }[] };
    expect({ exitCode, scenarios }).toEqual({ exitCode: 2, scenarios: 0 });
    expect(new Set(problems.map(({ at }) => at.file)).size).toBe(mutations.length);
  });

  it('prints a hundred problems and counts the others', async () => {
    const cwd = await temporaryFolder({
      ...toolFile,
      ...Object.fromEntries(mutations.map(({ file, text }) => [file, text])),
    });
    const { exitCode, stdout, stderr } = await assay(['validate', ...mutations.map(({ file }) => file)], { cwd });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr.match(/^\S+:\d+:\d+: /gm)).toHaveLength(100);
    expect(stderr).toMatch(
      /\n… and \d+ more problems; `assay validate --json` lists all\.\n\n\d+ problems in \d+ files; nothing was run\.\n$/,
    );
  });

  it('lists a problem of many rows once', async () => {
    const rows = Array.from({ length: 30 }, (_, n) =>
      JSON.stringify({ input: { n }, ...(n > 2 && { country: 'Peru' }) }),
    );
    const cwd = await temporaryFolder({
      ...toolFile,
      'rows.jsonl': rows.join('\n'),
      'a.yaml':
        'name: A\ncall: { module: ./tool.mjs, export: search }\ndataset: ./rows.jsonl\npassCriteria: [result.count == 2]\n',
    });
    const { stderr } = await assay(['validate', 'a.yaml'], { cwd });
    expect(stderr.match(/unknown key `country`/g)).toHaveLength(1);
    expect(stderr).toMatch(
      /^rows\.jsonl:4:\d+: unknown key `country`\n {4}.*\n {4}The same at 19 other places of the file\.\n/,
    );
    expect(stderr).toMatch(
      /\nrows\.jsonl:24:\d+: … 7 more problems from here on; 20 are listed\n\n21 problems; nothing was run\.\n$/,
    );
  });

  it('says so when there is nothing to check', async () => {
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, 'empty'));
    const { exitCode, stderr } = await assay(['validate', 'empty'], { cwd });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr:
        'error: There are no scenarios in "empty".\n  Create a starter project with `assay init`, or name a scenario file.\n',
    });
  });
});

describe('a wrong request', () => {
  it.each([
    [['rnu'], 'Unknown command "rnu".', 'Did you mean `run`?'],
    [['run', '--repeet', '3'], "unknown option '--repeet'", 'Did you mean --repeat?'],
    [['run', '--repeat', '0'], "argument '0' is invalid", 'a whole number from 1'],
    [['run', '--repeat', 'x'], "argument 'x' is invalid", 'a whole number from 1'],
    [['run', '--repeat'], 'argument missing', '--repeat'],
    [['run', '--tier', '-1'], "argument '-1' is invalid", 'a whole number from 0'],
    [['run', '--min-pass-rate', '2'], "argument '2' is invalid", 'a number from 0 to 1'],
    [['run', '--concurrency', '1e9'], "argument '1e9' is invalid", 'a whole number from 1 to 1,000'],
    [['run', '--concurrency', '2.5'], "argument '2.5' is invalid", 'a whole number from 1 to 1,000'],
    [['run', '--timeout-secs', '0'], "argument '0' is invalid", 'a number above 0'],
    [['run', '--reporter', 'jnuit', 'good.yaml'], 'Unknown reporter "jnuit".', 'Did you mean `junit`?'],
    [['run', '--store', 'mysql://x', 'good.yaml'], 'Unknown store "mysql://x".', 'sqlite:'],
    [['run', '--resume', 'r-nope'], 'There is no run "r-nope" in the store.', 'assay runs'],
    [['run', '--scenario', 'Serach', 'good.yaml'], 'There is no scenario "Serach".', 'Did you mean `Search`?'],
    [['run', '--tags', 'none', 'good.yaml'], 'No scenario has the tag "none".', 'assay list scenarios'],
    [['run', 'godo.yaml'], 'godo.yaml:1:1: the file or folder does not exist', 'Did you mean `good.yaml`?'],
    [['scenarios', 'godo.yaml'], 'godo.yaml:1:1: the file or folder does not exist', 'Did you mean `good.yaml`?'],
    [['validate', '--jsno'], "unknown option '--jsno'", 'Did you mean --json?'],
    [['show'], 'No runs are stored yet.', 'assay run'],
    [['judge'], "missing required argument 'files'", '--help'],
    [['evaluators', 'latency-bugdet'], 'There is no evaluator "latency-bugdet".', 'Did you mean `latency-budget`?'],
    [['schema', 'scenaro'], 'Unknown schema "scenaro".', 'Did you mean `scenario`?'],
    [['clean', '--older-than', 'soon'], '"soon" is not an age.', '30d'],
    [['init', '--kind', 'tol'], 'There is no starter of the kind "tol".', 'Did you mean `tool`?'],
  ])('%j', async (args, message, hint) => {
    const cwd = await temporaryFolder(project);
    const { exitCode, stdout, stderr } = await assay(args, { cwd });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
    expect(stderr).not.toMatch(/\n\s+at |node:internal/);
  });
});
