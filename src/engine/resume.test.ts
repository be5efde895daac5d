import { describe, expect, it } from 'vitest';
import type { RunHeader } from '../domain/run.ts';
import type { Trial } from '../domain/trial.ts';
import { conversationTargetWith } from '../drive/conversation/conversation-target.ts';
import { Threads } from '../drive/targets/call/threads.ts';
import { targetKinds } from '../drive/targets/index.ts';
import type { Store } from '../keep/store/store.ts';
import { scenarioOf } from '../testing/support/faulty-parts.ts';
import { assertUnchanged, runScenarios, until, withoutStored } from './resume.ts';
import { TargetPool } from './target-pool.ts';

describe('the header of a run', () => {
  it('calls the same scenarios conversations as the pool that runs them', async () => {
    const kinds = [...targetKinds, conversationTargetWith([])];
    const scenarios = kinds.map(({ type }) => scenarioOf(type, { type, config: {} }, []));
    await using pool = new TargetPool(new Map(kinds.map((kind) => [kind.type, kind])), {
      env: {},
      threads: new Threads(),
    });
    const inHeader = runScenarios(scenarios, kinds).flatMap(({ name, isConversation }) => (isConversation ? name : []));
    expect(inHeader).toEqual(scenarios.filter((scenario) => pool.isConversation(scenario)).map(({ name }) => name));
    expect(inHeader.toSorted()).toEqual(['conversation', 'mcp-agent-workflow', 'mcp-workflow']);
  });
});

describe('resuming', () => {
  const scenarios = ['one', 'two'].map((name) => scenarioOf(name, { type: 'module', config: {} }, []));
  const run = { runId: 'r-1', scenarios: runScenarios(scenarios, targetKinds) } as unknown as RunHeader;

  it('refuses a file that was added, removed or changed', () => {
    const [one, two] = scenarios;
    if (!one || !two) throw new Error('There are two scenarios.');
    expect(() => assertUnchanged(run, scenarios)).not.toThrow();
    expect(() => assertUnchanged(run, [...scenarios, { ...one, name: 'three' }])).toThrow('was added');
    expect(() => assertUnchanged(run, [one])).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('was removed'),
        hint: expect.stringContaining('assay run'),
      }),
    );
    expect(() => assertUnchanged(run, [one, { ...two, contentHash: 'another' }])).toThrow('was changed');
  });

  it('counts trials that ended in an error as stored, and runs only those that are missing', async () => {
    const trials = ['t-1', 't-2', 't-3'].map((trialId) => ({ trialId }) as Trial);
    const store = {
      countTrials: async () => ({ pass: 0, fail: 0, error: 1 }),
      storedTrialIds: async () => new Set(['t-2']),
    } as unknown as Store;
    const { alreadyStored, missing } = await withoutStored(itemsOf(trials), run, store, new AbortController().signal);
    const ids: string[] = [];
    for await (const { trialId } of missing) ids.push(trialId);
    expect({ alreadyStored, ids }).toEqual({ alreadyStored: 1, ids: ['t-1', 't-3'] });
  });

  it('looks for stored trials in pieces, and not at all where none is stored', async () => {
    const planned = Array.from({ length: 450 }, (_, index) => ({ trialId: `t-${index}` }) as Trial);
    const looked: number[] = [];
    const storeWith = (pass: number) =>
      ({
        countTrials: async () => ({ pass, fail: 0, error: 0 }),
        storedTrialIds: async (ids: readonly string[]) => {
          looked.push(ids.length);
          return new Set(ids.filter((id) => id.endsWith('0')));
        },
      }) as unknown as Store;
    const idsOf = async (pass: number, signal = new AbortController().signal) => {
      const { missing } = await withoutStored(itemsOf(planned), run, storeWith(pass), signal);
      const ids: string[] = [];
      for await (const { trialId } of missing) ids.push(trialId);
      return ids;
    };
    expect(await idsOf(45)).toEqual(planned.map(({ trialId }) => trialId).filter((id) => !id.endsWith('0')));
    expect(looked).toEqual([200, 200, 50]);
    expect(await idsOf(0)).toHaveLength(450);
    expect(looked).toHaveLength(3);
    expect(await idsOf(0, AbortSignal.abort())).toEqual([]);
  });

  it('adds up what is stored, and refuses each change with the file that it is in', async () => {
    const store = { countTrials: async () => ({ pass: 3, fail: 2, error: 1 }), storedTrialIds: async () => new Set() };
    const { alreadyStored } = await withoutStored(
      itemsOf([]),
      run,
      store as unknown as Store,
      new AbortController().signal,
    );
    expect(alreadyStored).toBe(6);
    const [one, two] = scenarios;
    if (!one || !two) throw new Error('There are two scenarios.');
    const changed = [
      { ...one, contentHash: 'another' },
      { ...two, file: 'other.yaml' },
    ];
    expect(() => assertUnchanged(run, changed, ['the config was changed'])).toThrow(
      'Cannot resume the run r-1: since it started, the config was changed, one.yaml was changed, two.yaml was removed, other.yaml was added.',
    );
    expect(() => assertUnchanged(run, scenarios, ['the config was changed'])).toThrow(
      'since it started, the config was changed.',
    );
  });

  it('keeps of a scenario what a run needs to go on and to be reported', () => {
    const [one] = scenarios;
    if (!one) throw new Error('There are two scenarios.');
    const identity = { task: 'a', subject: 'b' } as never;
    const kept = runScenarios(
      [{ ...one, variants: [{}, { agent: 'x' }], serverPart: 'tool', ci: { minPassRate: 1 }, identity }],
      [],
    );
    expect(kept).toEqual([
      {
        ...{ name: 'one', file: 'one.yaml', contentHash: 'one', caseCount: 1, repeat: 1, identity },
        ...{ isAgentDriven: true, isConversation: false, serverPart: 'tool', ci: { minPassRate: 1 } },
      },
    ]);
    const [plain] = runScenarios([one], []);
    expect(plain).toMatchObject({ isAgentDriven: false, serverPart: null });
    expect(Object.keys(plain ?? {})).not.toContain('ci');
    expect(Object.keys(plain ?? {})).not.toContain('identity');
  });
});

it('ends a plan that is nothing but a list of promises', async () => {
  const plan = { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false as const, value: 1 }) }) };
  const { value } = await until(AbortSignal.abort(), plan).next();
  expect(value).toBeUndefined();
});

async function* itemsOf<Item>(items: readonly Item[]): AsyncGenerator<Item, void> {
  yield* items;
}
