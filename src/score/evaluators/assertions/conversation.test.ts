import { describe, expect, it } from 'vitest';
import type { CriterionAnswer, JudgeResult } from '../../../domain/judge-result.ts';
import { decideOutcome } from '../../../domain/outcome.ts';
import type { TraceEvent } from '../../../domain/trace.ts';
import type { Trial } from '../../../domain/trial.ts';
import { EvaluatorRunner } from '../../../engine/evaluate.ts';
import { contextOf, conversationTrace, type FakeTurn } from '../../../testing/fakes/score/conversation.ts';
import { decideByCriteria } from '../../judge/decide-by-criteria.ts';
import type { JudgeSubject, Judging } from '../../judge/judge.ts';
import { evaluators } from '../index.ts';

interface Spec {
  readonly type: string;
  readonly config?: unknown;
}

type Answers = readonly Partial<Record<'success' | 'failure', CriterionAnswer>>[];

/** A judge whose answers to the success and the failure criterion are prepared, turn by turn. */
class PreparedJudging implements Judging {
  readonly subjects: JudgeSubject[] = [];
  readonly #answers: Answers;

  constructor(answers: Answers) {
    this.#answers = answers;
  }

  async ask(_judge: unknown, subject: JudgeSubject): Promise<JudgeResult> {
    const turn = subject.trace.filter((event) => event.type === 'message' && event.role === 'assistant').length;
    this.subjects.push(subject);
    const evidence = [{ event: 'e1', quote: 'Question', isVerified: true }];
    const criteria = Object.entries(this.#answers[turn - 1] ?? {}).map(([kind, answer]) => ({
      id: `${kind}-1`,
      kind: kind as 'success' | 'failure',
      text: `the ${kind}`,
      answer,
      reason: `turn ${turn}`,
      evidence,
    }));
    const usage = { inputTokens: 1, outputTokens: 1 };
    const decided = decideByCriteria(criteria);
    return { ...decided, mode: 'criteria', promptVersion: 'test', criteria, warnings: [], usage, costUsd: 0 };
  }

  embed(): Promise<never> {
    return Promise.reject(new Error('there is no model'));
  }

  errorsIn(): 'error' {
    return 'error';
  }
}

/** Holds a conversation as the engine does, until it is decided or there are no more answers. */
async function hold(specs: readonly Spec[], turns: readonly FakeTurn[], judging: Judging = new PreparedJudging([])) {
  const registered = new Map(evaluators.map((evaluator) => [evaluator.type, evaluator]));
  const checked = specs.map(({ type, config = {} }) => ({
    type,
    config: registered.get(type)?.configSchema.parse(config),
  }));
  const evaluatorRunner = new EvaluatorRunner(
    registered,
    judging,
    contextOf([]).services,
    new AbortController().signal,
  );
  const context = contextOf([]);
  const trial = { ...context.trial, case: { ...context.trial.case, evaluators: checked } } as Trial;
  const trace: TraceEvent[] = [];
  const whole = conversationTrace(...turns);
  const conversation = evaluatorRunner.conversation(trial, trace);
  for (const event of whole) {
    trace.push(event);
    if (event.type === 'turn' && (await conversation.afterTurn(event.number === turns.length)) === 'stop') break;
  }
  const execution = { trace, fault: undefined, startedAt: 0, durationMs: 0, workspace: undefined, conversation };
  const concluded = await evaluatorRunner.conclude(trial, execution);
  if (concluded === 'interrupted') throw new Error('Unexpected interruption.');
  const { evaluatorResults, metrics } = concluded;
  const { outcome, reason } = decideOutcome(evaluatorResults, undefined);
  const deciding = evaluatorResults.map(({ type, state, turn }) => `${type} ${state} in ${turn}`);
  return { outcome, reason, metrics, deciding, turnCount: conversation.turns.length };
}

const tokens = (total: number) => ({ tokenUsage: { input: total - 1, output: 1, total } });

describe('the evaluators in a conversation', () => {
  it('give the result of a booking that goes well', async () => {
    const specs = [
      { type: 'llm-judge', config: { successCriteria: 'Agent successfully books appointment' } },
      { type: 'latency-budget', config: { maxMs: 3_000 } },
      { type: 'regex', config: { pattern: 'BK-\\d{5}', mustMatch: true } },
      { type: 'tool-call-count' },
      { type: 'token-usage', config: { track: 'total' } },
    ];
    const turn = { text: 'Booked: BK-12345', tools: ['find', 'book'], latencyMs: 1_234, ...tokens(856) };
    const held = await hold(specs, [turn], new PreparedJudging([{ success: 'met' }]));
    expect(held).toMatchObject({ outcome: 'pass', metrics: { 'tool-call-count': 2, 'token-usage': 856 } });
  });

  it('wait for a match until the third answer, and add up what each answer took', async () => {
    const turns = [
      { text: 'When?', tools: ['find'], ...tokens(100) },
      { text: 'For how many?', ...tokens(200) },
      { text: 'BK-1', tools: ['book'], ...tokens(300) },
      { text: 'Anything else?', ...tokens(400) },
    ];
    const specs = [
      { type: 'regex', config: { pattern: 'BK-\\d' } },
      { type: 'tool-call-count' },
      { type: 'token-usage' },
      { type: 'turn-count' },
    ];
    expect(await hold(specs, turns)).toMatchObject({
      outcome: 'pass',
      turnCount: 3,
      deciding: [
        'regex pass in 3',
        'tool-call-count measured in 3',
        'token-usage measured in 3',
        'turn-count measured in 3',
      ],
      metrics: { 'tool-call-count': 2, 'token-usage': 600, 'turn-count': 3 },
    });
  });

  it.each([
    [{ type: 'latency-budget', config: { maxMs: 500 } }, '900ms / 500ms'],
    [{ type: 'token-budget', config: { maxTokens: 150 } }, '200 / 150 tokens'],
    [{ type: 'tool-call-budget', config: { maxCalls: 1 } }, '2 / 1 tool calls'],
    [{ type: 'turn-budget', config: { maxTurns: 1 } }, '2 / 1 turns'],
    [{ type: 'tool-not-called', config: { tool: 'b' } }, 'b was called: call 2, b({})'],
    [
      { type: 'tool-order', config: { tools: ['a', 'c'], order: 'prefix' } },
      'The calls are not as wanted: a, c (prefix); 1 of 2 in place; called were a, b',
    ],
    [{ type: 'not-contains', config: { text: 'two' } }, 'The answer contains "two"; it is "two"'],
    [{ type: 'cost-budget', config: { maxUsd: 0.01 } }, '$0.02 / $0.01'],
  ])('end it with the answer that breaks a rule (%#)', async (spec, reason) => {
    const turns = [
      { text: 'one', tools: ['a'], costUsd: 0.01, ...tokens(100) },
      { text: 'two', tools: ['b'], costUsd: 0.01, latencyMs: 900, ...tokens(200) },
      { text: 'three' },
    ];
    const held = await hold([spec], turns);
    expect(held).toMatchObject({ outcome: 'fail', reason, turnCount: 2, deciding: [`${spec.type} fail in 2`] });
  });

  it('wait for a tool to be called, and for nothing once it has been', async () => {
    const turns = [{ text: 'one', tools: ['find'] }, { text: 'two', tools: ['book'] }, { text: 'three' }];
    const waiting = [{ type: 'tool-called', config: { tool: 'book' } }, { type: 'no-repeated-calls' }];
    expect(await hold(waiting, turns)).toMatchObject({
      outcome: 'pass',
      turnCount: 2,
      deciding: ['tool-called pass in 2', 'no-repeated-calls pass in 2'],
    });
    const often = [{ type: 'tool-called', config: { tool: 'book', times: 1 } }];
    expect(await hold(often, turns)).toMatchObject({ outcome: 'pass', turnCount: 3 });
  });

  it('look at the last answer only where configured to', async () => {
    const specs = [{ type: 'json-schema', config: { schema: { type: 'object' }, onlyFinal: true } }];
    expect(await hold(specs, [{ text: 'Wait' }, { text: '{}' }])).toMatchObject({ outcome: 'pass', turnCount: 2 });
    expect(await hold(specs, [{ text: '{}' }, { text: 'Done' }])).toMatchObject({ outcome: 'fail', turnCount: 2 });
  });
});

describe('llm-judge in a conversation', () => {
  const both = { successCriteria: 'It is booked', failureCriteria: 'It is rude' };
  const turns = [{ text: 'a' }, { text: 'b' }, { text: 'c' }];
  const judged = (config: object, ...answers: Answers) =>
    hold([{ type: 'llm-judge', config }], turns, new PreparedJudging(answers));

  it('waits for success, and sees what was said so far without saying it twice', async () => {
    const judging = new PreparedJudging([{ success: 'not-met' }, { success: 'met' }]);
    const held = await hold([{ type: 'llm-judge', config: { successCriteria: 'It is booked' } }], turns, judging);
    expect(held).toMatchObject({ outcome: 'pass', turnCount: 2, deciding: ['llm-judge pass in 2'] });
    expect(judging.subjects.map(({ trace }) => trace.map(({ type }) => type))).toEqual([
      ['message', 'message'],
      ['message', 'message', 'message', 'message'],
    ]);
  });

  it('fails when success never comes', async () => {
    const held = await judged(
      { successCriteria: 'It is booked' },
      { success: 'not-met' },
      { success: 'not-met' },
      { success: 'not-met' },
    );
    expect(held).toMatchObject({ outcome: 'fail', turnCount: 3, deciding: ['llm-judge fail in 3'] });
  });

  it('ends with the failure under every_turn', async () => {
    const config = { ...both, failureCriteriaMode: 'every_turn' };
    const held = await judged(config, { success: 'not-met', failure: 'not-met' }, { success: 'met', failure: 'met' });
    expect(held).toMatchObject({ outcome: 'fail', turnCount: 2, deciding: ['llm-judge fail in 2'] });
  });

  it('goes on after a failure under on_max_messages, and is judged by the end', async () => {
    const made = { success: 'not-met', failure: 'met' } as const;
    const mended = { success: 'met', failure: 'not-met' } as const;
    expect(await judged(both, made, mended)).toMatchObject({ outcome: 'pass', turnCount: 2 });
    expect(await judged(both, made, made, made)).toMatchObject({ outcome: 'fail', turnCount: 3 });
    const spoilt = { success: 'met', failure: 'met' } as const;
    expect(await judged(both, spoilt, spoilt, spoilt)).toMatchObject({ outcome: 'fail', turnCount: 3 });
  });

  it('passes with nothing but a failure that did not come, at the end and not before', async () => {
    const config = { failureCriteria: 'It is rude' };
    const fine = { failure: 'not-met' } as const;
    expect(await judged(config, fine, fine, fine)).toMatchObject({ outcome: 'pass', turnCount: 3 });
    expect(await judged(config, fine, fine, { failure: 'met' })).toMatchObject({ outcome: 'fail', turnCount: 3 });
    const strict = { ...config, failureCriteriaMode: 'every_turn' };
    expect(await judged(strict, fine, fine, fine)).toMatchObject({ outcome: 'pass', turnCount: 3 });
    expect(await judged(strict, { failure: 'met' })).toMatchObject({ outcome: 'fail', turnCount: 1 });
  });
});
