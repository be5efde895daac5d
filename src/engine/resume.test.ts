import { describe, expect, it } from 'vitest';
import { conversationTargetWith } from '../drive/conversation/conversation-target.ts';
import { Threads } from '../drive/targets/call/threads.ts';
import { targetKinds } from '../drive/targets/index.ts';
import { scenarioOf } from '../testing/support/faulty-parts.ts';
import { runScenarios } from './resume.ts';
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
