import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { leftOut, pastTrial } from '../compose/run/rescore-trials.ts';
import { AssayError } from '../domain/errors.ts';
import type { TrialRecord } from '../domain/record.ts';
import type { PartSpec, Scenario, When } from '../domain/scenario.ts';
import { assistantText } from '../domain/turn.ts';
import { conversationTargetWith } from '../drive/conversation/conversation-target.ts';
import { openStore } from '../keep/store/open-store.ts';
import type { FinishedTrial, Store } from '../keep/store/store.ts';
import { defineEvaluator } from '../score/evaluators/evaluator.ts';
import { redactionOf } from '../shared/redaction/redaction.ts';
import { configOf, connectorTo } from '../testing/fakes/conversation/talk.ts';
import { answerLength } from '../testing/fakes/score/conversation.ts';
import { runHeader } from '../testing/samples.ts';
import { runOnEngine } from '../testing/support/engine-run.ts';
import { scenarioOf, shakyAssertion, tool, verdict } from '../testing/support/faulty-parts.ts';
import { repetitions } from '../testing/support/repetitions.ts';
import { type PastTrial, rescore } from './rescore.ts';

const whens: readonly When[] = ['every-turn', 'eventually', 'final'];

const says = defineEvaluator({
  type: 'says',
  label: 'Says',
  kind: 'assertion',
  summary: 'the answer contains a text',
  needs: [],
  reads: { channels: {} },
  configSchema: z.object({ text: z.string(), when: z.enum(whens), isSettled: z.boolean() }),
  when: ({ when }) => when,
  prepare:
    ({ text, isSettled }) =>
    ({ turn, trace }) =>
      (turn && assistantText(turn))?.includes(text)
        ? { state: 'pass', reason: `it says ${text} after ${trace.length} events` }
        : { state: 'fail', reason: `it does not say ${text}`, isSettled },
});

const fileCheck = defineEvaluator({
  type: 'file-check',
  label: 'File check',
  kind: 'assertion',
  summary: 'looks at the work directory',
  needs: ['workspace'],
  reads: { channels: {} },
  configSchema: z.object({}),
  prepare: () => () => ({ state: 'pass', reason: 'it is there' }),
});

const traceCheck = defineEvaluator({
  type: 'trace-check',
  label: 'Trace check',
  kind: 'metric',
  summary: 'looks at the work by the trace alone',
  needs: ['workspace'],
  reads: { channels: {} },
  readsTraceOnly: true,
  configSchema: z.object({}),
  prepare: () => () => ({ state: 'measured', value: 1, reason: 'seen' }),
});

const { kind: connector } = connectorTo(({ turn, messages }) => `${messages.at(-1)?.content} ${turn}`);
const conversation = conversationTargetWith([connector]);
const targets = [tool, conversation];
const evaluators = [verdict, shakyAssertion, says, answerLength, fileCheck, traceCheck];
const byType = new Map(evaluators.map((evaluator) => [evaluator.type, evaluator]));
const noJudge = {
  ask: () => Promise.reject(new Error('there is no judge')),
  embed: () => Promise.reject(new Error('there is no model')),
  errorsIn: () => 'error' as const,
};
const recordSink = {
  redact: (finished: FinishedTrial) => finished,
  redactText: (text: string) => text,
  leaveArtifacts: () => Promise.reject(new Error('no')),
};

/** A scenario with one case, run for real; gives what the store has of it. */
async function executed(scenario: Scenario, store: Store): Promise<FinishedTrial> {
  const { records } = await runOnEngine([scenario], { targets, evaluators, store });
  const record = records[scenario.name];
  if (!record) throw new Error('The scenario left no record.');
  return { record, trace: (await store.readTrace(record.trialId)) ?? [] };
}

async function scored(item: PastTrial | FinishedTrial, store: Store, signal = new AbortController().signal) {
  const header = runHeader('r-again', { planned: 1 });
  await store.createRun(header);
  const summary = await rescore(
    header,
    (async function* () {
      yield item;
    })(),
    {
      store,
      evaluators: byType,
      judging: noJudge,
      services: { env: {}, updatesGolden: false, redact: redactionOf([]) },
      recordSink,
    },
    { concurrency: 2, signal, emit: () => undefined },
  );
  return { summary, record: (await store.readTrials(header.runId, { limit: 1 }))[0] };
}

async function pastOf(past: FinishedTrial, scenario: Scenario): Promise<PastTrial> {
  for await (const each of scenario.cases()) {
    const today = { scenario, case: each };
    return pastTrial({ past, runId: 'r-again' }, today, { targets, evaluators: byType, env: {} }, undefined);
  }
  throw new Error('The scenario has no case.');
}

/** Runs a scenario, and scores what it left by another, or by the same. */
async function runAndRescore(scenario: Scenario, today: Scenario = scenario) {
  await using store = await openStore('sqlite::memory:', '/');
  const original = await executed(scenario, store);
  const { record, summary } = await scored(await pastOf(original, today), store);
  return { original: original.record, record, summary };
}

/** Everything but who the trial is. */
function contentOf({ trialId: _, runId: __, ...content }: TrialRecord): Partial<TrialRecord> {
  return content;
}

function talk(userMessages: readonly string[], asserted: readonly PartSpec[], maxMessages?: number): Scenario {
  const config = configOf({ userMessages: [...userMessages], ...(maxMessages !== undefined && { maxMessages }) });
  const judged = [...asserted, { type: 'length', config: {} }];
  return scenarioOf('talk', { type: 'conversation', config }, judged);
}

function saying(text: string, when: When, isSettled = false): PartSpec {
  return { type: 'says', config: { text, when, isSettled } };
}

describe('a conversation that is scored again', () => {
  it('gives the same record for any conversation and any order of evaluation', async () => {
    const word = fc.constantFrom('yes', 'no', 'thanks');
    const asserted = fc.record({ text: word, when: fc.constantFrom(...whens), isSettled: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { minLength: 1, maxLength: 4 }),
        fc.array(asserted, { maxLength: 4 }),
        fc.integer({ min: 2, max: 9 }),
        async (words, configs, maxMessages) => {
          const scenario = talk(
            words,
            configs.map((config) => ({ type: 'says', config })),
            maxMessages,
          );
          const { original, record } = await runAndRescore(scenario);
          expect(record && contentOf(record)).toEqual(contentOf(original));
        },
      ),
      { seed: 23, numRuns: repetitions({ usual: 20, inFull: 100 }) },
    );
  });

  it('is looked at to its end, even where a new rule would have ended it earlier', async () => {
    const words = ['yes', 'no', 'yes'];
    const { original, record } = await runAndRescore(
      talk(words, [saying('3', 'eventually')]),
      talk(words, [saying('yes', 'every-turn'), saying('3', 'eventually'), saying('yes 3', 'final')]),
    );
    expect(original.turns).toHaveLength(3);
    expect(record?.turns.map(({ results }) => results.map(({ state }) => state))).toEqual([
      ['pass', 'pending', 'measured'],
      ['fail', 'pending', 'measured'],
      ['pass', 'pass', 'measured', 'pass'],
    ]);
    expect(record).toMatchObject({
      outcome: 'fail',
      evaluatorResults: [
        { state: 'fail', turn: 2 },
        { state: 'pass', turn: 3 },
        { state: 'pass', turn: 3 },
        { type: 'length' },
      ],
    });
  });

  it('shows evaluators nothing of what came after the answer that they look at', async () => {
    const { original, record } = await runAndRescore(talk(['yes', 'yes', 'no'], [saying('yes', 'every-turn')]));
    const [first, second] = record?.turns ?? [];
    expect(first?.results[0]?.reason).toMatch(/after \d+ events/);
    expect(first?.results[0]?.reason).not.toBe(second?.results[0]?.reason);
    expect(record?.turns).toEqual(original.turns);
  });
});

describe('a trial that is scored again', () => {
  const called = (evaluated: readonly PartSpec[], misbehave?: () => unknown) =>
    scenarioOf('call', { type: 'tool', config: { misbehave } }, evaluated);
  const passes: PartSpec = { type: 'verdict', config: { state: 'pass' } };

  it('has the verdict of the evaluators of today', async () => {
    const failing = called([{ type: 'verdict', config: { state: 'fail' } }]);
    const { original, record, summary } = await runAndRescore(called([passes]), failing);
    expect([original.outcome, record?.outcome, summary.outcome]).toEqual(['pass', 'fail', 'fail']);
    expect(record).toMatchObject({ startedAt: original.startedAt, durationMs: original.durationMs });
  });

  it('stays an error when it could not be executed', async () => {
    const crash = () => {
      throw new AssayError('TARGET_CRASHED', 'It broke.');
    };
    const { original, record } = await runAndRescore(called([passes], crash), called([passes]));
    expect(record && contentOf(record)).toEqual(contentOf(original));
    expect(record).toMatchObject({ outcome: 'error', fault: { code: 'TARGET_CRASHED' }, evaluatorResults: [] });
  });

  it('is judged at last when only an evaluator was broken', async () => {
    const breaks = () => {
      throw new Error('broken');
    };
    const broken = called([passes, { type: 'shaky-assertion', config: { misbehave: breaks } }]);
    const { original, record } = await runAndRescore(broken, called([passes]));
    expect([original.outcome, record?.outcome, record?.fault]).toEqual(['error', 'pass', null]);
  });

  it('reports a missing work directory to evaluators of files only', async () => {
    const today = called([
      { type: 'file-check', config: {} },
      { type: 'trace-check', config: {} },
    ]);
    const { record } = await runAndRescore(called([passes]), today);
    expect(record).toMatchObject({
      outcome: 'error',
      fault: { code: 'WORKSPACE_FAILED' },
      metrics: { 'trace-check': 1 },
    });
    expect(record?.reason).toBe('file-check: The trial has no stored work directory.');
  });

  it('is skipped with the reason, and without what was said before, when nothing judges it any more', async () => {
    await using store = await openStore('sqlite::memory:', '/');
    const past = await executed(called([passes]), store);
    const { record, summary } = await scored(leftOut({ past, runId: 'r-again' }, 'The case is gone'), store);
    expect(record).toMatchObject({ outcome: 'skipped', reason: 'The case is gone', evaluatorResults: [] });
    expect(summary).toMatchObject({ outcome: 'error', totals: { planned: 1, skipped: 1 } });
    expect(await store.readTrace(record?.trialId ?? '')).toEqual(past.trace);
  });

  it('is left out when the scoring is interrupted', async () => {
    await using store = await openStore('sqlite::memory:', '/');
    const scenario = called([passes]);
    const past = await pastOf(await executed(scenario, store), scenario);
    const stop = new AbortController();
    const interrupted = {
      ...past,
      openWorkspace: () => {
        stop.abort();
        return past.openWorkspace();
      },
    };
    const { record, summary } = await scored(interrupted, store, stop.signal);
    expect(record).toBeUndefined();
    expect(summary).toMatchObject({ outcome: 'error', run: { status: 'interrupted' } });
  });
});
