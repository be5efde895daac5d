import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatProblem, ProblemsError } from '../../domain/problem.ts';
import { unmarked } from '../../testing/support/problems.ts';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { fixturesFolders } from './format-defaults.ts';
import { readLlmToolTestConfig } from './llm-tool-test-config.ts';

const file = 'llm-tool-test-config.toml';

const example = `fixtures_path = "my/fixtures"
results_path  = "out"
[target]
binary = "mytool"
command_pattern = "mytool\\\\s+(\\\\S+)"
health_check = "mytool --version"
[target.env]
KEY = "value or \${VAR}"
[tools.opencode]
name = "opencode"
command = "opencode"
models = ["gpt-4o"]
[tools.mine]
name = "claude-code"
command = "claude --debug"
[profiles.quick]
name = "quick"
tools = ["opencode", "mine"]
models = ["gpt-4o"]
[profiles.plain]
tools = ["mine"]
[models."gpt-4.1"]
input_cost_per_1k_tokens = 0.0025
output_cost_per_1k_tokens = 0.01
`;

async function read(text: string) {
  const folder = await temporaryFolder({ [file]: text });
  return { config: await readLlmToolTestConfig(folder) };
}

describe('the config of llm-tool-test', () => {
  it('is read in the words of the project', async () => {
    const { config } = await read(example);
    expect(config).toEqual({
      fixtures: 'my/fixtures',
      artifacts: 'out',
      target: {
        binary: 'mytool',
        command_pattern: 'mytool\\s+(\\S+)',
        health_check: 'mytool --version',
        env: { KEY: 'value or ${VAR}' },
      },
      agents: {
        opencode: { kind: 'opencode', command: undefined, models: ['gpt-4o'], env: {}, args: [] },
        mine: { kind: 'claude-code', command: 'claude --debug', models: [], env: {}, args: [] },
      },
      profiles: {
        quick: { agents: ['opencode', 'mine'], models: ['gpt-4o'] },
        plain: { agents: ['mine'], models: [] },
      },
      prices: { 'gpt-4.1': { inputPer1M: 2.5, outputPer1M: 10 } },
      warnings: [],
    });
  });

  it('warns of prices that are those of a million tokens', async () => {
    const prices = (input: number, output: number) =>
      `[models.m]\ninput_cost_per_1k_tokens = ${input}\noutput_cost_per_1k_tokens = ${output}\n`;
    const { config } = await read(prices(2.5, 10));
    expect(config?.warnings.map(formatProblem)).toEqual([
      expect.stringContaining(':2:28: 2.5 USD for 1,000 tokens is more than any model costs'),
      expect.stringContaining('Write 0.01 if'),
    ]);
    expect((await read(prices(0.15, 0.6))).config?.warnings).toEqual([]);
  });

  it('need not be there', async () => {
    expect(await readLlmToolTestConfig(await temporaryFolder())).toBeUndefined();
  });

  it('may say nothing', async () => {
    const { config } = await read('# later\n');
    expect(config).toMatchObject({
      target: undefined,
      agents: {},
      profiles: {},
      prices: {},
      fixtures: undefined,
    });
  });

  it('may have keys that mean nothing, which are warned of', async () => {
    const { config } = await read('fixture_path = "x"\n\n[tools.a]\nmodels = []\nnotes = "x"\n[other]\na = 1\n');
    expect(config?.warnings.map(formatProblem)).toEqual([
      `${file}:1:1: unknown key \`fixture_path\` is ignored\n    Did you mean \`fixtures_path\`?`,
      `${file}:5:1: unknown key \`notes\` is ignored`,
      `${file}:6:2: unknown key \`other\` is ignored`,
    ]);
  });

  it.each([
    ['a value left out', 'results_path = ▸\n', 'invalid value: put text in quotes'],
    ['a table twice', '[target]\nbinary = "a"\n[▸target]\n', 'duplicate key or table'],
    ['a path that is a number', 'fixtures_path = ▸5\n', '`fixtures_path` must be text, not a number', '"5"'],
    [
      'a variable that is a number',
      '[target]\n[target.env]\nA = ▸1\n',
      '`target.env.A` must be text, not a number',
      '"1"',
    ],
    ['a table that is text', 'tools = ▸"x"\n', '`tools` must be an object, not text'],
    [
      'models that are text',
      '[tools.a]\nname = "a"\nmodels = ▸"m"\n',
      '`tools.a.models` must be a list, not text\n    Write a list: `["m"]`.',
    ],
    ['a profile without tools', '[tools.a]\n[profiles.▸quick]\nmodels = []\n', '`profiles.quick.tools` is missing'],
    ['a profile of nothing', '[profiles.quick]\ntools = ▸[]\n', '`profiles.quick.tools` must have at least 1 item'],
    [
      'an inline profile',
      'profiles = { q = { tools = ▸"a" } }\n',
      '`profiles.q.tools` must be a list, not text\n    Write a list: `["a"]`.',
    ],
    ['a dotted key', 'profiles.q.tools = ▸1\n', '`profiles.q.tools` must be a list, not a number'],
    [
      'half a price',
      '[models.▸"gpt-4"]\ninput_cost_per_1k_tokens = 1\n',
      '`models.gpt-4.output_cost_per_1k_tokens` is missing',
    ],
    [
      'a price below zero',
      '[models.m]\ninput_cost_per_1k_tokens = 1\noutput_cost_per_1k_tokens = ▸-1\n',
      '`models.m.output_cost_per_1k_tokens` must be at least 0',
    ],
    [
      'what stands after a text of several lines',
      'results_path = """\nfixtures_path = 5\n"""\nfixtures_path = ▸7\n',
      '`fixtures_path` must be text, not a number',
      '"7"',
    ],
  ])('is refused for %s', async (_about, marked, message, quoted?: string) => {
    const { text, place } = unmarked(marked);
    const hint = quoted === undefined ? '' : `\n    Put it in quotes: ${quoted}.`;
    const error = await read(text).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProblemsError);
    expect((error as ProblemsError).message).toBe(`${file}:${place}: ${message}${hint}`);
    expect((error as ProblemsError).code).toBe('CONFIG_INVALID');
  });
});

describe('the folder of fixtures', () => {
  it.each([
    ['the usual one', ['fixtures/a', 'llm-test-fixtures/a'], ['llm-test-fixtures']],
    ['the other usual one', ['fixtures/a'], ['fixtures']],
    ['not a file', ['llm-test-fixtures', 'fixtures/a'], ['fixtures']],
    ['none', [], []],
  ])('is %s', async (_about, files, expected) => {
    const folder = await temporaryFolder(Object.fromEntries(files.map((name) => [name, 'x'])));
    expect(fixturesFolders(folder)).toEqual(expected.map((name) => join(folder, name)));
  });
});
