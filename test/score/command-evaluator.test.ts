import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { onlyTrial, runTool, toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';
import { expectReadable, load, unmarked } from '../../src/testing/support/problems.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

interface Result {
  readonly type: string;
  readonly state: string;
  readonly reason: string;
  readonly value?: number;
  readonly fault?: { readonly code: string; readonly blame: string };
  readonly metadata?: unknown;
}

interface Trial {
  readonly outcome: string;
  readonly metrics: Record<string, number | null>;
  readonly evaluatorResults: readonly Result[];
  readonly scripts: readonly unknown[];
}

/** A grader that prints this text, whatever the trial. */
const printing = (text: string): string => `cat > /dev/null; printf '%s' '${text}'`;

const direct = (evaluators: readonly object[]) => ({
  name: 'direct',
  call: { command: 'cat' },
  input: { day: 'friday' },
  expected: 'friday',
  evaluators,
});

async function trialOf(
  scenario: object,
  files: Record<string, string> = {},
  env: Record<string, string> = {},
): Promise<Trial> {
  const folder = await temporaryFolder({ 's.json': JSON.stringify(scenario), ...files });
  const { stdout, stderr } = await assay(['run', 's.json', '--json', '--no-cache'], { cwd: folder, env });
  if (!stdout.startsWith('{')) throw new Error(stderr);
  return JSON.parse(stdout).trials[0];
}

const graded = async (config: object): Promise<Result | undefined> =>
  (await trialOf(direct([{ type: 'command', config }]))).evaluatorResults[0];

/** Grades by what it got on stdin, and says what that was. */
const grader = `let text = '';
process.stdin.on('data', (chunk) => (text += chunk)).on('end', () => {
  const trial = JSON.parse(text);
  const passed = trial.result ? trial.result.day === trial.case.expected : (trial.answer ?? '').includes('Booked');
  const message = [trial.scenario.name, trial.case.id, trial.messages.length, trial.toolCalls.map(({ tool }) => tool),
    trial.options.strict, trial.workDirectory !== null, process.env.SECRET_KEY ?? 'no key', process.env.MODE].join(' ');
  console.log(JSON.stringify({ passed, score: 0.75, metrics: { calls: trial.toolCalls.length, none: null }, message,
    detail: { seen: trial.trace.length > 0 } }));
});
`;

describe('the command evaluator', () => {
  it('grades a tool that is called directly, with numbers and details, and without the keys of the user', async () => {
    const config = {
      name: 'mine',
      command: 'node grade.mjs',
      options: { strict: true },
      env: { MODE: 'x-${LEVEL}' },
    };
    const scenario = direct([{ type: 'command', config }]);
    const trial = await trialOf(scenario, { 'grade.mjs': grader }, { SECRET_KEY: 'walnut-4711', LEVEL: '3' });
    expect(trial.outcome).toBe('pass');
    expect(trial.evaluatorResults[0]).toMatchObject({
      state: 'pass',
      value: 0.75,
      reason: 'direct input 1 cat true false no key x-3',
      metadata: { detail: { seen: true } },
    });
    expect(trial.metrics).toMatchObject({ 'mine.calls': 1, 'mine.none': null });
    expect(trial.scripts).toMatchObject([{ name: 'mine', score: 0.75 }]);
  });

  it('grades a conversation', async () => {
    const agent = `export default async () => ({ messages: [
  { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'book', arguments: '{}' } }] },
  { role: 'tool', tool_call_id: 'c', content: 'ok' },
  { role: 'assistant', content: 'Booked' } ] });\n`;
    const scenario = {
      name: 'talk',
      connector: { type: 'module', config: { module: './agent.mjs' } },
      messages: [{ role: 'user', content: 'Book friday' }],
      evaluators: [{ type: 'command', config: { command: 'node grade.mjs' } }],
    };
    const trial = await trialOf(scenario, { 'agent.mjs': agent, 'grade.mjs': grader });
    expect(trial.evaluatorResults[0]).toMatchObject({
      state: 'pass',
      reason: 'talk conversation 4 book false no key',
    });
  });

  it('grades the work of a coding agent, which it finds by its path', async () => {
    const script = `let text = ''; process.stdin.on('data', (c) => (text += c)).on('end', () => {
  const { workDirectory } = JSON.parse(text);
  const names = require('node:fs').readdirSync(workDirectory);
  console.log(JSON.stringify({ passed: names.includes('made.txt'), message: names.join() })); });\n`;
    const evaluators = `evaluators:\n  - { type: command, config: { command: node grade.cjs } }\n`;
    const folder = await toolProject({
      scenario: toolScenario('[]', evaluators),
      script: 'steps:\n  - run: touch made.txt\n',
    });
    await writeFiles(folder, { 'scenarios/grade.cjs': script, 'grade.cjs': script });
    const trial = onlyTrial(await runTool(folder)) as unknown as Trial;
    expect(trial.evaluatorResults.find(({ type }) => type === 'command')).toMatchObject({
      state: 'pass',
      reason: expect.stringContaining('made.txt'),
    });
  });

  it.each([
    [printing('{"passed":true}'), { state: 'pass', reason: 'The command gave a pass', value: 1 }],
    [printing('{"passed":false,"message":"too short"}'), { state: 'fail', reason: 'too short', value: 0 }],
    [printing('{"passed":false,"summary":"as in scripts"}'), { state: 'fail', reason: 'as in scripts' }],
  ])('takes the verdict of %s', async (command, result) => {
    expect(await graded({ command })).toMatchObject(result);
  });

  it.each([
    ['0.8', 'pass', 'The command gave a pass (score 0.8, wanted at least 0.8)'],
    ['0.79', 'fail', 'The command gave a fail (score 0.79, wanted at least 0.8)'],
  ])('compares a score of %s with the threshold', async (score, state, reason) => {
    const command = printing(`{"score":${score}}`);
    expect(await graded({ command, passThreshold: 0.8 })).toMatchObject({ state, reason, value: Number(score) });
  });

  it.each([
    ['exit 3', 60, 'exited with 3, wanted exit code 0'],
    ['echo broken >&2; kill -9 $$', 60, 'was ended by SIGKILL'],
    ['sleep 30', 0.2, 'did not end within 0.2 s and was stopped'],
    ['no-such-program-here', 60, 'exited with 127'],
    [printing('not json'), 60, 'did not print one JSON object: "not json"'],
    [printing('[true]'), 60, 'did not print one JSON object'],
    [printing(''), 60, 'did not print one JSON object: stdout is empty'],
    [printing('{}'), 60, 'The command printed no `passed`'],
    [printing('{"score":1}'), 60, 'the config has no `passThreshold`'],
    [printing('{"passed":"yes"}'), 60, '`passed` is not true or false'],
    [printing('{"passed":true,"score":"1"}'), 60, '`score` is not a number'],
    [printing('{"passed":true,"metrics":{"a":"b"}}'), 60, '`metrics.a` is not a number'],
    [`printf '{"passed":true}'; exit 1`, 60, 'exited with 1'],
  ])('is an error, never a fail: %s', async (command, timeoutSecs, message) => {
    expect(await graded({ command, timeoutSecs })).toMatchObject({
      state: 'error',
      reason: expect.stringContaining(message),
      fault: { code: 'GRADER_FAILED', blame: 'user' },
    });
  });

  it('is an error where a variable of its environment is not set', async () => {
    const result = await graded({ command: printing('{"passed":true}'), env: { KEY: '${NOT_SET_ANYWHERE}' } });
    expect(result).toMatchObject({ state: 'error', reason: expect.stringContaining('NOT_SET_ANYWHERE') });
  });

  it.each([
    'command: ▸""',
    'command: ▸3',
    'command: a\n      timeoutSecs: ▸0',
    'command: a\n      ▸timeout: 3',
    'command: a\n      passThreshold: ▸high',
  ])('a wrong config is reported where it stands: %j', async (config) => {
    const { text, place } = unmarked(
      `name: x\ncall: { command: cat }\ninput: {}\nevaluators:\n  - type: command\n    config:\n      ${config}\n`,
    );
    const folder = await temporaryFolder({ 's.yaml': text });
    const { problems } = await load(folder, 's.yaml');
    for (const problem of problems) expectReadable(problem, text);
    expect(problems.map(({ at }) => `${at.line}:${at.column}`)).toEqual([place]);
  });
});

describe('the command-metric evaluator', () => {
  it('measures and never decides', async () => {
    const metric = (name: string, text: string) => ({
      type: 'command-metric',
      config: { name, command: printing(text) },
    });
    const trial = await trialOf(
      direct([
        { type: 'contains', config: { text: 'friday' } },
        metric('good', '{"score":0.5,"metrics":{"words":12}}'),
        metric('parts', '{"metrics":{"words":3}}'),
        metric('bad', 'oops'),
      ]),
    );
    expect(trial.outcome).toBe('pass');
    expect(trial.metrics).toEqual({ good: 0.5, 'good.words': 12, parts: null, 'parts.words': 3, bad: null });
    expect(trial.evaluatorResults.map(({ state }) => state)).toEqual(['pass', 'measured', 'no-data', 'error']);
  });
});
