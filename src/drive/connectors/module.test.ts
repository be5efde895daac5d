import { describe, expect, it } from 'vitest';
import { asking, goingOn, opened } from '../../testing/fakes/connectors/opened.ts';
import { UncompiledThreads } from '../../testing/fakes/connectors/uncompiled-threads.ts';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { moduleConnector } from './module.ts';

/** Opens a connector to the function of a module with this text. */
async function openedModule(text: string, file = 'agent.mjs', headers: Record<string, string> = {}) {
  const directory = await temporaryFolder({ [file]: text });
  return opened(moduleConnector, { module: file }, { directory, headers, threads: new UncompiledThreads() });
}

describe('a function as an agent', () => {
  it('may return text, a message or everything that is known', async () => {
    const connector = await openedModule(`
      const call = { id: 'c1', name: 'book', args: { day: 'Monday' } };
      const answers = {
        text: 'Hi',
        content: { content: 'Hi' },
        messages: { messages: [{ role: 'assistant', content: null, tool_calls: [call] }, { role: 'tool', tool_call_id: 'c1', content: 'ok' }, { role: 'assistant', content: 'Hi' }],
          tokenUsage: { input: 1, output: 2 }, costUsd: 0.25, model: 'm', threadId: 't', timeToFirstTokenMs: 5 },
      };
      export default async ({ messages }) => answers[messages.at(-1).content];
    `);
    const text = await connector.invoke(asking('text'));
    expect(text).toMatchObject({ messages: [{ role: 'assistant', content: 'Hi' }], latencyMs: expect.any(Number) });
    expect((await connector.invoke(asking('content'))).messages).toEqual(text.messages);
    expect(await connector.invoke(asking('messages'))).toMatchObject({
      messages: [
        { tool_calls: [{ id: 'c1', function: { name: 'book', arguments: '{"day":"Monday"}' } }] },
        { role: 'tool' },
        { content: 'Hi' },
      ],
      usage: { inputTokens: 1, outputTokens: 2 },
      costUsd: 0.25,
      model: 'm',
      threadId: 't',
      timeToFirstTokenMs: 5,
    });
  });

  it('has only its own time on the clock of the trial, not that in queues and between threads', async () => {
    const connector = await openedModule(`export default () => 'Hi';`);
    const leftOut: number[] = [];
    const clock = { hold: () => () => undefined, leaveOut: (ms: number) => void leftOut.push(ms) };
    const began = performance.now();
    const { latencyMs } = await connector.invoke({ ...asking('Hello'), clock });
    expect(leftOut).toEqual([expect.any(Number)]);
    const [ms = 0] = leftOut;
    expect(ms).toBeGreaterThan(0);
    expect(ms + latencyMs).toBeLessThanOrEqual(performance.now() - began);
  });

  it('gets the conversation and keeps what it wants, also in TypeScript', async () => {
    const connector = await openedModule(
      `const counts = new Map<string, number>();
       export default ({ conversationId, turn, model, headers, messages, seenCount }: Record<string, any>): string => {
         counts.set(conversationId, (counts.get(conversationId) ?? 0) + 1);
         return JSON.stringify([counts.get(conversationId), turn, model, headers['x-who'], messages.length, seenCount]);
       };`,
      'agent.ts',
      { 'X-Who': 'us' },
    );
    const first = asking('Hello', { model: 'm', headers: { 'x-who': 'persona' } });
    const { messages } = await connector.invoke(first);
    expect(messages).toEqual([{ role: 'assistant', content: '[1,1,"m","persona",1,0]' }]);
    const second = await connector.invoke(goingOn(first, messages, 'More'));
    expect(second.messages).toEqual([{ role: 'assistant', content: '[2,2,"m","persona",3,2]' }]);
  });

  it.each([
    [
      'throws',
      'throw new Error("no luck with hidden-header-value")',
      'TARGET_CRASHED',
      /default\(\) in agent.mjs threw "no luck with \[redacted\]"/,
    ],
    ['returns nothing', '', 'TARGET_NO_MESSAGE', /returned no message/],
    ['returns another shape', 'return { reply: 1 }', 'TARGET_NO_MESSAGE', /returned no message: "{"reply":1}"/],
    ['returns a value that is not JSON', 'return 1n', 'TARGET_OUTPUT_NOT_JSON', /not JSON/],
    ['returns too much', 'return "x".repeat(11_000_000)', 'TARGET_OUTPUT_TOO_LARGE', /more than 10 MB/],
    ['exits', 'process.exit(3)', 'TARGET_CRASHED', /ended the process with code 3/],
  ])('is an error when it %s', async (_, body, code, message) => {
    const connector = await openedModule(`export default async () => { ${body} };`, 'agent.mjs', {
      'x-key': 'hidden-header-value',
    });
    await expect(connector.invoke(asking('Hello'))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  it('is given up when it does not come back', async () => {
    const connector = await openedModule('export default () => { for (;;); };');
    const stop = new AbortController();
    const answer = connector.invoke(asking('Hello', { signal: stop.signal }));
    const ended = expect(answer).rejects.toMatchObject({ code: expect.stringMatching(/^TARGET_(TIMEOUT|STOPPED)$/) });
    stop.abort();
    await ended;
  });

  it('cannot be opened where there is no such function', async () => {
    await expect(openedModule('export const x = 1;')).rejects.toMatchObject({ code: 'TARGET_NOT_LOADED' });
    const directory = await temporaryFolder();
    expect(moduleConnector.check?.({ module: 'no.mjs', export: 'default' }, { directory })).toEqual([
      { path: ['module'], message: 'there is no file no.mjs', hint: 'Check the path; it is relative to this file.' },
    ]);
  });

  it('has what it printed in the exchange', async () => {
    const connector = await openedModule('export default () => { console.log("thinking"); return "Hi"; };');
    expect((await connector.invoke(asking('Hello'))).raw).toMatchObject({
      request: { body: expect.stringContaining('"content":"Hello"') },
      response: { body: '"Hi"', printed: [{ channel: 'stdout', text: 'thinking\n' }] },
    });
  });
});
