import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serveFiles } from '../../../testing/fakes/server/served-project.ts';
import { finishedTrial, runHeader } from '../../../testing/samples.ts';
import type { EvaluatorType, RubricList, ScenarioList, Settings } from '../api/project.ts';

const scenarioNamed = (name: string): string =>
  `name: ${name}\ncall: { module: ./tool.mjs, export: add }\ninput: { a: 1 }\npassCriteria: [result == 1]\ntags: [quick]\n`;
const tool = 'export const add = ({ a }) => a;\n';

describe('the list of scenarios', () => {
  it('has what can be run, and what is broken beside it', async () => {
    await using served = await serveFiles({
      'a.yaml': scenarioNamed('a'),
      'tool.mjs': tool,
      'bad.yaml': 'name: b\ncall: 1\n',
    });
    const { items, broken } = await served.get<ScenarioList>('/api/scenarios');
    expect(items).toMatchObject([
      { name: 'a', file: 'a.yaml', tags: ['quick'], cases: 1, trials: 1, evaluators: ['criteria'], last: null },
    ]);
    expect(broken).toMatchObject([{ file: 'bad.yaml', problems: [{ line: 2 }] }]);
  });

  it('has the variants that a run can be restricted to', async () => {
    const faults = 'faults: { late: [{ fault: error }] }\n';
    await using served = await serveFiles({ 'a.yaml': `${scenarioNamed('a')}${faults}`, 'tool.mjs': tool });
    const { items } = await served.get<ScenarioList>('/api/scenarios');
    expect(items).toMatchObject([{ trials: 2, arms: { faults: ['none', 'late'] } }]);
    const plan = async (arms: object) => (await served.send('POST', '/api/runs/plan', { arms })).json();
    expect(await plan({ faults: ['late'] })).toMatchObject({ trials: 1, variants: [{ variant: { faults: 'late' } }] });
    expect(await plan({ faults: ['none', 'late'] })).toMatchObject({ trials: 2 });
    expect(await plan({ faults: ['early'] })).toMatchObject({ code: 'NOTHING_TO_RUN' });
    expect(await plan({ agent: ['x'] })).toMatchObject({ code: 'REQUEST_INVALID' });
  });

  it('follows what happens to the files', async () => {
    await using served = await serveFiles({ 'a.yaml': scenarioNamed('a'), 'tool.mjs': tool });
    const names = async () => (await served.get<ScenarioList>('/api/scenarios')).items.map(({ name }) => name);
    expect(await names()).toEqual(['a']);
    await writeFile(join(served.folder, 'b.yaml'), scenarioNamed('b'));
    expect(await names()).toEqual(['a', 'b']);
    await writeFile(join(served.folder, 'a.yaml'), scenarioNamed('renamed'));
    expect(await names()).toEqual(['renamed', 'b']);
    await writeFile(join(served.folder, 'a.yaml'), scenarioNamed('b'));
    const twice = await served.get<ScenarioList>('/api/scenarios');
    expect(twice.broken[0]?.problems[0]?.message).toContain('duplicate scenario name');
    await writeFile(join(served.folder, 'a.yaml'), scenarioNamed('renamed'));
    expect((await served.get<ScenarioList>('/api/scenarios')).broken).toEqual([]);
    await writeFile(join(served.folder, 'a.yaml'), 'notes: no scenario\n');
    expect(await served.get<ScenarioList>('/api/scenarios')).toMatchObject({ items: [{ name: 'b' }], broken: [] });
    await writeFile(join(served.folder, 'a.yaml'), scenarioNamed('renamed'));
    await rm(join(served.folder, 'b.yaml'));
    expect(await names()).toEqual(['renamed']);
  });

  it('has the outcome of the newest run, as bad as its worst trial', async () => {
    await using served = await serveFiles({
      'a.yaml': scenarioNamed('a'),
      'b.yaml': scenarioNamed('b'),
      'tool.mjs': tool,
    });
    const { store } = served.context;
    const run = async (runId: string, startedAt: number, ...trials: ReturnType<typeof finishedTrial>[]) => {
      await store.createRun(runHeader(runId, { startedAt, status: 'finished', finishedAt: startedAt + 1 }));
      await store.saveTrials(trials);
    };
    await run(
      'r-1',
      1_000,
      finishedTrial('r-1', 0, { scenario: 'a', outcome: 'fail' }),
      finishedTrial('r-1', 1, { scenario: 'b' }),
    );
    await run(
      'r-2',
      2_000,
      finishedTrial('r-2', 0, { scenario: 'a' }),
      finishedTrial('r-2', 1, { scenario: 'a', outcome: 'error' }),
    );
    const { items } = await served.get<ScenarioList>('/api/scenarios');
    expect(items.map(({ last }) => [last?.runId, last?.outcome])).toEqual([
      ['r-2', 'error'],
      ['r-1', 'pass'],
    ]);
  });
});

describe('what a project works with', () => {
  it('lists evaluators in the shape that scripts know', async () => {
    await using served = await serveFiles();
    const types = await served.get<EvaluatorType[]>('/api/evaluator-types');
    expect(types.find(({ type }) => type === 'latency-budget')).toMatchObject({
      type: 'latency-budget',
      label: expect.any(String),
      description: expect.any(String),
      kind: 'assertion',
      configSchema: { type: 'object', properties: { maxMs: {} } },
      builtin: true,
      auto: false,
    });
    expect((await served.get<readonly unknown[]>('/api/connector-types')).length).toBeGreaterThan(5);
  });

  it('lists rubrics, right and wrong', async () => {
    await using served = await serveFiles({
      'rubrics/good.yaml': 'title: Good work\ncriteria:\n  - { id: a, weight: 1, description: it is good }\n',
      'rubrics/wrong.yaml': 'criteria:\n  - { id: a, weight: 2, description: it is good }\n',
      'rubrics/rubric-broken.yaml': 'criteria: [',
      'package.json': '{}',
    });
    const { items } = await served.get<RubricList>('/api/rubrics');
    expect(items.map(({ title, criteria, problems }) => [title, criteria, problems.length])).toEqual([
      ['Good work', 1, 0],
      ['rubric-broken', 0, 1],
      ['wrong', 1, 1],
    ]);
  });

  it('shows of keys only whether they are there', async () => {
    const config =
      'models:\n  providers:\n    openai: { apiKey: sk-very-secret-1234567890 }\n  prices: { mine: { inputPer1M: 1, outputPer1M: 2 } }\n';
    await using served = await serveFiles({ 'assay.config.yaml': config });
    const response = await served.request('/api/settings');
    const text = await response.text();
    expect(text).not.toContain('very-secret');
    const settings = JSON.parse(text) as Settings;
    expect(settings.providers.find(({ name }) => name === 'openai')).toMatchObject({
      hasKey: true,
      keyVariable: 'OPENAI_API_KEY',
    });
    expect(settings.providers.find(({ name }) => name === 'anthropic')).toMatchObject({ hasKey: false });
    expect(settings.prices).toContainEqual({
      model: 'mine',
      inputPerMillionUsd: 1,
      outputPerMillionUsd: 2,
      source: 'config',
    });
    expect(settings.project).toMatchObject({ configFile: 'assay.config.yaml', isConfigEditable: true });
    await served.get('/api/settings');
  });

  it('says how trials could be shared out', async () => {
    await using served = await serveFiles();
    expect(await served.get('/api/workers')).toMatchObject({
      isShared: false,
      whyNot: expect.stringContaining('assay queue worker'),
    });
  });
});
