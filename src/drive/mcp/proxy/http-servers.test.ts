import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTalk } from '../../../testing/fakes/mcp/open-talk.ts';
import { type HttpFake, startHttpServer } from '../../../testing/fakes/mcp/start-http-server.ts';

let http: HttpFake;
beforeAll(async () => {
  http = await startHttpServer();
});
afterAll(() => http[Symbol.asyncDispose]());

describe.each(['shttp', 'sse'] as const)('a server that is reached over %s', (transport) => {
  it('is spoken to over standard streams, in another wording too', async () => {
    await using talk = await openTalk({
      definition: http.define(transport, 'good'),
      wording: { echo: { name: 'say' } },
    });
    await talk.greet();
    const { result } = await talk.ask(1, 'tools/list');
    expect(result).toMatchObject({ tools: expect.arrayContaining([expect.objectContaining({ name: 'say' })]) });
    const answers = [talk.call(2, 'say', { text: 'hello' }), talk.call(3, 'fail')];
    expect(await Promise.all(answers)).toMatchObject([
      { id: 2, result: { content: [{ text: 'hello' }] } },
      { id: 3, result: { isError: true } },
    ]);
    expect(await talk.hangUp()).toBe(0);
    expect(talk.recordedCalls()).toEqual([
      { tool: 'echo', input: { text: 'hello' } },
      { tool: 'fail', input: {} },
    ]);
    expect(talk.eventsOf('tool-result')).toMatchObject([
      { callId: 'tested-1' },
      { error: { message: 'it did not work' } },
    ]);
    expect(talk.eventsOf('mcp-server')).toMatchObject([{ transport, name: 'sample', version: '1.2.3' }]);
    expect(talk.recording.faults).toEqual([]);
  });

  it('is at fault when it cannot be reached', async () => {
    await using talk = await openTalk({ definition: http.define(transport, '500') });
    if (transport === 'shttp') {
      const answer = await talk.ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {} });
      expect(answer).toMatchObject({ id: 1, error: { message: expect.stringContaining('500') } });
    }
    expect(await talk.exitCode).toBe(1);
    talk.recording.finish();
    expect(talk.recording.faults).toMatchObject([
      { code: 'MCP_SERVER_UNREACHABLE', message: expect.stringMatching(/"tested" .*500/) },
    ]);
  });
});

it('is at fault when it refuses one call', async () => {
  await using talk = await openTalk({ definition: http.define('shttp', 'call 500') });
  await talk.greet();
  expect(await talk.call(1, 'echo', { text: 'x' })).toMatchObject({ id: 1, error: {} });
  await talk.hangUp();
  expect(talk.eventsOf('tool-result')).toMatchObject([{ callId: 'tested-1', error: {} }]);
  expect(talk.recording.faults).toMatchObject([
    { message: expect.stringContaining('while tools/call of echo waited') },
  ]);
});

it('holds nothing for answers that it has passed on', async () => {
  const warnings: string[] = [];
  const note = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', note);
  try {
    await using talk = await openTalk({ definition: http.define('shttp', 'good') });
    await talk.greet();
    for (let id = 1; id <= 15; id++) await talk.call(id, 'echo', { text: 'again' });
    await talk.hangUp();
    expect(talk.recordedCalls()).toHaveLength(15);
  } finally {
    process.off('warning', note);
  }
  // Node.js warns from the eleventh listener of one kind on.
  expect(warnings).toEqual([]);
});
