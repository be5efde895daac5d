import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Plugins, withAutoEvaluators } from '../../src/compose/plugins/load-plugins.ts';
import { describeConnectorContract } from '../../src/testing/connector-contract.ts';
import { describeEvaluatorContract } from '../../src/testing/evaluator-contract.ts';
import { assay, ended } from '../../src/testing/support/assay.ts';
import { runOnEngine } from '../../src/testing/support/engine-run.ts';
import { scenarioOf, tool } from '../../src/testing/support/faulty-parts.ts';
import {
  conversation,
  converse,
  evaluatorFile,
  load,
  loadFile,
  packageRoot,
  pluginProject,
  samplePlugin,
} from '../../src/testing/support/plugin-project.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';
import echo from '../fixtures/plugins/echo.ts';
import politeness from '../fixtures/plugins/politeness.ts';

const [polite, wordCount] = politeness;
describeEvaluatorContract(polite, {
  samples: [
    { name: 'a polite answer', answer: 'Yes please', gives: 'pass' },
    { name: 'a short answer', answer: 'No', gives: 'fail' },
    { name: 'words of its own', config: { words: ['no'] }, answer: 'No', gives: 'pass' },
  ],
  badConfigs: [{ words: 'please' }, { wrods: [] }],
});
describeEvaluatorContract(wordCount, { samples: [{ name: 'two words', answer: 'one two', gives: 2 }] });
describeConnectorContract(echo, { config: { suffix: '!' }, badConfigs: [{ suffix: 1 }] });

describe('a project outside of the repository', () => {
  const sampleFiles = async () => ({
    'politeness.ts': await samplePlugin('politeness'),
    'echo.ts': await samplePlugin('echo'),
  });

  it('adds evaluators and a connector in TypeScript, and runs', async () => {
    const plugins = await load(await pluginProject(await sampleFiles()), './politeness.ts', './echo.ts');
    const specs = [
      { type: 'polite', config: {} },
      { type: 'word-count', config: {} },
    ];
    const record = await converse(plugins, conversation(['Hello there', 'And a table'], specs));
    expect(record).toMatchObject({ outcome: 'pass', metrics: { 'word-count': 7 } });
    expect(record?.turns.map(({ results }) => results.map(({ reason }) => reason))).toEqual([
      ['It says please', '3 words'],
      ['It says please', '4 words'],
    ]);
    expect(record?.usage).toEqual({ inputTokens: 3, outputTokens: 2 });
  });

  it('is run by the program, which names the place of a plug-in that it cannot load', async () => {
    const scenario = {
      name: 'Talk',
      connector: { type: 'echo', config: { suffix: ', please' } },
      userMessages: ['Hello there', 'And a table'],
      evaluators: [{ type: 'polite', config: {} }, { type: 'word-count' }],
    };
    const folder = await pluginProject({
      ...(await sampleFiles()),
      'assay.config.yaml': 'plugins:\n  - ./politeness.ts\nevaluators:\n  - ./echo.ts\n',
      'talk.json': JSON.stringify(scenario),
    });
    const run = await assay(['run', 'talk.json', '--json'], { cwd: folder });
    expect(JSON.parse(run.stdout)).toMatchObject({ trials: [{ outcome: 'pass', metrics: { 'word-count': 7 } }] });
    await writeFiles(folder, { 'assay.config.yaml': 'plugins:\n  - ./politeness.ts\n  - ./nowhere.ts\n' });
    const refused = await assay(['run', 'talk.json'], { cwd: folder });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('assay.config.yaml:3:5: Evaluator plugin "./nowhere.ts" could not be loaded: ');
    expect(refused.stderr).toContain("Make sure you've built your project.");
  });

  it('finds packages from the folder of the config, whatever kind of module they are', async () => {
    const folder = await pluginProject({
      'node_modules/esm-only/package.json':
        '{ "name": "esm-only", "type": "module", "exports": { "import": "./it.js" } }',
      'node_modules/esm-only/it.js': evaluatorFile('from-esm', 'metric', '() => 1'),
      'node_modules/@acme/cjs/package.json': '{ "name": "@acme/cjs", "main": "it.js" }',
      'node_modules/@acme/cjs/it.js': `exports.__esModule = true; exports.${evaluatorFile('from-cjs', 'metric', '() => 1').slice(7).replace('default', 'default =')}`,
    });
    const { evaluators: found } = await load(folder, 'esm-only', '@acme/cjs');
    expect(found.map(({ type }) => type)).toEqual(['from-esm', 'from-cjs']);
  });

  it('runs the contract suites under its own test runner', async () => {
    const suite = `import { describeConnectorContract, describeEvaluatorContract } from 'assay/testing';
import echo from './echo.ts';
import politeness from './politeness.ts';
`;
    const goodTest = `${suite}
describeEvaluatorContract(politeness[0], {
  samples: [{ name: 'a', answer: 'Yes please', gives: 'pass' }, { name: 'b', answer: 'No', gives: 'fail' }],
  badConfigs: [{ words: 'please' }, { wrods: [] }],
});
describeEvaluatorContract(politeness[1], { samples: [{ name: 'c', answer: 'one two', gives: 2 }] });
describeConnectorContract(echo, { config: { suffix: '!' }, badConfigs: [{ suffix: 1 }] });
`;
    const badTest = `${suite}import { defineConnector, defineEvaluator } from 'assay';
const rude = defineEvaluator({
  type: 'rude', label: 'Rude', kind: 'assertion',
  evaluate: ({ lastInvocation }) => ({ success: lastInvocation.messages[0].content.length > 0, reason: '' }),
});
describeEvaluatorContract(rude, { samples: [{ name: 'd', answer: 'No', gives: 'fail' }], badConfigs: [{}] });
const mute = defineConnector({ type: 'mute', label: 'Mute', invoke: async () => ({ messages: [] }), test: () => false });
describeConnectorContract(mute, { unreachable: {} });
`;
    const folder = await pluginProject({ ...(await sampleFiles()), 'good.test.ts': goodTest, 'bad.test.ts': badTest }, [
      'zod',
      'vitest',
    ]);
    const runner = join(packageRoot, 'node_modules/vitest/vitest.mjs');
    const { stdout } = await ended(spawn(process.execPath, [runner, 'run', '--reporter=json'], { cwd: folder }));
    const { testResults } = JSON.parse(stdout) as VitestReport;
    const failed = (file: string): string[] =>
      testResults
        .filter(({ name }) => name.endsWith(file))
        .flatMap(({ assertionResults }) => assertionResults.filter(({ status }) => status === 'failed'))
        .map(({ title }) => title);
    expect(testResults.map(({ assertionResults }) => assertionResults.length > 10)).toEqual([true, true]);
    expect(failed('good.test.ts')).toEqual([]);
    expect(failed('bad.test.ts')).toEqual([
      'refuses bad config 1',
      'answers as expected: d',
      'gives a reason and a number that can be kept: d',
      'says something where there is no answer: d',
      'gives the messages of the assistant and of its tools, and how long they took',
      'goes on with a conversation',
      'holds several conversations at once',
      'changes nothing of what it is given',
      'finds its endpoint',
    ]);
  });
});

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

describe('what a plug-in may export', () => {
  const evaluator = "{ type: 'e', label: 'E', kind: 'metric', evaluate: () => ({ value: 1, reason: '' }) }";
  const connector = "{ type: 'c', label: 'C', invoke: () => 'Hi' }";
  const agent = `{ name: 'a', summary: 'A', program: null, versionArguments: [], install: '', inheritedVariables: [],
    keyVariables: [], isScripted: true, drive: async () => ({}) }`;
  const reporter = "{ name: 'r', summary: 'R', fileName: 'r.txt', async *render() {} }";
  const names = ({ evaluators: e, connectors: c, agents: a, reporters: r }: Plugins) =>
    [
      ...e.map(({ type }) => type),
      ...c.map(({ type }) => type),
      ...a.map(({ name }) => name),
      ...r.map(({ name }) => name),
    ].join('');

  it.each([
    [
      'a part of each family',
      `{ evaluators: [${evaluator}], connectors: [${connector}], agents: [${agent}], reporters: [${reporter}] }`,
      'ecar',
    ],
    ['a list of what define functions give', `[{ evaluators: [${evaluator}] }, { connectors: [${connector}] }]`, 'ec'],
    [
      'what define functions give, by family',
      `{ evaluators: [{ evaluators: [${evaluator}] }], agents: [{ agents: [${agent}] }] }`,
      'ea',
    ],
  ])('%s', async (_name, exported, expected) => {
    expect(names(await loadFile(`export default ${exported};`))).toBe(expected);
    expect(names(await loadFile(`module.exports = ${exported};`, 'plugin.cjs'))).toBe(expected);
    expect(names(await loadFile(`const it: object = ${exported}; export default it;`, 'plugin.ts'))).toBe(expected);
  });
});

describe('an automatic evaluator', () => {
  it('is asked about scenarios that do not name it', async () => {
    const folder = await temporaryFolder({
      'auto.mjs': evaluatorFile('always', 'metric', "() => ({ value: 4, reason: 'four' })", 'auto: true,'),
    });
    const plugins = await load(folder, './auto.mjs');
    const named = scenarioOf('named', { type: 'tool', config: {} }, [{ type: 'always', config: {} }]);
    const unnamed = scenarioOf('unnamed', { type: 'tool', config: {} }, []);
    const scenarios = [named, unnamed].map((scenario) => withAutoEvaluators(scenario, plugins));
    expect(scenarios[1]?.contentHash).not.toBe(unnamed.contentHash);
    const { records } = await runOnEngine(scenarios, { targets: [tool], evaluators: plugins.evaluators });
    expect(records.named?.evaluatorResults).toHaveLength(1);
    expect(records.unnamed).toMatchObject({ metrics: { always: 4 } });
  });

  it('changes nothing where there is none', async () => {
    const plugins = await loadFile(evaluatorFile('mine', 'metric', '() => 1'));
    const scenario = scenarioOf('it', { type: 'tool', config: {} }, []);
    expect(withAutoEvaluators(scenario, plugins)).toBe(scenario);
  });
});
