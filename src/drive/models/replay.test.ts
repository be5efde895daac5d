import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestCall } from '../tape/nearest.ts';
import type { ModelRequest } from './model.ts';
import { recordingKey } from './recordings.ts';
import { comparedRequest } from './replay.ts';

const model = 'openai/gpt-4o';
const recorded = (request: ModelRequest) => ({ request: comparedRequest(model, request) });

const changesBetween = (before: ModelRequest, after: ModelRequest) =>
  nearestCall([recorded(before)], comparedRequest(model, after))?.changes;

const requests = fc.record(
  {
    system: fc.string(),
    messages: fc.array(fc.record({ role: fc.constant('user' as const), content: fc.string() }), { maxLength: 3 }),
    temperature: fc.constantFrom(0, 0.5, 1),
    seed: fc.nat(2),
  },
  { requiredKeys: ['messages'] },
);

describe('the nearest recording', () => {
  it('finds a change exactly when the keys differ', () => {
    fc.assert(
      fc.property(requests, requests, (before, after) => {
        const isSame = recordingKey(model, before) === recordingKey(model, after);
        expect(changesBetween(before, after)?.length === 0).toBe(isSame);
      }),
      { seed: 41, numRuns: 500 },
    );
  });

  it('shows white space that changed', () => {
    const before = { messages: [{ role: 'user' as const, content: 'a b' }] };
    const after = { messages: [{ role: 'user' as const, content: 'a\nb' }] };
    expect(changesBetween(before, after)).toEqual(['message 1 (user) at content ("a b" became "a\\nb")']);
  });

  it('shows the tool call that changed in a message whose text did not', () => {
    const requestFor = (city: string) => ({
      messages: [
        { role: 'assistant' as const, content: '', toolCalls: [{ callId: '1', tool: 'go', input: { city } }] },
      ],
    });
    const [change] = changesBetween(requestFor('Oslo'), requestFor('Rome')) ?? [];
    expect(change).toMatch(/^message 1 \(assistant\) at toolCalls\[0\]\.input\.city \(.*Oslo.* became .*Rome/);
  });

  it('prefers fewer changes, then a longer common beginning', () => {
    const request = { system: 'abcdef', messages: [{ role: 'user' as const, content: 'x' }] };
    const two = recorded({ ...request, system: 'abcdeX', seed: 1 });
    const early = recorded({ ...request, system: 'Xbcdef' });
    const late = recorded({ ...request, system: 'abcdeX' });
    expect(nearestCall([two, early, late], comparedRequest(model, request))?.call).toBe(late);
    expect(nearestCall([], comparedRequest(model, request))).toBeUndefined();
  });
});
