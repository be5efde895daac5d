import { describe, expect, it } from 'vitest';
import type { RunHeader } from '../domain/run.ts';
import type { Trial } from '../domain/trial.ts';
import { conversationTargetWith } from '../drive/conversation/conversation-target.ts';
import { Threads } from '../drive/targets/call/threads.ts';
import { targetKinds } from '../drive/targets/index.ts';
import type { Store } from '../keep/store/store.ts';
import { scenarioOf } from '../testing/support/faulty-parts.ts';
import { assertUnchanged, runScenarios, withoutStored } from './resume.ts';
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
    expect(() => assertUnchanged(run, [one])).toThrow('was removed');
    expect(() => assertUnchanged(run, [one, { ...two, contentHash: 'another' }])).toThrow('was changed');
  });

  it('counts trials that ended in an error as stored, and runs only those that are missing', async () => {
    const trials = ['t-1', 't-2', 't-3'].map((trialId) => ({ trialId }) as Trial);
    const store = {
      countTrials: async () => ({ pass: 0, fail: 0, error: 1 }),
      storedTrialIds: async () => new Set(['t-2']),
    } as unknown as Store;
    const planned = (async function* () {
      yield* trials;
    })();
    const { alreadyStored, missing } = await withoutStored(planned, run, store, new AbortController().signal);
    const ids: string[] = [];
    for await (const { trialId } of missing) ids.push(trialId);
    expect({ alreadyStored, ids }).toEqual({ alreadyStored: 1, ids: ['t-1', 't-3'] });
  });
});
