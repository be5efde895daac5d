import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { criteriaReply, runJudged } from '../../src/testing/support/judged-project.ts';
import { expectReadable, load, unmarked } from '../../src/testing/support/problems.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

interface Trial {
  readonly outcome: string;
  readonly reason: string;
  readonly fault?: { readonly code: string };
  readonly evaluatorResults: readonly {
    readonly type: string;
    readonly state: string;
    readonly reason: string;
    readonly isPart?: true;
  }[];
}

const broken = { type: 'command', id: 'broken', config: { command: 'exit 3' } };
const length = { type: 'measure', config: { name: 'size', expression: 'result.text.length' } };
const parts = [
  { type: 'contains', config: { text: 'hello' } },
  { type: 'regex', id: 'date', config: { pattern: '\\d{4}' } },
  { type: 'similarity', config: { text: 'hello word', minimum: 0.99 } },
  length,
];

async function trialOf(config: object, evaluators: readonly object[] = parts): Promise<Trial> {
  const scenario = {
    name: 'text',
    call: { command: 'cat' },
    input: { text: 'hello world' },
    evaluators: [...evaluators, { type: 'expression', config }],
  };
  const folder = await temporaryFolder({ 's.json': JSON.stringify(scenario) });
  const { stdout, stderr } = await assay(['run', 's.json', '--json', '--no-cache'], { cwd: folder });
  if (!stdout.startsWith('{')) throw new Error(stderr);
  return JSON.parse(stdout).trials[0];
}

describe('the expression evaluator', () => {
  it.each([
    [{ expression: 'results.contains && !results.date' }, 'pass'],
    [{ expression: 'results.contains && results.date' }, 'fail'],
    [{ expression: 'results.date || metrics.size < 20' }, 'pass'],
    [{ expression: 'metrics.size > 20 || results.date' }, 'fail'],
    [{ expression: 'scores.similarity > 0.1 && results.contains' }, 'pass'],
    [{ expression: 'Object.values(results).filter((passed) => passed).length >= 1' }, 'pass'],
    [{ expression: 'Object.values(results).filter((passed) => passed).length >= 3' }, 'fail'],
    [{ expression: 'results.contains ? metrics.size === 11 : results.date' }, 'pass'],
    [{ all: ['results.contains', 'metrics.size === 11'], not: ['results.date'] }, 'pass'],
    [{ any: ['results.date', 'results.contains'] }, 'pass'],
    [{ any: ['results.date', 'metrics.size > 99'] }, 'fail'],
    [{ not: ['results.contains'] }, 'fail'],
    [{ expression: "input.text === 'hello world' && results.contains" }, 'pass'],
  ])('%j gives %s', async (config, state) => {
    const { evaluatorResults } = await trialOf(config);
    expect(evaluatorResults.at(-1)).toMatchObject({ type: 'expression', state });
  });

  it('decides about the assertions that it names, and leaves the others to themselves', async () => {
    const all = parts.slice(0, 2);
    const decided = await trialOf({ any: ['results.date', 'results.contains'] }, all);
    expect(decided.outcome).toBe('pass');
    expect(decided.evaluatorResults).toMatchObject([
      { type: 'contains', state: 'pass', isPart: true },
      { type: 'regex', state: 'fail', isPart: true },
      { type: 'expression', state: 'pass' },
    ]);
    const other = await trialOf({ expression: 'results.contains' }, all);
    expect(other.outcome).toBe('fail');
    expect(other.reason).toContain('does not match');
  });

  it.each([
    ['results.contains || results.broken', 'pass'],
    ['results.broken || results.contains', 'pass'],
    ['results.date && results.broken', 'fail'],
    ['results.broken && results.date', 'fail'],
    ['results.broken ? results.contains : results.contains', 'pass'],
  ])('a part that could not be judged does not matter where the rest decides: %s', async (expression, outcome) => {
    const trial = await trialOf({ expression }, [...parts.slice(0, 2), broken]);
    const named = ['contains', 'date'].every((name) => expression.includes(name));
    expect(trial.evaluatorResults.at(-1)?.state).toBe(outcome);
    if (named) expect(trial.outcome).toBe(outcome);
  });

  it.each([
    'results.contains && results.broken',
    '!results.broken',
    'results.date || results.broken',
    'results.broken ? results.contains : results.date',
    'Object.values(results).some((passed) => passed)',
  ])('and makes the trial an error where it does: %s', async (expression) => {
    const trial = await trialOf({ expression: `(${expression}) || (results.contains && results.date)` }, [
      ...parts.slice(0, 2),
      broken,
    ]);
    expect(trial.outcome).toBe('error');
    expect(trial.fault?.code).toBe('PART_NOT_JUDGED');
    expect(trial.reason).toContain('could not be judged');
  });

  it('a metric without a figure is not 0', async () => {
    const metric = { type: 'command-metric', config: { name: 'm', command: 'exit 3' } };
    const trial = await trialOf({ expression: 'metrics.m < 5 && results.contains' }, [...parts.slice(0, 1), metric]);
    expect(trial.fault).toMatchObject({
      code: 'PART_NOT_JUDGED',
      message: expect.stringContaining('m was not measured'),
    });
  });

  it.each([
    ['results.contain', 'names nothing that was evaluated: there are contains'],
    ['results.size', 'names nothing that was evaluated'],
    ['metrics.size', 'not true or false'],
    ['scores.contains + 1', 'not true or false'],
  ])('an unusable expression is an error: %s', async (expression, message) => {
    const trial = await trialOf({ expression }, [parts[0], length] as object[]);
    expect(trial.outcome).toBe('error');
    expect(trial.fault).toMatchObject({ code: 'CRITERION_UNUSABLE', message: expect.stringContaining(message) });
  });

  it('two evaluators of one name are distinguished by their ids only', async () => {
    const twice = [parts[0], parts[0]] as object[];
    expect((await trialOf({ expression: 'results.contains' }, twice)).reason).toContain('give each an `id`');
    const named = [parts[0], { ...parts[0], id: 'again' }] as object[];
    expect((await trialOf({ expression: 'results.contains && results.again' }, named)).outcome).toBe('pass');
  });

  it('looks at the answers of a judge, criterion by criterion', async () => {
    const scenario = (expression: string) =>
      JSON.stringify({
        name: 'Capital',
        call: { module: './tool.mjs', export: 'answer' },
        input: {},
        judge: { model: 'openai/gpt-4o-mini', successCriteria: 'It names the capital.' },
        evaluators: [{ type: 'expression', config: { expression } }],
      });
    const rules = [{ reply: { json: criteriaReply('met') } }];
    const met = await runJudged({ scenario: scenario("judge['success-1'] === 'met'"), rules });
    expect(met.trial.outcome).toBe('pass');
    const negated = await runJudged({ scenario: scenario("!results['llm-judge']"), rules });
    expect(negated.trial.outcome).toBe('fail');
    const unmet = { rules: [{ reply: { json: criteriaReply('not-met') } }] };
    const named = await runJudged({ scenario: scenario("judge['success-1'] !== 'met'"), ...unmet });
    expect(named.trial.outcome).toBe('pass');
    const skipped = await runJudged({ scenario: scenario("results['llm-judge']"), rules, flags: ['--no-judge'] });
    expect(skipped.trial).toMatchObject({ outcome: 'error', fault: { code: 'PART_NOT_JUDGED' } });
  });

  it('lets a conversation go on that one of its parts would end', async () => {
    const scenario = {
      name: 'talk',
      connector: { type: 'module', config: { module: './agent.mjs' } },
      messages: [{ role: 'user', content: 'One' }],
      userMessages: ['Two'],
      evaluators: [
        { type: 'not-contains', config: { text: 'sorry' } },
        { type: 'contains', config: { text: 'Done' } },
        { type: 'expression', config: { any: ["results['not-contains']", 'results.contains'] } },
      ],
    };
    const agent = `export default async ({ messages }) => (messages.at(-1).content === 'Two' ? 'Done' : 'sorry');\n`;
    const folder = await temporaryFolder({ 's.json': JSON.stringify(scenario), 'agent.mjs': agent });
    const { stdout } = await assay(['run', 's.json', '--json', '--no-cache'], { cwd: folder });
    const [trial] = JSON.parse(stdout).trials;
    expect(trial).toMatchObject({ outcome: 'pass', turns: [{ turn: 1 }, { turn: 2 }] });
  });

  it.each(['expression: results.▸', 'expression: ▸result.text', 'any: ▸[]', '▸{}', 'any: ["results.a", "▸count > 3"]'])(
    'a wrong config is reported where it stands: %j',
    async (config) => {
      const { text, place } = unmarked(
        `name: x\ncall: { command: cat }\ninput: {}\nevaluators:\n  - type: contains\n    config: { text: a }\n  - type: expression\n    config:\n      ${config}\n`,
      );
      const folder = await temporaryFolder({ 's.yaml': text });
      const { problems } = await load(folder, 's.yaml');
      for (const problem of problems) expectReadable(problem, text);
      expect(problems.map(({ at }) => `${at.line}:${at.column}`)).toEqual([place]);
    },
  );
});
