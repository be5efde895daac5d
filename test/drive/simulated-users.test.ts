import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/domain/trace.ts';
import { loadModelScript } from '../../src/load/scripts.ts';
import { assay } from '../../src/testing/support/assay.ts';
import { runConversation, validateConversation } from '../../src/testing/support/conversation-run.ts';
import { scripted } from '../../src/testing/support/models.ts';
import { storeElsewhere } from '../../src/testing/support/project-store.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

type Rules = Parameters<typeof scripted>[0]['rules'];

const answer = `export default ({ messages }) => (messages.length > 1 ? 'Booked.' : 'For how many?');`;
const tools = `
export const calendar = ({ day }) => ({ day, free: true });
export const broken = () => { throw new RangeError('no calendar'); };
`;
const files = { 'answer.mjs': answer, 'tools.mjs': tools };

const scenario = {
  name: 'Booking',
  connector: { type: 'module', reports: ['tool-calls'], config: { module: './answer.mjs' } },
  persona: { name: 'Ann', goal: 'a table', facts: { guests: 'two', allergy: 'peanuts' }, model: 'openai/user' },
  evaluators: [{ type: 'contains', config: { text: 'Booked' }, when: 'final' }],
};

const said = (message: string, more: object = {}) => ({
  reply: { json: { reason: 'so', message, isDone: false, ending: 'none', ...more } },
});
const left = (ending: string) => said('', { isDone: true, ending });
const ofUser = { model: 'user' };

/** The user asks for a table, says how many, and leaves in this way. */
const talking = (ending = 'goal-reached'): Rules => [
  { when: { ...ofUser, last: 'Booked.' }, ...left(ending) },
  { when: { ...ofUser, last: 'For how many?' }, ...said('We are two.') },
  { when: ofUser, ...said('A table, please.') },
];

interface Finding {
  readonly answer: 'met' | 'not-met' | 'cannot-tell';
  readonly quote?: string;
}

/** A review of the user that finds this about the first check, and nothing about the others. */
function reviewing({ answer: first, quote }: Finding): Rules {
  const evidence = quote === undefined ? [] : [{ event: 'e3', quote }];
  const criteria = [1, 2, 3, 4].map((number) => ({
    id: `failure-${number}`,
    reasoning: `check ${number}`,
    evidence: number === 1 ? evidence : [],
    answer: number === 1 ? first : 'not-met',
  }));
  return [{ when: { model: 'judge' }, reply: { json: { criteria, confidence: 1 } } }];
}

async function run(rules: Rules, more: object = {}, flags: readonly string[] = []) {
  const server = await scripted({ rules });
  const env = { ...server.environment, OPENAI_API_KEY: 'any', LLM_TOOL_TEST_JUDGE: 'openai/judge' };
  const result = await runConversation({ ...scenario, ...more }, { files, env, flags });
  return { ...result, prompts: server.log().map(({ conversation }) => conversation) };
}

function eventOf<Type extends TraceEvent['type']>(trace: readonly TraceEvent[], type: Type) {
  return trace.filter((event) => event.type === type) as Extract<TraceEvent, { type: Type }>[];
}

const reviewed = (config: object) => ({
  evaluators: [...scenario.evaluators, { type: 'user-fidelity', config }],
});

describe('a simulated user', () => {
  it('has a goal, facts and its own tools in the example, and its calls are not those of the agent', async () => {
    const model = await scripted(await loadModelScript('examples/bare-model/model.yaml', root));
    const env = { OPENAI_API_KEY: 'any', ...model.environment };
    const cwd = `${root}/examples/bare-model`;
    const store = await storeElsewhere();
    const judge = ['--judge-model', 'openai/gpt-4.1'];
    const { stdout, exitCode } = await assay(['run', 'router.yaml', ...judge, '--json', '--no-cache', ...store], {
      cwd,
      env,
    });
    const { trials } = JSON.parse(stdout);
    expect(trials[0], stdout).toMatchObject({
      outcome: 'pass',
      metrics: { 'tool-call-count': 1, 'user-fidelity': 1, 'user-fidelity.reveals': 1 },
    });
    expect(exitCode).toBe(0);
    const shown = await assay(['show', trials[0].trialId, '--json', ...store], { cwd, env });
    const trace: TraceEvent[] = JSON.parse(shown.stdout).trace;
    expect(eventOf(trace, 'simulated-user')).toMatchObject([
      { name: 'Ann', model: 'openai/gpt-4o', promptVersion: 'persona.v2+persona-turn.v2', tools: ['restart_router'] },
    ]);
    expect(eventOf(trace, 'simulated-user')[0]?.brief).toMatchObject({
      goal: 'get the internet connection back',
      facts: { 'customer number': 'C-4711' },
    });
    expect(eventOf(trace, 'user-call')).toMatchObject([{ tool: 'restart_router', result: { light: 'green' } }]);
    expect(eventOf(trace, 'tool-call').map(({ tool }) => tool)).toEqual(['line_status']);
    expect(eventOf(trace, 'conversation-ended')).toMatchObject([{ why: 'goal-reached' }]);
    const ofTarget = eventOf(trace, 'usage').filter(({ purpose }) => purpose === undefined);
    const tokens = ofTarget.reduce((sum, { inputTokens }) => sum + (inputTokens ?? 0), 0);
    expect(trials[0].targetUsage.inputTokens).toBe(tokens);
    const { targetUsd, personaUsd, judgeUsd } = trials[0].costs;
    expect(Math.min(targetUsd, personaUsd, judgeUsd)).toBeGreaterThan(0);
    expect(trials[0].costUsd).toBeCloseTo(targetUsd + personaUsd + judgeUsd, 10);
  });

  it('alone knows the facts of its brief: neither the agent nor its judge sees them', async () => {
    const judged = { criteria: [{ id: 'success-1', reasoning: 'r', evidence: [], answer: 'not-met' }], confidence: 1 };
    const rules = [...talking('gave-up'), { when: { model: 'judge' }, reply: { json: judged } }];
    const { trace, prompts } = await run(rules, { successCriteria: 'It asks for allergies', evaluators: [] });
    const texts = prompts.map((prompt) => ({ model: prompt?.model, text: JSON.stringify(prompt) }));
    const withFact = (model: string) => texts.filter((each) => each.model === model && each.text.includes('peanuts'));
    expect(withFact('user')).toHaveLength(3);
    expect(withFact('judge')).toEqual([]);
    expect(texts.filter(({ model }) => model === 'judge').length).toBeGreaterThan(0);
    expect(eventOf(trace, 'conversation-ended')).toMatchObject([{ why: 'gave-up', reason: 'Ann is done: so' }]);
  });

  it('takes goal, facts and tools from the scenario, over those of its persona or without one', async () => {
    const user = { goal: 'a table at {{time}}', facts: { guests: 'three' } };
    const more = { user, dataset: { path: 'cases.json' } };
    const server = await scripted({ rules: talking() });
    const env = { ...server.environment, OPENAI_API_KEY: 'any' };
    const given = { ...files, 'cases.json': JSON.stringify([{ input: { time: 'noon' } }]) };
    const { trial, trace } = await runConversation({ ...scenario, ...more }, { files: given, env });
    expect(trial, trial.reason).toMatchObject({ outcome: 'pass', variant: { persona: 'Ann' } });
    expect(eventOf(trace, 'simulated-user')[0]?.brief).toMatchObject({
      goal: 'a table at noon',
      facts: { guests: 'three', allergy: 'peanuts' },
    });
    const alone = { ...scenario, persona: undefined, user: { goal: 'a table' } };
    const config = { 'assay.config.json': JSON.stringify({ models: { persona: 'openai/user' } }) };
    const without = await runConversation(alone, { files: { ...files, ...config }, env });
    expect(without.trial).toMatchObject({ outcome: 'pass', variant: { persona: 'user' } });
  });

  it('is told what its tools answer, and that one failed', async () => {
    const tool = (name: string) => ({ name, description: name, module: './tools.mjs', export: name });
    const toolLoop = { tools: [tool('calendar'), tool('broken')], maxRounds: 3 };
    const rules: Rules = [
      { when: { ...ofUser, last: 'Booked.' }, ...left('goal-reached') },
      { when: { ...ofUser, last: 'no calendar' }, ...said('Friday, we are two.') },
      { when: { ...ofUser, last: '"free":true' }, toolCalls: [{ name: 'broken' }] },
      { when: { ...ofUser, last: 'For how many?' }, toolCalls: [{ name: 'calendar', input: { day: 'Friday' } }] },
      { when: ofUser, ...said('A table, please.') },
    ];
    const toolNotCalled = { type: 'tool-not-called', config: { tool: 'calendar' } };
    const more = { user: { toolLoop }, evaluators: [...scenario.evaluators, toolNotCalled] };
    const { trial, trace } = await run(rules, more);
    expect(trial.outcome, trial.reason).toBe('pass');
    expect(eventOf(trace, 'user-call')).toMatchObject([
      { tool: 'calendar', input: { day: 'Friday' }, kind: 'other', result: { day: 'Friday', free: true } },
      { tool: 'broken', error: { message: 'no calendar' } },
    ]);
    const endless = [{ when: ofUser, toolCalls: [{ name: 'calendar', input: {} }] }];
    const { trial: stuck, trace: calls } = await run(endless, more);
    expect(stuck).toMatchObject({ outcome: 'error', fault: { code: 'MODEL_BAD_REPLY', blame: 'model' } });
    expect(stuck.reason).toContain('prompted 3 times for one message and still called tools');
    expect(eventOf(calls, 'user-call')).toHaveLength(2);
  });

  it('has its brief checked before anything runs', async () => {
    const missing = { name: 'look', description: 'Looks', module: './nowhere.mjs' };
    const { stderr, exitCode } = await validateConversation(
      { ...scenario, user: { toolLoop: { tools: [missing] } } },
      files,
    );
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/s\.json:\d+:\d+.*there is no file \.\/nowhere\.mjs/);
    const wrong = await validateConversation({ ...scenario, user: { facts: ['two'], gaol: 'a table' } }, files);
    expect(wrong.exitCode).toBe(2);
    expect(wrong.stderr).toContain('user.facts');
    expect(wrong.stderr).toContain('gaol');
  });
});

describe('the review of a simulated user', () => {
  const quote = 'We are two.';

  it('is a figure that fails no trial, and that voids it where the scenario requires a faithful user', async () => {
    const rules = [...talking(), ...reviewing({ answer: 'met', quote })];
    const { trial } = await run(rules, reviewed({}));
    expect(trial).toMatchObject({
      outcome: 'pass',
      metrics: { 'user-fidelity': 0.75, 'user-fidelity.reveals': 0, 'user-fidelity.leaves-early': 1 },
    });
    const { reason, metadata } = trial.evaluatorResults.at(-1);
    expect(reason).toBe('Ann revealed a fact unasked: check 1');
    expect(metadata.checks[0].evidence).toMatchObject([{ quote, isVerified: true }]);
    const voided = await run(rules, reviewed({ required: true }));
    expect(voided.trial).toMatchObject({ outcome: 'error', fault: { code: 'USER_BROKE_BRIEF', blame: 'model' } });
    expect(voided.trial.metrics['user-fidelity']).toBe(0.75);
    expect(voided.exitCode).toBe(3);
    const failing = { type: 'contains', config: { text: 'never said' } };
    const { evaluators } = reviewed({ required: true });
    expect((await run(rules, { evaluators: [failing, ...evaluators] })).trial.outcome).toBe('error');
  });

  it('counts nothing for which the judge has no verified quote', async () => {
    const rules = [...talking(), ...reviewing({ answer: 'met', quote: 'We are three.' })];
    const { trial } = await run(rules, reviewed({}));
    expect(trial).toMatchObject({ outcome: 'pass', metrics: { 'user-fidelity': null } });
    expect(trial.evaluatorResults.at(-1)).toMatchObject({ state: 'error', fault: { code: 'JUDGE_UNDECIDED' } });
    const required = await run(rules, reviewed({ required: true }));
    expect(required.trial).toMatchObject({ outcome: 'error', fault: { code: 'JUDGE_UNDECIDED' } });
  });

  it('adds no judge of the agent', async () => {
    const rules = [...talking(), ...reviewing({ answer: 'not-met' })];
    const { trial } = await run(rules, { ...reviewed({}), judge: { model: 'openai/judge' } });
    expect(trial.evaluatorResults.map(({ type }: { type: string }) => type)).toEqual(['contains', 'user-fidelity']);
  });

  it('has no figure without a judge, and none for fixed messages', async () => {
    const unjudged = await run(talking(), reviewed({}), ['--no-judge']);
    expect(unjudged.trial).toMatchObject({ outcome: 'pass', metrics: { 'user-fidelity': null } });
    const required = await run(talking(), reviewed({ required: true }), ['--no-judge']);
    expect(required.trial).toMatchObject({ outcome: 'error', fault: { code: 'NOT_JUDGED' } });
    expect(required.trial.metrics['user-fidelity']).toBeNull();
    const fixed = await run(talking(), { ...reviewed({}), persona: undefined, userMessages: ['A table', 'Two'] });
    expect(fixed.trial).toMatchObject({ outcome: 'pass', metrics: { 'user-fidelity': null } });
    expect(fixed.trial.evaluatorResults.at(-1).reason).toContain('No model played the user');
  });
});
