import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../../../domain/problem.ts';
import type { Case } from '../../../../domain/scenario.ts';
import type { CliToolConfig } from '../../../../drive/targets/agent-task/task-config.ts';
import { loadCliTools } from '../../../../testing/support/llm-tool-test.ts';
import { temporaryFolder } from '../../../../testing/support/temporary-folder.ts';

const skill =
  '---\nname: totals\ndescription: Sums up files. Use it for totals.\n---\n\nAdd up the last column of the file.\n';

const published = {
  skill_name: 'totals',
  evals: [
    {
      id: 1,
      prompt: 'Sum up data/a.csv',
      expected_output: 'A total of 3',
      files: ['evals/files/data/a.csv', 'assets/b.json'],
      expectations: ['The total is 3', 'Nothing else changed'],
    },
    { id: 'two', prompt: 'What is 1 + 1?', expected_output: 'It says 2', files: [] },
    { id: 3, prompt: 'Sum up', assertions: ['There is a total'] },
  ],
};

type Files = Readonly<Record<string, string>>;

const bare: Files = { 's/SKILL.md': skill };
const around: Files = {
  ...bare,
  's/evals/files/data/a.csv': 'x,1\n',
  's/assets/b.json': '{"name":"x","call":{"module":"./y.mjs"},"input":1}',
};

async function load(evals: unknown, files: Files = around, name = 's/evals/evals.json') {
  const text = typeof evals === 'string' ? evals : JSON.stringify(evals, null, 1);
  const folder = await temporaryFolder({ ...files, [name]: text });
  return { folder, loaded: await loadCliTools(folder, ['s']) };
}

async function casesOf(result: Awaited<ReturnType<typeof load>>): Promise<Case[]> {
  const cases: Case[] = [];
  for (const scenario of result.loaded.scenarios) for await (const each of scenario.cases()) cases.push(each);
  return cases;
}

async function problems(evals: unknown, files: Files): Promise<string[]> {
  return (await load(evals, files)).loaded.problems.map(formatProblem);
}

describe('evals of a published skill', () => {
  it('are one scenario with and without the skill, whose expectations are criteria', async () => {
    const result = await load(published);
    const { folder, loaded } = result;
    expect([loaded.problems, loaded.warnings]).toEqual([[], []]);
    const [scenario, ...others] = loaded.scenarios;
    expect(others).toEqual([]);
    expect(scenario).toMatchObject({ name: 'totals', description: 'Sums up files. Use it for totals.', caseCount: 3 });
    expect(scenario?.variants.map(({ skills }) => skills)).toEqual(['with', 'without']);
    const config = scenario?.target.config as CliToolConfig;
    expect(config.skills).toEqual({ with: [{ name: 'totals', folder: join(folder, 's') }], without: [] });
    expect(config.caseFiles?.['1']).toEqual([
      { from: join(folder, 's/evals/files/data/a.csv'), to: 'data/a.csv' },
      { from: join(folder, 's/assets/b.json'), to: 'assets/b.json' },
    ]);
    const cases = await casesOf(result);
    expect(cases.map(({ caseId, input, expected }) => [caseId, input, expected])).toEqual([
      ['1', 'Sum up data/a.csv\n\nInput files: assets/b.json', 'A total of 3'],
      ['two', 'What is 1 + 1?', undefined],
      ['3', 'Sum up', undefined],
    ]);
    const criteria = cases.map(({ evaluators }) => evaluators.map(({ type, config: its }) => [type, its]));
    expect(criteria.flat()).toMatchObject([
      ['llm-judge', { successCriteria: ['The total is 3', 'Nothing else changed'] }],
      ['llm-judge', { successCriteria: ['It says 2'] }],
      ['llm-judge', { successCriteria: ['There is a total'] }],
    ]);
  });

  it.each([
    [
      'a list',
      [
        { query: 'Total of a.csv?', should_trigger: true },
        { query: 'Open a.csv', should_trigger: false },
      ],
    ],
    [
      'a file with the key of the tasks',
      {
        evals: [
          { prompt: 'Total of a.csv?', should_trigger: true },
          { prompt: 'Open a.csv', should_trigger: false },
        ],
      },
    ],
  ])('may be queries that trigger the skill or do not, in %s', async (_, queries) => {
    const result = await load(queries, around, 's/evals/triggers.json');
    expect(result.loaded.problems).toEqual([]);
    expect(result.loaded.scenarios.map(({ name, variants }) => [name, variants.map(({ skills }) => skills)])).toEqual([
      ['totals triggers', ['with']],
    ]);
    expect(
      (await casesOf(result)).map(({ input, expected, evaluators }) => [input, expected, evaluators[0]?.type]),
    ).toEqual([
      ['Total of a.csv?', { triggers: true }, 'skill-used'],
      ['Open a.csv', { triggers: false }, 'skill-used'],
    ]);
  });

  const task = '{"id": 1, "prompt": "Sum up", "expected_output": "3"}';

  it.each<[string, string, Files, string]>([
    [
      'no SKILL.md',
      `{"evals": [${task}]}`,
      {},
      's/evals/evals.json:1:1: these are evals of a skill, and there is no SKILL.md',
    ],
    [
      'a SKILL.md without a description',
      `{"evals": [${task}]}`,
      { 's/SKILL.md': '---\nname: a\n---\n' },
      's/evals/evals.json:1:1: the SKILL.md of this skill has no `description`',
    ],
    [
      'no evals',
      '{"skill_name": "totals", "evals": []}',
      bare,
      's/evals/evals.json:1:35: `evals` must have at least 1 item',
    ],
    [
      'no prompt',
      '{"skill_name": "totals",\n "evals": [{"id": 1}]}',
      bare,
      's/evals/evals.json:2:12: `evals[0].prompt` is missing',
    ],
    [
      'an empty prompt',
      '{"evals": [{"id": 1, "prompt": " "}]}',
      bare,
      's/evals/evals.json:1:32: the prompt must not be empty',
    ],
    [
      'a misspelt key',
      '{"evals": [{"id": 1, "prompt": "a",\n "expectation": ["b"]}]}',
      bare,
      's/evals/evals.json:2:2: unknown key `expectation`',
    ],
    ['the same id twice', `{"evals": [${task},\n ${task}]}`, bare, 's/evals/evals.json:2:9: duplicate id `1`'],
    [
      'a missing file',
      '{"evals": [{"id": 1, "prompt": "a",\n "files": ["evals/files/none.csv"]}]}',
      bare,
      's/evals/evals.json:2:12: there is no file `evals/files/none.csv` in the folder of the skill',
    ],
    [
      'a file outside of the skill',
      '{"evals": [{"id": 1, "prompt": "a", "files": ["../other/a.csv"]}]}',
      bare,
      's/evals/evals.json:1:47: `../other/a.csv` is not below the folder of the skill',
    ],
    [
      'an expectation that is not a text',
      '{"evals": [{"id": 1, "prompt": "a", "assertions": [{"type": "contains"}]}]}',
      bare,
      's/evals/evals.json:1:52: `evals[0].assertions[0]` must be text, not an object',
    ],
    [
      'queries without a should_trigger',
      '[{"query": "a", "should_trigger": true},\n {"query": "b"}]',
      bare,
      's/evals/evals.json:2:2: `[1].should_trigger` is missing',
    ],
  ])('are refused with their place: %s', async (_, text, files, problem) => {
    expect((await problems(text, files))[0]).toContain(problem);
  });

  it('ignore unknown keys of an entry with a warning, and warn of another skill', async () => {
    const evals = { skill_name: 'sums', evals: [{ id: 1, prompt: 'a', expected_output: 'b', difficulty: 'easy' }] };
    const { loaded } = await load(evals);
    expect(loaded.problems).toEqual([]);
    expect(loaded.warnings.map(({ message }) => message)).toEqual([
      '`skill_name` is "sums", and the skill in this folder is "totals"',
      'unknown key `difficulty` is ignored',
    ]);
  });

  it('that expect nothing are warned of, because their trials are errors', async () => {
    const { loaded } = await load({ evals: [{ id: 1, prompt: 'a' }] });
    expect(loaded.warnings.map(({ message }) => message)).toEqual([expect.stringContaining('asserts nothing')]);
  });

  it('change their hash with an input file', async () => {
    const hashes = [];
    for (const text of ['x,1\n', 'x,2\n']) {
      const { loaded } = await load(published, { ...around, 's/evals/files/data/a.csv': text });
      hashes.push([loaded.scenarios[0]?.contentHash, loaded.scenarios[0]?.identity?.task]);
    }
    expect(hashes[0]?.[0]).not.toBe(hashes[1]?.[0]);
    expect(hashes[0]?.[1]).not.toBe(hashes[1]?.[1]);
  });
});
