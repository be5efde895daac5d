import { describe, expect, it } from 'vitest';
import { conversationOf } from './conversation.ts';
import { type LoggedRequest, RequestLog } from './request-log.ts';

function requestOf(characters: number): Omit<LoggedRequest, 'number'> {
  const content = { path: 'chat', model: 'm', isStreaming: false, system: '', messages: [], tools: [] };
  const conversation = { ...conversationOf(content), characters };
  return { path: 'chat', hasKey: false, conversation, rule: 1, reply: null, fault: null, refusal: null };
}

describe('RequestLog', () => {
  it('keeps the last 10,000 requests and counts all of them', () => {
    const log = new RequestLog();
    for (let count = 0; count < 10_020; count++) log.add(requestOf(1));
    expect(log.total).toBe(10_020);
    expect(log.all().map(({ number }) => number)).toEqual(Array.from({ length: 10_000 }, (_, index) => index + 21));
  });

  it('keeps fewer when they are long, but always the last', () => {
    const log = new RequestLog();
    for (let count = 0; count < 5; count++) log.add(requestOf(20_000_000));
    expect(log.all().map(({ number }) => number)).toEqual([4, 5]);
    log.add(requestOf(200_000_000));
    expect(log.all().map(({ number }) => number)).toEqual([6]);
    log.add(requestOf(1));
    expect(log.all().map(({ number }) => number)).toEqual([7]);
  });
});
