import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { assistantText } from '../../domain/turn.ts';
import { defineEvaluator } from '../../score/evaluators/evaluator.ts';
import { type Agent, configOf, connectorTo } from '../../testing/fakes/conversation/talk.ts';
import { answerLength } from '../../testing/fakes/score/conversation.ts';
import { runOnEngine } from '../../testing/support/engine-run.ts';
import { scenarioOf } from '../../testing/support/faulty-parts.ts';
import { keys, opened, scripted, skippingClock } from '../../testing/support/models.ts';
import type { Models } from '../models/model.ts';
import type { ScriptSource } from '../models/scripted/index.ts';
import type { TargetKind } from '../targets/target.ts';
import { conversationTargetWith } from './conversation-target.ts';

const says = defineEvaluator({
  type: 'says',
  label: 'Says',
  kind: 'assertion',
  summary: 'the answer contains a text',
  needs: [],
  reads: { channels: {} },
  configSchema: z.object({ text: z.string(), when: z.enum(['every-turn', 'eventually', 'final']) }),
  when: ({ when }) => when,
  prepare:
    ({ text }) =>
    ({ turn }) =>
      (turn && assistantText(turn))?.includes(text)
        ? { state: 'pass', reason: `it says ${text}` }
        : { state: 'fail', reason: `it does not say ${text}` },
});

function withModels(kind: TargetKind, models: Models | undefined): TargetKind {
  return {
    ...kind,
    open: (config, context) => kind.open(config, { ...context, models: models && (async () => models) }),
  };
}

interface RunOptions {
  readonly models?: Models;
  readonly persona?: string;
  readonly timeoutMs?: number;
}

type Asserted = readonly { readonly text: string; readonly when: 'every-turn' | 'eventually' | 'final' }[];

async function converse(agent: Agent, written: object, asserted: Asserted, options: RunOptions = {}) {
  const { kind, requests } = connectorTo(agent);
  const evaluators = [...asserted.map((config) => ({ type: 'says', config })), { type: 'length', config: {} }];
  const target = { type: 'conversation', config: configOf(written) };
  const scenario = scenarioOf('talk', target, evaluators, options.timeoutMs);
  const { persona } = options;
  const { records } = await runOnEngine([{ ...scenario, variants: [persona === undefined ? {} : { persona }] }], {
    targets: [withModels(conversationTargetWith([kind]), options.models)],
    evaluators: [says, answerLength],
  });
  return { record: records.talk, requests };
}

const userMessages = ['one', 'two', 'three', 'four', 'five'];

describe('the engine and a conversation', () => {
  it('what must hold some time holds on turn 3, and there it ends', async () => {
    const agent: Agent = ({ turn }) => (turn < 3 ? 'not yet' : 'Booked BK-12345');
    const { record, requests } = await converse(agent, { userMessages }, [{ text: 'BK-', when: 'eventually' }]);
    expect(requests).toHaveLength(3);
    expect(record).toMatchObject({ outcome: 'pass', metrics: { length: 29 } });
    expect(record?.evaluatorResults[0]).toMatchObject({ type: 'says', state: 'pass', turn: 3 });
    expect(record?.turns.map(({ results }) => results[0]?.state)).toEqual(['pending', 'pending', 'pass']);
  });

  it('what must hold each time breaks on turn 2, and there it ends', async () => {
    const agent: Agent = ({ turn }) => (turn === 2 ? 'rude' : 'polite');
    const { record, requests } = await converse(agent, { userMessages }, [{ text: 'polite', when: 'every-turn' }]);
    expect(requests).toHaveLength(2);
    expect(record).toMatchObject({ outcome: 'fail', reason: 'it does not say polite' });
    expect(record?.evaluatorResults[0]).toMatchObject({ state: 'fail', turn: 2 });
  });

  it('evaluators of the end run after the last answer only', async () => {
    const agent: Agent = ({ turn }) => `answer ${turn}`;
    const { record } = await converse(agent, { userMessages }, [{ text: 'answer 5', when: 'final' }]);
    expect(record).toMatchObject({ outcome: 'pass' });
    expect(record?.evaluatorResults[0]).toMatchObject({ turn: 5 });
  });

  it('what never holds fails on the last turn', async () => {
    const { record } = await converse(() => 'no', { userMessages: userMessages.slice(0, 2), maxMessages: 4 }, [
      { text: 'BK-', when: 'eventually' },
    ]);
    expect(record).toMatchObject({ outcome: 'fail' });
    expect(record?.evaluatorResults[0]).toMatchObject({ state: 'fail', turn: 2 });
  });

  it('an agent that does not answer in time is an error of the target', async () => {
    const stuck: Agent = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { record } = await converse(stuck, { userMessages }, [], { timeoutMs: 20 });
    expect(record).toMatchObject({ outcome: 'error', fault: { code: 'TARGET_TIMEOUT', blame: 'target' } });
  });
});

describe('the engine and a persona', () => {
  const personas = { ann: { name: 'Ann', goal: 'a table', model: 'openai/gpt-4o-mini' } };
  const booked: Asserted = [{ text: 'BK-', when: 'eventually' }];
  const reply = (message: string, isDone = false) => ({ json: { reason: 'so', message, isDone } });

  async function playedBy(rules: ScriptSource['rules'], agent: Agent) {
    const server = await scripted({ rules });
    const models = opened({ env: { ...server.environment, ...keys }, clock: skippingClock() });
    return converse(agent, { personas }, booked, { models, persona: 'ann' });
  }

  it('a persona that is done before it has what it should is a failure of the agent', async () => {
    const rules = [{ reply: reply('A table'), times: 1 }, { reply: reply('', true) }];
    const { record } = await playedBy(rules, () => 'no tables');
    expect(record).toMatchObject({ outcome: 'fail', fault: null });
    expect(record?.evaluatorResults[0]).toMatchObject({ turn: 1, state: 'fail' });
  });

  it.each([
    ['junk twice', [{ reply: 'junk' }], 'MODEL_BAD_REPLY'],
    ['a refused key', [{ fault: { status: 401 } }], 'MODEL_UNAUTHORIZED'],
    ['an AI', [{ reply: reply('A table'), times: 1 }, { reply: reply('I am an AI.') }], 'MODEL_BAD_REPLY'],
  ])('%s is an error of the model', async (_name, rules, code) => {
    const { record } = await playedBy(rules, () => 'no tables');
    expect(record).toMatchObject({ outcome: 'error', fault: { code, blame: 'model' } });
  });

  it('a model that fails after the trial is decided changes nothing', async () => {
    const rules = [{ reply: reply('A table'), times: 1 }, { fault: { status: 401 } }];
    const { record } = await playedBy(rules, () => 'Booked BK-12345');
    expect(record).toMatchObject({ outcome: 'pass', fault: null });
  });
});
