import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AssayError } from '../src/domain/errors.ts';
import { ProblemsError } from '../src/domain/problem.ts';
import type { PartSpec, Scenario } from '../src/domain/scenario.ts';
import { evaluators } from '../src/evaluators/index.ts';
import { withAutoEvaluators } from '../src/plugins/auto-evaluators.ts';
import { loadPlugins, type Plugins } from '../src/plugins/load-plugins.ts';
import { pluginEntries } from '../src/plugins/plugin-entries.ts';
import { withPlugins } from '../src/plugins/with-plugins.ts';
import { reporters } from '../src/reporters/index.ts';
import { conversationTargetWith } from '../src/targets/conversation/conversation-target.ts';
import { ended } from './support/assay.ts';
import { type EngineRun, runOnEngine } from './support/engine-run.ts';
import { scenarioOf, tool } from './support/faulty-parts.ts';
import { packageRoot, pluginProject, samplePlugin } from './support/plugin-project.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

function load(folder: string, ...specifiers: string[]): Promise<Plugins> {
  return loadPlugins(
    specifiers.map((specifier) => ({ specifier })),
    folder,
  );
}

/** Loads one file that needs nothing but itself. */
async function loadFile(text: string, name = 'plugin.mjs'): Promise<Plugins> {
  return load(await temporaryFolder({ [name]: text }), `./${name}`);
}

/** What was thrown, as the user reads it. */
async function refusal(loading: Promise<unknown>): Promise<AssayError> {
  const thrown: unknown = await loading.catch((error: unknown) => error);
  if (!(thrown instanceof AssayError)) throw new Error(`It was not refused: ${String(thrown)}`);
  expect(thrown.code).toBe('CONFIG_INVALID');
  return thrown;
}

function conversation(userMessages: readonly string[], specs: readonly PartSpec[], timeoutMs = 30_000): Scenario {
  const config = {
    connectors: { agent: { type: 'echo', headers: {}, config: { suffix: ', please' } } },
    personas: {},
    messages: [],
    userMessages,
    maxMessages: 10,
  };
  return scenarioOf('talk', { type: 'conversation', config }, specs, timeoutMs);
}

/** Holds a conversation with the plug-ins beside the program's own parts. */
async function converse(plugins: Plugins, scenario: Scenario): Promise<EngineRun['records'][string] | undefined> {
  const parts = withPlugins({ evaluators, connectors: [] as Plugins['connectors'] }, plugins);
  const targets = [conversationTargetWith(parts.connectors)];
  const { records } = await runOnEngine([scenario], { targets, evaluators: parts.evaluators });
  return records.talk;
}

/** An evaluator as a plain file would define it. */
const evaluatorFile = (type: string, kind: string, body: string, more = '') =>
  `export default { evaluators: [{ type: '${type}', label: 'L', kind: '${kind}', ${more} evaluate: ${body} }] };`;

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

describe('a plug-in that cannot be used', () => {
  it.each([
    ['is not there', './nowhere.ts', {}, /nowhere/],
    ['is not installed', 'nowhere-package', {}, /nowhere-package/],
    ['throws while it is loaded', './it.mjs', { 'it.mjs': "throw new Error('no luck.')" }, /: no luck\. Make/],
    ['throws nothing', './it.mjs', { 'it.mjs': 'throw undefined' }, /: undefined\. Make/],
    ['does not parse', './it.mjs', { 'it.mjs': 'export default {' }, /./],
    ['does not parse as TypeScript', './it.ts', { 'it.ts': 'const = 5' }, /./],
    ['imports what is not there', './it.ts', { 'it.ts': "import x from 'nowhere'; export default x" }, /nowhere/],
  ])('could not be loaded: it %s', async (_name, specifier, files, reason) => {
    const { message } = await refusal(load(await temporaryFolder(files), specifier));
    expect(message.startsWith(`Evaluator plugin "${specifier}" could not be loaded: `)).toBe(true);
    expect(message.endsWith(". Make sure you've built your project.")).toBe(true);
    expect(message).toMatch(reason);
    expect(message).not.toContain('\n');
  });

  it('is not waited for forever', async () => {
    const folder = await temporaryFolder({ 'it.mjs': 'await new Promise(() => {}); export default {};' });
    const { message } = await refusal(loadPlugins([{ specifier: './it.mjs' }], folder, { timeLimitMs: 50 }));
    expect(message).toBe(
      'Evaluator plugin "./it.mjs" could not be loaded: no answer within 50 ms. Make sure you\'ve built your project.',
    );
  });

  const part = (text: string) => `export default { evaluators: [{ type: 'x', label: 'X', kind: 'metric', ${text} }] };`;
  it.each([
    ['nothing', 'export const other = 1;', 'the default export is object'],
    ['null', 'export default null;', 'the default export'],
    ['a number', 'export default 5;', 'the default export is number'],
    ['a function', 'export default () => {};', 'the default export is function'],
    ['an empty list', 'export default [];', 'holds nothing'],
    ['empty lists', 'export default { evaluators: [] };', 'holds nothing'],
    ['no list', 'export default { evaluators: {} };', '`evaluators` must be a list'],
    ['junk in a list', 'export default { evaluators: [null] };', 'evaluators[0]: it is no object'],
    ['itself, in itself', 'const list = []; list.push(list); export default list;', 'nested too deeply'],
    ['a definition', "export default { type: 'x', evaluate() {} };", 'went through no define function'],
    ['a type with blanks', part("type: 'my type', evaluate() {}"), 'evaluators[0]: `type` must be a name'],
    ['no label', part("label: '', evaluate() {}"), '`label` must be a text'],
    ['an unknown kind', part("kind: 'other', evaluate() {}"), '`kind` must be `assertion` or `metric`'],
    ['an unknown time', part("when: 'never', evaluate() {}"), '`when` must be'],
    ['an unknown sum', part("aggregate: 'product', evaluate() {}"), '`aggregate` must be'],
    ['no function', part('evaluate: 5'), '`evaluate` must be a function'],
    ['a schema that is none', part('configSchema: 5, evaluate() {}'), '`configSchema` must be a zod schema'],
    [
      'JSON Schema that is wrong',
      part("configSchema: { type: 'nope' }, evaluate() {}"),
      '`configSchema` is no JSON Schema',
    ],
    ['a getter that throws', part("get evaluate() { throw new Error('boo') }"), 'evaluators[0]: boo'],
    [
      'an automatic one that needs a config',
      part("auto: true, configSchema: { type: 'object', required: ['a'] }, evaluate() {}"),
      '`auto` must be false',
    ],
    [
      'a connector without invoke',
      "export default { connectors: [{ type: 'c', label: 'C' }] };",
      '`invoke` must be a function',
    ],
    [
      'an agent without drive',
      "export default { agents: [{ name: 'a', summary: 'A' }] };",
      'agents[0]: `program` must be',
    ],
    [
      'a reporter that writes elsewhere',
      "export default { reporters: [{ name: 'r', summary: 'R', fileName: '../r', render() {} }] };",
      '`fileName` must be a file name',
    ],
  ])('has an invalid export: %s', async (_name, text, reason) => {
    const { message, hint } = await refusal(loadFile(text));
    expect(message).toBe(
      'Evaluator plugin "./plugin.mjs" has an invalid export. Use defineEvaluator() to create the export.',
    );
    expect(hint).toContain(reason);
  });

  it('is told with all others, at its place in the config', async () => {
    const folder = await temporaryFolder({ 'junk.mjs': 'export default 5;' });
    const config = { plugins: ['./nowhere.mjs'], evaluators: ['./junk.mjs'] };
    const entries = pluginEntries(config, ([key]) => ({
      file: 'assay.config.yaml',
      line: key === 'plugins' ? 2 : 4,
      column: 5,
    }));
    const thrown = await refusal(loadPlugins(entries, folder));
    expect(thrown).toBeInstanceOf(ProblemsError);
    expect(thrown.message).toMatch(/^assay\.config\.yaml:2:5: Evaluator plugin "\.\/nowhere\.mjs" could not be loaded/);
    expect(thrown.message).toMatch(
      /\nassay\.config\.yaml:4:5: Evaluator plugin "\.\/junk\.mjs" has an invalid export\./,
    );
  });
});

describe('a name that is there already', () => {
  const metric = (type: string) => evaluatorFile(type, 'metric', '() => 1');

  it('cannot be taken from the program', async () => {
    const plugins = await loadFile(metric('criteria'));
    const merging = (async () => withPlugins({ evaluators }, plugins))();
    expect((await refusal(merging)).message).toBe(
      'Evaluator type "criteria" is already registered (built-in). Custom evaluators cannot override existing types.',
    );
  });

  it('cannot be taken from another plug-in, whose place in the config is told', async () => {
    const folder = await temporaryFolder({ 'a.mjs': metric('mine'), 'b.mjs': metric('mine') });
    const entries = pluginEntries({ plugins: ['./a.mjs', './b.mjs'] }, ([, index]) => ({
      file: 'assay.config.yaml',
      line: Number(index) + 2,
      column: 5,
    }));
    const plugins = await loadPlugins(entries, folder);
    const merging = (async () => withPlugins({ evaluators }, plugins))();
    expect((await refusal(merging)).message).toBe(
      'assay.config.yaml:3:5: Evaluator type "mine" is already registered (custom). Custom evaluators cannot override existing types.',
    );
  });

  it('is told of every family', async () => {
    const plugins = await loadFile(`export default {
      connectors: [{ type: 'http', label: 'H', invoke: () => 'Hi' }],
      reporters: [{ name: 'json', summary: 'J', fileName: 'j', render() {} }],
    };`);
    const merging = (async () => withPlugins({ connectors: [{ type: 'http' }] as never, reporters }, plugins))();
    expect((await refusal(merging)).message.split('\n')).toEqual([
      'Connector type "http" is already registered (built-in). Custom connectors cannot override existing types.',
      'Reporter "json" is already registered (built-in). Custom reporters cannot override existing names.',
    ]);
  });

  it('leaves lists alone that it is not asked about', async () => {
    const plugins = await loadFile(metric('mine'));
    const merged = withPlugins({ evaluators, other: 1 }, plugins);
    expect(merged.evaluators.map(({ type }) => type)).toEqual([...evaluators.map(({ type }) => type), 'mine']);
    expect(merged).not.toHaveProperty('connectors');
  });
});

describe('a plug-in that misbehaves in a run', () => {
  const echo = `export default { connectors: [{ type: 'echo', label: 'E', invoke: ({ messages }) => messages.at(-1).content }] };`;
  const named = (type: string): PartSpec => ({ type, config: {} });

  async function run(kind: 'assertion' | 'metric', body: string, timeoutMs?: number, connector = echo) {
    const folder = await temporaryFolder({ 'shaky.mjs': evaluatorFile('shaky', kind, body), 'echo.mjs': connector });
    const plugins = await load(folder, './shaky.mjs', './echo.mjs');
    return converse(plugins, conversation(['Hi', 'More'], [named('shaky')], timeoutMs));
  }

  it.each([
    ['throws', "() => { throw new Error('no luck') }", 'no luck'],
    ['rejects', "async () => { throw new Error('no luck') }", 'no luck'],
    ['gives junk', 'async () => 5', 'It gave no result; it is 5.'],
  ])('is an error under its own name when an assertion %s', async (_name, body, reason) => {
    const record = await run('assertion', body);
    expect(record).toMatchObject({ outcome: 'error', reason: `shaky: ${reason}`, fault: { code: 'EVALUATOR_FAILED' } });
    expect(record?.turns).toHaveLength(1);
  });

  it.each([
    ['throws', "() => { throw new Error('no luck') }", 'no luck'],
    ['gives junk', "async () => ({ value: 'many', reason: '' })", 'must be a number'],
  ])('counts nothing and changes nothing when a metric %s', async (_name, body, reason) => {
    const record = await run('metric', body);
    expect(record).toMatchObject({ outcome: 'pass', fault: null, metrics: { shaky: 0 } });
    expect(record?.evaluatorResults[0]).toMatchObject({ type: 'shaky', success: true, value: 0 });
    expect(record?.evaluatorResults[0]?.reason).toContain(reason);
  });

  it('ends with its trial when it hangs, and the agent is not blamed', async () => {
    const record = await run('assertion', '() => new Promise(() => {})', 300);
    expect(record).toMatchObject({ outcome: 'error', fault: { code: 'EVALUATOR_FAILED', blame: 'engine' } });
    expect(record?.reason).toMatch(/^shaky: no answer within \d+ ms$/);
  });

  it('ends too when it hangs after a direct call', async () => {
    const plugins = await loadFile(evaluatorFile('shaky', 'assertion', '() => new Promise(() => {})'));
    const scenario = scenarioOf('call', { type: 'tool', config: {} }, [named('shaky')], 50);
    const { records } = await runOnEngine([scenario], { targets: [tool], evaluators: plugins.evaluators });
    expect(records.call).toMatchObject({ outcome: 'error', reason: 'shaky: no answer within 50 ms' });
  });

  it.each([
    ['throws', "() => { throw new Error('no luck') }", 'TARGET_CRASHED', 'Connector "echo": no luck'],
    ['gives junk', '() => ({ messages: 5 })', 'TARGET_OUTPUT_NOT_JSON', /no usable answer/],
    ['hangs', '() => new Promise(() => {})', 'TARGET_TIMEOUT', /No answer within/],
  ])('is a fault of the target when a connector %s', async (_name, invoke, code, message) => {
    const connector = `export default { connectors: [{ type: 'echo', label: 'E', invoke: ${invoke} }] };`;
    const record = await run('assertion', "() => ({ success: true, reason: 'fine' })", 200, connector);
    expect(record).toMatchObject({ outcome: 'error', fault: { code, blame: 'target' } });
    expect(record?.reason).toMatch(message);
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
