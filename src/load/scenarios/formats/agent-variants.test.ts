import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../../domain/problem.ts';
import { minimalCliTool, readCliTool } from '../../../testing/support/llm-tool-test.ts';
import type { CliToolDefaults } from '../scenario-format.ts';
import { noCliToolDefaults } from '../scenario-format.ts';
import { type AgentSections, chooseVariants } from './agent-variants.ts';

const configured: Partial<CliToolDefaults> = {
  profiles: { quick: { agents: ['a', 'b'], models: ['m1', 'm2'] }, plain: { agents: ['a'], models: [] } },
  tools: { a: { models: ['m1', 'm2'] }, b: { models: [] }, picky: { models: ['only'] } },
  defaultAgent: () => 'standard',
};
const matrix: AgentSections = {
  tool_matrix: [
    { tool: 'x', models: ['m', 'default'] },
    { tool: 'y', models: [] },
  ],
};
const own: AgentSections = { agents: ['x', 'y'], models: ['m', 'n'] };
const flags: Partial<CliToolDefaults> = { agents: ['f'], models: ['fm'] };

function choose(sections: AgentSections, defaults: Partial<CliToolDefaults>, guidance: readonly string[] = []) {
  return chooseVariants(sections, { ...noCliToolDefaults, ...configured, ...defaults }, { guidance, skills: [] });
}

/** `agent/model` of each variant. */
const variantLabels = (sections: AgentSections, defaults: Partial<CliToolDefaults>): string[] =>
  choose(sections, defaults).variants.map(({ agent, model }) =>
    model === undefined ? `${agent}` : `${agent}/${model}`,
  );

describe('who drives the tool', () => {
  it.each<readonly [string, AgentSections, Partial<CliToolDefaults>, readonly string[]]>([
    ['a profile before everything', matrix, { ...flags, profile: 'quick' }, ['a/m1', 'a/m2', 'b/m1', 'b/m2']],
    ['a profile before agents of the scenario', own, { profile: 'plain' }, ['a']],
    ['a profile even where the matrix is empty', { tool_matrix: [] }, { profile: 'plain' }, ['a']],
    ['the matrix of the scenario before flags', matrix, flags, ['x/m', 'x', 'y']],
    ['agents and models of the scenario before flags', own, flags, ['x/m', 'x/n', 'y/m', 'y/n']],
    ['agents of the scenario with models of flags', { agents: ['x'] }, flags, ['x/fm']],
    ['models of the scenario with agents of flags', { models: ['m'] }, flags, ['f/m']],
    ['models of the scenario with the default agent', { models: ['m'] }, {}, ['standard/m']],
    ['flags before the default', {}, { agents: ['f', 'g'], models: ['m', 'n'] }, ['f/m', 'f/n', 'g/m', 'g/n']],
    ['an agent of a flag with its own model', {}, { agents: ['f'] }, ['f']],
    ['a model of a flag with the default agent', {}, { models: ['fm'] }, ['standard/fm']],
    ['the default agent', {}, {}, ['standard']],
    ['a model called default as none', { models: ['default'] }, {}, ['standard']],
    ['each pair once', { agents: ['x', 'x'], models: ['m', 'm', 'default'] }, {}, ['x/m', 'x']],
  ])('%s', (_about, sections, defaults, expected) => {
    expect(choose(sections, defaults).problems).toEqual([]);
    expect(variantLabels(sections, defaults)).toEqual(expected);
  });

  it('is multiplied by the guidance', () => {
    expect(choose({ agents: ['x', 'y'] }, {}, ['v1', 'v2']).variants).toEqual([
      { agent: 'x', guidance: 'v1' },
      { agent: 'x', guidance: 'v2' },
      { agent: 'y', guidance: 'v1' },
      { agent: 'y', guidance: 'v2' },
    ]);
  });

  it('has no key for what is not chosen', () => {
    expect(Object.keys(choose({}, {}).variants[0] ?? {})).toEqual(['agent']);
  });
});

describe('who cannot drive the tool', () => {
  it.each<readonly [string, AgentSections, Partial<CliToolDefaults>, object]>([
    [
      'a profile that is not there',
      {},
      { profile: 'quik' },
      { path: [], message: "Profile 'quik' not found in configuration", hint: 'Did you mean `quick`?' },
    ],
    [
      'a profile where there are none',
      {},
      { profile: 'quick', profiles: {} },
      {
        path: [],
        message: "Profile 'quick' not found in configuration",
        hint: 'Define profiles in the configuration; it has none.',
      },
    ],
    [
      'a profile with a name that objects have',
      {},
      { profile: 'constructor', profiles: {} },
      {
        path: [],
        message: "Profile 'constructor' not found in configuration",
        hint: 'Define profiles in the configuration; it has none.',
      },
    ],
    [
      'a profile with an unknown tool',
      {},
      { profile: 'p', profiles: { p: { agents: ['missing'], models: [] } } },
      { path: [], message: "Tool 'missing' not found in configuration", hint: 'Add a `[tools.missing]` to it.' },
    ],
    [
      'a profile with a model that its tool does not take',
      {},
      { profile: 'p', profiles: { p: { agents: ['picky'], models: ['other'] } } },
      { path: [], message: "Tool 'picky' does not support model 'other'", hint: 'Known: `only`.' },
    ],
    [
      'a flag with a model that its tool does not take',
      {},
      { agents: ['picky'], models: ['onyl'] },
      { path: [], message: "Tool 'picky' does not support model 'onyl'", hint: 'Did you mean `only`?' },
    ],
    [
      'a model of the scenario that an agent does not take',
      { agents: ['b', 'picky'], models: ['only', 'm'] },
      {},
      { path: ['models', 1], message: "Tool 'picky' does not support model 'm'", hint: 'Known: `only`.' },
    ],
    [
      'an agent of the scenario that does not take the model of a flag',
      { agents: ['b', 'picky'] },
      { models: ['m'] },
      { path: ['agents', 1], message: "Tool 'picky' does not support model 'm'", hint: 'Known: `only`.' },
    ],
  ])('%s', (_about, sections, defaults, problem) => {
    expect(choose(sections, defaults).problems).toEqual([problem]);
  });
});

describe('agents and models of the command line that a scenario overrides', () => {
  it.each([
    ['tool_matrix: [{ tool: x }]', { agents: ['f'] }, ['5:1: `tool_matrix`']],
    ['agents: [x]', { agents: ['f'] }, ['5:1: `agents`']],
    ['models: [m]', { models: ['n'] }, ['5:1: `models`']],
    ['agents: [x]', { models: ['n'] }, []],
    ['tool_matrix: [{ tool: x }]', {}, []],
    ['tool_matrix: [{ tool: x }]', { agents: ['f'], profile: 'quick' }, []],
  ])('are warned of: %s with %j', async (text, options, expected) => {
    const { warnings } = await readCliTool(`${minimalCliTool}${text}\n`, {}, { ...configured, ...options });
    const warningTexts = expected.map(
      (start) => `scenario.yaml:${start} overrides the agents and models of the command line`,
    );
    const about = warnings.filter(({ message }) => !message.includes('asserts nothing'));
    expect(about.map(formatProblem)).toEqual(warningTexts);
  });
});
