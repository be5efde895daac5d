import { describe, expect, it } from 'vitest';
import { loadPlugins, pluginEntries, withPlugins } from '../../src/compose/plugins/load-plugins.ts';
import { ProblemsError } from '../../src/domain/problem.ts';
import { reporters } from '../../src/report/reporters/index.ts';
import { evaluators } from '../../src/score/evaluators/index.ts';
import { evaluatorFile, load, loadFile, refusal } from '../../src/testing/support/plugin-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

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
    ['an empty list', 'export default [];', 'contains nothing'],
    ['empty lists', 'export default { evaluators: [] };', 'contains nothing'],
    ['no list', 'export default { evaluators: {} };', '`evaluators` must be a list'],
    ['junk in a list', 'export default { evaluators: [null] };', 'evaluators[0]: it is not an object'],
    ['itself, in itself', 'const list = []; list.push(list); export default list;', 'nested too deeply'],
    ['a definition', "export default { type: 'x', evaluate() {} };", 'was not passed to a define function'],
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
      '`configSchema` is not a supported JSON Schema',
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
