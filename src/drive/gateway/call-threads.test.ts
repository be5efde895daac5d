import { describe, expect, it } from 'vitest';
import type { ReceivedRequest } from '../wire/codec.ts';
import { CallThreads } from './call-threads.ts';

describe('the conversations of an agent that gets one task after the other', () => {
  it('have a main one for each task, which is never one of a task before', () => {
    const threads = new CallThreads('Build it.');
    const call = (text: string) => {
      const request = {
        tools: [{ name: 'shell' }],
        messages: [{ role: 'user', parts: [{ kind: 'text', text }] }],
      } as unknown as ReceivedRequest;
      return threads.threadOf(request, text);
    };
    const first = call('Build it.');
    expect(threads.main).toBe(first);
    threads.beginTask('Document it.');
    expect(threads.main).toBe(undefined);
    const second = call('Document it.');
    expect([second === first, threads.main]).toEqual([false, second]);
    threads.beginTask('Build it.');
    expect([call('Build it.'), threads.main]).toEqual([first, first]);
  });
});
