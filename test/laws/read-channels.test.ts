import { describe, expect, it } from 'vitest';
import type { Channel } from '../../src/domain/capability.ts';
import { evaluateAll, prepareEvaluator } from '../../src/engine/prepared-evaluator.ts';
import { evaluators } from '../../src/score/evaluators/index.ts';
import { agentStreamCorpus } from '../../src/testing/fakes/agents/agent-stream-corpus.ts';
import { rows } from './evaluator-rows.ts';
import { answered, withGap } from './events.ts';
import { BookingJudge, settingOf } from './trial-settings.ts';

const byType = new Map(evaluators.map((evaluator) => [evaluator.type, evaluator]));

/** The state of an evaluator's answer about a conversation of which something was lost in a channel. */
async function stateWithout(type: string, config: object, lost: Channel): Promise<string | undefined> {
  const call = { tool: 'look', input: { seats: 2 }, result: 'free' };
  const trace = withGap(answered('Booked.', { calls: type === 'response-criteria' ? [] : [call] }), [lost]);
  const [row] = rows.get(type) ?? [];
  if (!row) throw new Error(`no row for ${type}`);
  const part = prepareEvaluator({ type, config: byType.get(type)?.configSchema.parse(config) }, byType);
  const [answer] = await evaluateAll([part], settingOf(row, trace, '.', new BookingJudge()));
  return answer?.state;
}

describe('criteria about an answer', () => {
  it.each([
    'result.toolCalls.length === 0',
    "result['tool' + 'Calls'].length === 0",
    'result.messages.every((message) => message.tool_calls === undefined)',
    "!('tool_calls' in result.messages[0])",
    "!Object.keys(result.messages[0]).includes('tool_calls')",
    "!JSON.stringify(result).includes('delete_all')",
    "!JSON.stringify(result.messages).includes('delete_all')",
    "Object.entries(result).every(([key, value]) => key !== 'toolCalls' || value.length === 0)",
  ])('rest on tool calls if they look at them: %s', async (criterion) => {
    expect(await stateWithout('response-criteria', { passCriteria: [criterion] }, 'tool-calls')).toBe('error');
    expect(await stateWithout('response-criteria', { passCriteria: [criterion] }, 'files')).not.toBe('error');
  });

  it.each([
    "result.text.startsWith('Booked')",
    "result.text !== 'toolCalls latencyMs tokenUsage'",
    "result.messages[0].role === 'assistant' || result.toolCalls.length > 0",
    'result.json === undefined',
    'result !== undefined',
  ])('do not rest on tool calls, tokens or times that they do not look at: %s', async (criterion) => {
    const states = await Promise.all(
      (['tool-calls', 'usage', 'times'] as const).map((lost) =>
        stateWithout('response-criteria', { passCriteria: [criterion] }, lost),
      ),
    );
    expect(states).toEqual(['pass', 'pass', 'pass']);
  });

  it('see the calls that an agent reports beside its words', async () => {
    const [row] = rows.get('response-criteria') ?? [];
    if (!row) throw new Error('no row');
    const stream = agentStreamCorpus.find(({ name }) => name === 'claude/ok');
    const trace = stream?.traceOf(stream.lines) ?? [];
    const config = byType
      .get('response-criteria')
      ?.configSchema.parse({ passCriteria: ['result.toolCalls.length == 1'] });
    const part = prepareEvaluator({ type: 'response-criteria', config }, byType);
    const [answer] = await evaluateAll([part], settingOf(row, trace, '.', new BookingJudge()));
    expect(answer?.state).toBe('pass');
  });

  it.each([
    ['result.tokenUsage.total > 0', 'usage'],
    ['result.latencyMs < 1000', 'times'],
  ] as const)('rest on the figures that they look at: %s', async (criterion, channel) => {
    expect(await stateWithout('response-criteria', { passCriteria: [criterion] }, channel)).toBe('error');
  });
});

describe('criteria about calls', () => {
  it.each([
    ['tool-called', 'input.seats === 4', 'fail'],
    ['tool-not-called', 'input.seats === 4', 'pass'],
    ['tool-arguments', 'input.seats === 2', 'pass'],
  ])('%s does not rest on results: %s', async (type, criterion, state) => {
    expect(await stateWithout(type, { tool: 'look', criteria: [criterion] }, 'tool-results')).toBe(state);
  });

  it.each([
    ['tool-called', "result === 'full'"],
    ['tool-not-called', "result === 'full'"],
    ['tool-arguments', 'error === undefined'],
  ])('%s rests on results that it looks at: %s', async (type, criterion) => {
    expect(await stateWithout(type, { tool: 'look', criteria: [criterion] }, 'tool-results')).toBe('error');
  });
});

describe('a skill that the trial does not have', () => {
  it.each([true, false])('is an error with a suggestion, whether it should be used or not: %s', async (used) => {
    const [row] = rows.get('skill-used') ?? [];
    if (!row) throw new Error('no row');
    const config = byType.get('skill-used')?.configSchema.parse({ skill: 'weekly-reports', used });
    const part = prepareEvaluator({ type: 'skill-used', config }, byType);
    const [answer] = await evaluateAll([part], settingOf(row, row.unseen.trace, '.', new BookingJudge()));
    expect(answer).toMatchObject({
      state: 'error',
      error: { code: 'CRITERION_UNUSABLE', hint: expect.stringContaining('Did you mean `weekly-report`?') },
    });
  });
});
