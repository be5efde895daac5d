import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  loadCliTools,
  minimalCliTool as minimal,
  onlyScenario,
  readCliTool as read,
  sampleRubric as rubric,
} from '../../../../testing/support/llm-tool-test.ts';
import { temporaryFolder } from '../../../../testing/support/temporary-folder.ts';

describe('the template', () => {
  const named = minimal.replace('name: m\n', 'name: m\ntemplate_folder: basic\n');

  it.each([
    ['beside the scenario', 'deep/basic'],
    ['in the project', 'basic'],
    ['among the templates of the fixtures', 'fx/templates/basic'],
    ['among the fixtures', 'fx/basic'],
  ])('is found %s', async (_about, place) => {
    const folder = await temporaryFolder({ 'deep/scenario.yaml': named, [`${place}/a.txt`]: 'x' });
    const loaded = await loadCliTools(folder, ['deep/scenario.yaml'], { fixturesFolders: [join(folder, 'fx')] });
    expect((await onlyScenario(loaded)).config.template).toBe(join(folder, place));
  });

  it('is the nearest one', async () => {
    const folder = await temporaryFolder({ 'deep/scenario.yaml': named });
    for (const place of ['fx/basic', 'fx/templates/basic', 'basic', 'deep/basic']) {
      await mkdir(join(folder, place), { recursive: true });
      const loaded = await loadCliTools(folder, ['deep/scenario.yaml'], { fixturesFolders: [join(folder, 'fx')] });
      expect((await onlyScenario(loaded)).config.template).toBe(join(folder, place));
    }
  });

  it('may be named absolutely', async () => {
    const template = await temporaryFolder({ 'a.txt': 'x' });
    const { config } = await read(named.replace('basic', template));
    expect(config.template).toBe(template);
  });

  it('is a folder named like the scenario when none is named', async () => {
    const { folder, config } = await read(minimal, { 'scenario/a.txt': 'x' });
    expect(config.template).toBe(join(folder, 'scenario'));
  });

  it('is not a folder of the project that has the same name by chance', async () => {
    const folder = await temporaryFolder({ 'deep/docs.yaml': minimal, 'docs/a.md': 'x' });
    expect((await onlyScenario(await loadCliTools(folder, ['deep/docs.yaml']))).config.template).toBeUndefined();
  });

  it('holds no scenarios, whatever lies in it', async () => {
    const folder = await temporaryFolder({
      'a.yaml': named,
      'basic/broken.yaml': 'a: [',
      'basic/looks-right.yaml': minimal,
      'basic/scenarios/b.yaml': minimal.replace('name: m', 'name: b'),
      'c.yaml': 'x: 1\n',
      // Settings are not data without a scenario.
      'assay.config.yaml': 'concurrency: 1\n',
      'package.json': '{}',
    });
    const { scenarios, problems, otherFiles } = await loadCliTools(folder, ['.']);
    expect(problems).toEqual([]);
    expect(scenarios.map(({ name }) => name)).toEqual(['m', 'b']);
    expect(otherFiles).toEqual(['basic/broken.yaml', 'basic/looks-right.yaml', 'c.yaml']);
  });

  it('may be the folder that the scenario lies in', async () => {
    const folder = await temporaryFolder({ 'a.yaml': named.replace('basic', '.') });
    expect((await loadCliTools(folder, ['.'])).scenarios.map(({ name }) => name)).toEqual(['m']);
  });
});

describe('the rubric', () => {
  const judged = minimal.replace(
    'gates: []',
    'gates: [], judge: { enabled: true, rubric: r.yaml, pass_threshold: 0.5 }',
  );

  it.each(['deep/r.yaml', 'r.yaml', 'fx/templates/r.yaml', 'fx/r.yaml'])('is found as %s', async (place) => {
    const folder = await temporaryFolder({ 'deep/scenario.yaml': judged, [place]: rubric });
    const loaded = await loadCliTools(folder, ['deep/scenario.yaml'], { fixturesFolders: [join(folder, 'fx')] });
    expect((await onlyScenario(loaded)).task.evaluators.at(-1)?.type).toBe('rubric-judge');
  });

  it('is not read for a judge that is switched off, unless the judge is forced', async () => {
    const off = judged.replace('enabled: true', 'enabled: false');
    expect((await read(off)).task.evaluators.map(({ type }) => type)).toEqual(['interaction']);
    const forced = await read(off, { 'r.yaml': rubric }, {}, { isJudgeForced: true });
    expect(forced.task.evaluators.map(({ type }) => type)).toEqual(['interaction', 'rubric-judge']);
  });

  it('may be left out for criteria in plain words, with its own models', async () => {
    const text = minimal.replace('gates: []', 'judge: { successCriteria: It is done, model: openai/gpt-4o-mini }');
    const { task, scenario } = await read(text);
    expect(task.evaluators.at(-1)).toMatchObject({ type: 'llm-judge', config: { successCriteria: 'It is done' } });
    expect(scenario.judge.models).toEqual(['openai/gpt-4o-mini']);
  });
});

describe('guidance', () => {
  const files = { 'v1.md': '1', 'v2.md': '2', 'x/AGENTS.md': 'x', 'y/AGENTS.md': 'y', 'folder/AGENTS.md': 'f' };

  it.each([
    ['v1.md', ['v1']],
    ['[v1.md, v2.md, folder]', ['v1', 'v2', 'folder']],
    ['[x/AGENTS.md, ./y/AGENTS.md, v1.md]', ['x/AGENTS.md', 'y/AGENTS.md', 'v1']],
    ['{ short: v1.md, long: v2.md }', ['short', 'long']],
  ])('%s is known as %j', async (written, names) => {
    const { scenario, config } = await read(`${minimal}guidance: ${written}\n`, files);
    expect(scenario.variants.map(({ guidance }) => guidance)).toEqual(names);
    expect(Object.keys(config.guidance)).toEqual(names);
  });

  it.each(['{ long: v2.md, bare: null }', '{ long: v2.md, bare: none }'])(
    '%s has an arm without any',
    async (written) => {
      const { scenario, config } = await read(`${minimal}guidance: ${written}\n`, files);
      expect(scenario.variants.map(({ guidance }) => guidance)).toEqual(['long', 'bare']);
      expect(Object.keys(config.guidance)).toEqual(['long']);
    },
  );
});

describe('a skill in the config of an evaluator', () => {
  const skill =
    '---\nname: weekly-report\ndescription: Writes the weekly report.\n---\nCollect what was done in the week, and write one paragraph about it.\n';
  const asserted = (name: string, section = 'skills: [weekly]\n') =>
    `${minimal}${section}evaluators:\n  - type: skill-used\n    config: { skill: ${name} }\n`;

  it('is one of those that the scenario lays down', async () => {
    const { config } = await read(asserted('weekly-report'), { 'weekly/SKILL.md': skill });
    expect(Object.keys(config.skills)).toEqual(['weekly']);
  });

  it.each([
    ['of another name', undefined, 'Did you mean `weekly-report`?'],
    ['where there is none', '', 'Add the folder of the skill to `skills`.'],
  ])('is a problem at its place: %s', async (_about, section, hint) => {
    const text = asserted('weekly-reports', section);
    const folder = await temporaryFolder({ 'scenario.yaml': text, 'weekly/SKILL.md': skill });
    const { problems } = await loadCliTools(folder, ['scenario.yaml']);
    const line = text.split('\n').findIndex((each) => each.includes('config:')) + 1;
    expect(problems).toMatchObject([
      {
        at: { line, column: 22 },
        message: 'No skill is called `weekly-reports`.',
        hint: expect.stringContaining(hint),
      },
    ]);
  });
});
