import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../src/domain/problem.ts';
import { registeredParts } from '../../src/entry/index.ts';
import { loadScenarios } from '../../src/load/scenarios/load.ts';
import { assay } from '../../src/testing/support/assay.ts';
import { toolFile } from '../../src/testing/support/problems.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

const good =
  'name: Search\ncall: { module: ../tool.mjs, export: search }\ninput: {}\npassCriteria: [result.count === 2]\n';
const scenario = { ...toolFile, 'scenarios/good.yaml': good };
const rows = 'rows: [{ city: Bern }]\n';

interface Request {
  readonly path?: string;
  readonly exclude?: readonly string[];
  readonly configFile?: string;
}

/** Files of a project that are problems because nothing reads them. */
async function problemsOf(files: Readonly<Record<string, string>>, { path = 'scenarios', ...more }: Request = {}) {
  const folder = await temporaryFolder({ ...scenario, ...files });
  const configFile = more.configFile === undefined ? undefined : join(folder, more.configFile);
  const request = { paths: [path], folder, parts: registeredParts, defaults: { timeoutSecs: 5 } };
  return (await loadScenarios({ ...request, ...more, configFile })).problems.map(formatProblem);
}

const problem = (file: string): string =>
  `${file}:1:1: not a scenario of any format, and no scenario refers to it\n    Add \`call\`, \`target\`, \`connector\` or \`server\` to a scenario. Otherwise exclude it in the config: \`exclude: ["${file}"]\`.`;

const misspelt = (file: string, column: number): string =>
  `${file}:1:${column}: not a scenario of any format: unknown key \`servr\`\n    Did you mean \`server\`? Otherwise exclude it in the config: \`exclude: ["${file}"]\`.`;

describe('a file in a folder of scenarios that no format recognises', () => {
  it.each([
    ['other data', 'scenarios/rows.yaml', rows],
    ['data in a folder below it', 'scenarios/deep/rows.json', '{ "rows": [] }'],
    ['a list that names no target', 'scenarios/list.yaml', '- { title: a }\n- { title: b }\n'],
    ['an empty file', 'scenarios/empty.yaml', ''],
    ['a text', 'scenarios/text.yml', 'to be written\n'],
  ])('is a problem: %s', async (_about, file, text) => {
    expect(await problemsOf({ [file]: text })).toEqual([problem(file)]);
  });

  it('is a problem where the whole project is searched too, in a folder that is called `scenarios`', async () => {
    const files = { 'scenarios/servr.json': '{ "servr": {} }', 'data/rows.yaml': rows, 'rows.yaml': rows };
    expect(await problemsOf(files, { path: '.' })).toEqual([misspelt('scenarios/servr.json', 3)]);
  });

  it('is a problem although a scenario mentions a word like the name of its folder', async () => {
    const files = { 'scenarios/good.yaml': `${good}description: Search the data\n`, 'scenarios/data/rows.yaml': rows };
    expect(await problemsOf(files)).toEqual([problem('scenarios/data/rows.yaml')]);
  });

  it.each(['/** Looks up. */', '// a ? b : c ?? d', 'import * as all from "node:fs";', 'const x = 2 ** 3 * 4;'])(
    'is a problem although the tool has signs of a pattern in its code: %s',
    async (line) => {
      const files = { 'tool.mjs': `${line}\n${toolFile['tool.mjs']}`, 'scenarios/servr.yaml': 'servr: {}\n' };
      expect(await problemsOf(files)).toEqual([misspelt('scenarios/servr.yaml', 1)]);
    },
  );

  it.each([['scenarios/rows.yaml'], ['rows.yaml'], ['scenarios/*.yaml'], ['**/rows.*'], ['scenarios']])(
    'is not if the config excludes it: %s',
    async (pattern) => {
      expect(await problemsOf({ 'scenarios/rows.yaml': rows }, { exclude: [pattern] })).toEqual([]);
    },
  );

  it.each([
    ['its path', 'description: "see ./rows.yaml"', 'scenarios/rows.yaml'],
    ['its path in a command', 'description: "run tool --data=data/rows.yaml"', 'scenarios/data/rows.yaml'],
    ['its path from the project', 'description: scenarios/data/rows.yaml', 'scenarios/data/rows.yaml'],
    ['a path with spaces', 'description: "all my rows.yaml"', 'scenarios/all my rows.yaml'],
    ['a path as promptfoo writes it', 'description: file://rows.yaml:cities', 'scenarios/rows.yaml'],
    ['its folder', 'description: ./data/', 'scenarios/data/deep/rows.yaml'],
    ['a pattern', 'description: data/*.yaml', 'scenarios/data/rows.yaml'],
  ])('is not if a scenario names %s', async (_about, line, file) => {
    expect(await problemsOf({ 'scenarios/good.yaml': `${good}${line}\n`, [file]: rows })).toEqual([]);
  });

  it('is not if a file that a scenario names, or the config, names it', async () => {
    const files = {
      'scenarios/good.yaml': good.replace('../tool.mjs', './tool.mjs'),
      'scenarios/tool.mjs': `import rows from './rows.json' with { type: 'json' };\n${toolFile['tool.mjs']}`,
      'scenarios/rows.json': '[]',
      'scenarios/agent.json': '{}',
      'assay.config.yaml': 'agents: { a: { script: scenarios/agent.json } }\n',
    };
    expect(await problemsOf(files, { configFile: 'assay.config.yaml' })).toEqual([]);
  });

  it.each([
    ['settings of Node.js', { 'scenarios/package.json': '{ "type": "module" }', 'scenarios/tsconfig.json': '{}' }],
    ['a script of the scripted model', { 'scenarios/model.yaml': 'model: m\nrules: [{ reply: Hello }]\n' }],
    ['notes', { 'scenarios/README.md': '# Scenarios', 'scenarios/notes.txt': 'x', 'scenarios/.hidden.yaml': 'x: 1' }],
    ['a document of Assay', { 'scenarios/run.json': '{ "schema": "assay.run/1", "x": 1 }' }],
  ])('is not if it says what else it is: %s', async (_about, files) => {
    expect(await problemsOf(files)).toEqual([]);
  });

  it('is not in the folder of the project, which holds data of all kinds', async () => {
    const tool = { 'good.yaml': good.replace('../', './'), 'rows.yaml': rows, 'deep/rows.yaml': rows };
    expect(
      await problemsOf({ ...tool, 'scenarios/good.yaml': good.replace('Search', 'Other') }, { path: '.' }),
    ).toEqual([]);
  });

  it('waits for the problems of scenarios, which may say what belongs to them', async () => {
    const files = { 'scenarios/bad.yaml': good.replace('passCriteria', 'passCriterai'), 'scenarios/rows.yaml': rows };
    expect(await problemsOf(files)).toEqual([expect.stringContaining('unknown key `passCriterai`')]);
  });

  it('is named before anything runs, and the command fails', async () => {
    const folder = await temporaryFolder({ ...scenario, 'scenarios/rows.yaml': rows });
    await writeFiles(folder, { 'assay.config.yaml': 'scenarios: [scenarios]\n' });
    const refused = await assay(['run'], { cwd: folder });
    expect([refused.exitCode, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain(problem('scenarios/rows.yaml'));
    await writeFiles(folder, { 'assay.config.yaml': 'scenarios: [scenarios]\nexclude: [rows.yaml]\n' });
    expect((await assay(['run'], { cwd: folder })).exitCode).toBe(0);
  });
});

describe('a symbolic link in a folder of scenarios', () => {
  it('is a problem, because it is not followed', async () => {
    const folder = await temporaryFolder({ ...scenario, 'shared/other.yaml': good });
    await symlink('../shared', join(folder, 'scenarios/shared'));
    await symlink('../shared/other.yaml', join(folder, 'scenarios/other.yaml'));
    const request = { paths: ['scenarios'], folder, parts: registeredParts, defaults: { timeoutSecs: 5 } };
    const { problems } = await loadScenarios(request);
    expect(problems.map(formatProblem)).toEqual(
      ['scenarios/other.yaml', 'scenarios/shared'].map(
        (link) =>
          `${link}:1:1: symbolic links in folders of scenarios are not followed\n    Add its target to \`scenarios\` in the config, or exclude it there: \`exclude: ["${link}"]\`.`,
      ),
    );
    expect((await loadScenarios({ ...request, exclude: ['shared', 'other.yaml'] })).problems).toEqual([]);
  });
});
