import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { criteriaReply } from '../../src/testing/support/judged-project.ts';
import { mcpProject, server } from '../../src/testing/support/mcp-project.ts';
import { meteredModel } from '../../src/testing/support/metered-model.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/** A model server that replies by what it is asked to be: the judge, the persona or the agent under test. */
function provider() {
  return meteredModel({
    textFor: ({ messages }) => {
      const text = JSON.stringify(messages);
      if (text.includes('success-1')) return JSON.stringify(criteriaReply('met', 'Hi', 'e2'));
      if (text.includes('Ann')) return JSON.stringify({ reason: 'Bored.', message: 'Hello', isDone: false });
      return 'Hi';
    },
  });
}

function conversation(baseUrl: string, persona: Record<string, unknown> = {}) {
  return {
    name: 'Chat',
    connector: { type: 'openai-chat', baseUrl, config: { model: 'agent' } },
    maxMessages: 2,
    personas: [{ name: 'Ann', description: 'wants a greeting', ...persona }],
    evaluators: [{ type: 'llm-judge', config: { successCriteria: 'The agent greets' } }],
  };
}

interface Setting {
  readonly config?: unknown;
  readonly studio?: unknown;
  readonly persona?: Record<string, unknown>;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Folder of the scenario, where Assay is run. */
  readonly at?: string;
}

async function run({ config, studio, persona, flags = [], env = {}, at = '.' }: Setting) {
  const model = await provider();
  const folder = await temporaryFolder({
    [join(at, 's.json')]: JSON.stringify(conversation(model.url, persona)),
    ...(config === undefined ? {} : { 'assay.config.json': JSON.stringify(config) }),
    ...(studio === undefined ? {} : { 'evalstudio.config.json': JSON.stringify(studio, null, 2) }),
  });
  const cwd = join(folder, at);
  const result = await assay(['run', 's.json', '--json', '--no-cache', ...flags], {
    cwd,
    env: { ...model.env, ...env },
  });
  const used = [...new Set(model.bodies.map((body) => String(body.model)))].sort();
  return { ...result, used, requests: model.keys };
}

const each = { models: { judge: 'openai/strict', persona: 'openai/chatty' } };

describe('a model for each use', () => {
  it('judges with one model and plays personas with another', async () => {
    const { exitCode, used, stderr } = await run({ config: each });
    expect(exitCode, stderr).toBe(0);
    expect(used).toEqual(['agent', 'chatty', 'strict']);
  });

  it.each([
    ['a persona with its own model', { config: each, persona: { model: 'openai/own' } }, ['agent', 'own', 'strict']],
    ['--judge-model', { config: each, flags: ['--judge-model', 'openai/flag'] }, ['agent', 'chatty', 'flag']],
    ['judge.model', { config: { ...each, judge: { model: 'openai/section' } } }, ['agent', 'chatty', 'section']],
    ['no persona model: the judge', { config: { models: { judge: 'openai/strict' } } }, ['agent', 'strict']],
    [
      'variables',
      { config: { models: { ...each.models, persona: 'openai/${PLAYER}' } }, env: { PLAYER: 'player' } },
      ['agent', 'player', 'strict'],
    ],
  ])('is chosen by %s', async (_what, setting: Setting, expected) => {
    const { used, stderr } = await run(setting);
    expect(used, stderr).toEqual(expected);
  });

  it('plays personas where the judge is switched off', async () => {
    const { used } = await run({ config: { models: { judge: 'openai/strict' } }, flags: ['--no-judge'] });
    expect(used).toEqual(['agent', 'strict']);
  });

  it('drives workflows that name neither a model nor an agent', async () => {
    const model = await meteredModel({ textFor: () => 'Done.' });
    const suite = { server, workflows: [{ name: 'w', steps: [{ user: 'Say done', expectedState: 'Done' }] }] };
    const config = { models: { workflow: 'openai/driver' } };
    const named = { ...suite, model: 'openai/named' };
    const folder = await mcpProject({ 'assay.config.json': config, 'a.json': suite, 'b.json': named });
    const options = { cwd: folder, env: model.env };
    const first = await assay(['run', 'a.json', '--json'], options);
    expect(first.exitCode, first.stderr + first.stdout).toBe(0);
    await assay(['run', 'b.json', '--json'], options);
    expect(model.bodies.map((body) => body.model)).toEqual(['driver', 'named']);
    expect(JSON.parse(first.stdout).trials[0].variant).toEqual({ model: 'openai/driver' });
  });

  it.each([
    ['an empty name', { models: { persona: '' } }, 'models.persona'],
    ['a list for personas', { models: { persona: ['a', 'b'] } }, 'models.persona'],
    ['a misspelt use', { models: { jugde: 'openai/x' } }, 'judge'],
    ['an unset variable', { models: { judge: '${NOT_SET_ANYWHERE}' } }, 'NOT_SET_ANYWHERE'],
  ])('refuses %s', async (_what, config, message) => {
    const { exitCode, stderr, used } = await run({ config });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain('assay.config.json:1:');
    expect(used).toEqual([]);
  });
});

describe('llmSettings of EvalStudio', () => {
  const llmSettings = { provider: 'openai', apiKey: 'key-of-the-workspace', models: { evaluation: 'e', persona: 'p' } };
  const studio = { version: 3, name: 'W', projects: [{ id: 'one', name: 'One' }], llmSettings };
  const own = { provider: 'openai', apiKey: 'key-of-the-project', models: { evaluation: 'mine' } };
  const several = {
    ...studio,
    projects: [
      { id: 'one', name: 'One', llmSettings: own },
      { id: 'two', name: 'Two' },
    ],
  };

  it('name the models and the key, which is not printed', async () => {
    const { exitCode, used, requests, stdout, stderr } = await run({ studio });
    expect(exitCode, stderr).toBe(0);
    expect(used).toEqual(['agent', 'e', 'p']);
    expect(requests).toContain('Bearer key-of-the-workspace');
    expect(stdout + stderr).not.toContain('key-of-the-workspace');
  });

  it('give way to the config of the project', async () => {
    const { used } = await run({ studio, config: { models: { persona: 'openai/chatty' } } });
    expect(used).toEqual(['agent', 'chatty', 'e']);
  });

  it('of a project replace those of the workspace as a whole', async () => {
    const { used, requests, stderr } = await run({ studio: several, at: 'projects/one' });
    expect(used, stderr).toEqual(['agent', 'mine']);
    expect(requests).toContain('Bearer key-of-the-project');
    const other = await run({ studio: several, at: 'projects/two' });
    expect(other.used).toEqual(['agent', 'e', 'p']);
  });

  it('of one project among several are not used in the workspace, with a warning', async () => {
    const { used, stderr } = await run({ studio: several });
    expect(used).toEqual(['agent', 'e', 'p']);
    expect(stderr).toContain('`projects[0].llmSettings` is not used in the folder of the workspace');
    expect(stderr).toContain('Run Assay in projects/one.');
  });

  it('without models are the models of EvalStudio', async () => {
    const { used } = await run({ studio: { llmSettings: { provider: 'openai', apiKey: 'any' } } });
    expect(used).toEqual(['agent', 'gpt-4o-mini']);
  });

  it('warns of keys that are set elsewhere', async () => {
    const { stderr } = await run({ studio: { ...studio, maxConcurrency: 3 } });
    expect(stderr).toContain('`maxConcurrency` is not read');
  });

  it.each([
    ['an unknown provider', { llmSettings: { provider: 'nobody' } }, 'llmSettings.provider'],
    ['a misspelt use', { llmSettings: { provider: 'openai', models: { judge: 'x' } } }, 'judge'],
    ['projects that are not a list', { projects: {} }, 'projects'],
  ])('are refused with %s', async (_what, studioFile, message) => {
    const { exitCode, stderr } = await run({ studio: studioFile });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain('evalstudio.config.json:');
  });
});
