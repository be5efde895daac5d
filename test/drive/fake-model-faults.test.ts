import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedModel, type ScriptSource, startScriptedModel } from '../../src/drive/models/scripted/index.ts';

const question = { role: 'user', content: 'Hello' };

/** A request for a reply in each dialect: its path and its body, for an answer in one piece and for a stream. */
const requests = {
  chat: ['/v1/chat/completions', '/v1/chat/completions', { model: 'm', messages: [question] }],
  responses: ['/v1/responses', '/v1/responses', { model: 'm', input: [question] }],
  messages: ['/v1/messages', '/v1/messages', { model: 'm', max_tokens: 9, messages: [question] }],
  gemini: [
    '/v1beta/models/m:generateContent',
    '/v1beta/models/m:streamGenerateContent?alt=sse',
    { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  ],
} as const;
const ways = (Object.keys(requests) as (keyof typeof requests)[]).flatMap((path) => [
  { path, way: 'in one piece', isStreaming: false },
  { path, way: 'streamed', isStreaming: true },
]);
type Way = Pick<(typeof ways)[number], 'path' | 'isStreaming'>;

async function started(rules: ScriptSource['rules']): Promise<ScriptedModel> {
  const scripted = await startScriptedModel({ rules });
  onTestFinished(() => scripted[Symbol.asyncDispose]());
  return scripted;
}

function send({ url }: ScriptedModel, { path, isStreaming }: Way): ClientRequest {
  const [whole, streamed, body] = requests[path];
  const sent = request(`${url}${isStreaming ? streamed : whole}`, { method: 'POST', agent: false });
  sent.on('error', () => undefined);
  sent.end(JSON.stringify(path === 'gemini' ? body : { ...body, stream: isStreaming }));
  onTestFinished(() => void sent.destroy());
  return sent;
}

function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => sent.on('response', resolve).on('error', reject));
}

interface Received {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly isComplete: boolean;
}

async function receive(answer: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  answer.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => answer.on('close', resolve).on('error', () => undefined));
  const { statusCode: status, headers, complete: isComplete } = answer;
  return { status, type: headers['content-type'], headers, body: Buffer.concat(chunks).toString(), isComplete };
}

async function ask(server: ScriptedModel, way: Way): Promise<Received> {
  return receive(await answerTo(send(server, way)));
}

/** The data of each event of a stream, or the whole body; throws when one of them is not JSON. */
function parsed({ body, type }: Received): unknown[] {
  if (type !== 'text/event-stream') return [JSON.parse(body)];
  const data = body.split('\n').filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]');
  return data.map((line) => JSON.parse(line.slice('data: '.length)));
}

const chat: Way = { path: 'chat', isStreaming: false };
const text = 'a text of some length';

describe.each(ways)('a fault of $path, $way', ({ path, isStreaming }) => {
  const way = { path, isStreaming };
  const type = isStreaming ? 'text/event-stream' : 'application/json';

  it('status: the error of the provider', async () => {
    const server = await started([{ fault: { status: 429, retryAfter: 1.5 } }]);
    const answer = await ask(server, way);
    expect(answer).toMatchObject({ status: 429, type: 'application/json', headers: { 'retry-after': '1.5' } });
    expect(JSON.parse(answer.body)).toMatchObject({ error: { message: 'The script answers with 429.' } });
  });

  it('reset: the connection breaks without an answer', async () => {
    const server = await started([{ fault: 'reset' }]);
    await expect(ask(server, way)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('reset with a reply: the connection breaks in its middle', async () => {
    const server = await started([{ reply: text, fault: 'reset' }]);
    const answer = await ask(server, way);
    expect(answer).toMatchObject({ status: 200, type, isComplete: false });
    expect(answer.body).not.toBe('');
    expect(() => parsed(answer)).toThrow(SyntaxError);
  });

  it('stall: nothing comes, while others are answered', async () => {
    const server = await started([{ fault: 'stall', times: 1 }, { reply: text }]);
    let isAnswered = false;
    const stalled = send(server, way).on('response', () => {
      isAnswered = true;
    });
    await expect.poll(() => server.log().length).toBe(1);
    for (let count = 0; count < 5; count++) expect((await ask(server, chat)).status).toBe(200);
    expect(isAnswered).toBe(false);
    stalled.destroy();
  });

  it('stall with a reply: it stops in its middle', async () => {
    const server = await started([{ reply: text, fault: 'stall', times: 1 }, { reply: text }]);
    const answer = await answerTo(send(server, way));
    const beginning = await new Promise<string>((resolve) => answer.once('data', (chunk) => resolve(String(chunk))));
    for (let count = 0; count < 5; count++) expect((await ask(server, chat)).status).toBe(200);
    expect(answer.complete).toBe(false);
    expect(beginning).toContain(isStreaming ? 'data: ' : '{');
    answer.on('error', () => undefined).destroy();
  });

  it('junk: bytes that mean nothing', async () => {
    const answer = await ask(await started([{ fault: 'junk' }]), way);
    expect(answer).toMatchObject({ status: 200, type, isComplete: true });
    expect(answer.body.length).toBeGreaterThan(50);
    expect(() => JSON.parse(answer.body)).toThrow(SyntaxError);
  });

  it('halfJson: an answer that ends too early, and seems complete', async () => {
    const answer = await ask(await started([{ reply: text, fault: 'halfJson' }]), way);
    expect(answer).toMatchObject({ status: 200, type, isComplete: true });
    expect(() => parsed(answer)).toThrow(SyntaxError);
  });

  it('html: a page instead of an answer', async () => {
    const answer = await ask(await started([{ fault: 'html' }]), way);
    expect(answer).toMatchObject({ status: 200, type: 'text/html; charset=utf-8', isComplete: true });
    expect(answer.body).toContain('<!doctype html>');
  });

  it('empty: a status and nothing else', async () => {
    const answer = await ask(await started([{ fault: 'empty' }]), way);
    expect(answer).toMatchObject({ status: 200, type, body: '', isComplete: true });
  });

  it('drip: a good answer, byte by byte', async () => {
    const server = await started([{ reply: text, fault: 'drip', dripMs: 600_000 }]);
    const answer = await answerTo(send(server, way));
    const first = await new Promise<Buffer>((resolve) => answer.once('data', resolve));
    expect(first).toHaveLength(1);
    expect(answer).toMatchObject({ statusCode: 200, headers: { 'content-type': type }, complete: false });
    answer.on('error', () => undefined).destroy();
  });
});

describe.each(ways)('a good answer of $path, $way', ({ path, isStreaming }) => {
  it('says how long it is unless it is a stream', async () => {
    const answer = await ask(await started([{ reply: text }]), { path, isStreaming });
    const framing = isStreaming ? { 'transfer-encoding': 'chunked' } : { 'content-length': expect.any(String) };
    expect(answer).toMatchObject({ status: 200, isComplete: true, headers: framing });
    expect(parsed(answer).length).toBeGreaterThan(isStreaming ? 2 : 0);
  });
});

describe('faults', () => {
  it('may have a body of their own', async () => {
    const quota = { error: { code: 'insufficient_quota' } };
    const server = await started([
      { fault: { status: 429, body: quota }, times: 1 },
      { fault: { status: 502, body: 'Bad gateway' } },
    ]);
    expect(JSON.parse((await ask(server, chat)).body)).toEqual(quota);
    expect(await ask(server, chat)).toMatchObject({
      status: 502,
      type: 'text/plain; charset=utf-8',
      body: 'Bad gateway',
    });
  });

  it('are over when a good answer has dripped to its end', async () => {
    const server = await started([{ reply: text, fault: 'drip', dripMs: 1 }]);
    const answer = await ask(server, chat);
    expect(answer.isComplete).toBe(true);
    expect(parsed(answer)).toMatchObject([{ choices: [{ message: { content: text } }] }]);
  });

  it('come as often as they are likely to', async () => {
    const server = await started([{ fault: { status: 503 }, probability: 0.3, seed: 5 }, { reply: text }]);
    const statuses = async (): Promise<unknown[]> => {
      const answers = [];
      for (let count = 0; count < 40; count++) answers.push((await ask(server, chat)).status);
      return answers;
    };
    const first = await statuses();
    expect(new Set(first)).toEqual(new Set([200, 503]));
    server.reset();
    expect(await statuses()).toEqual(first);
  });
});

describe('pace', () => {
  it('delays the answers that are to be delayed, and no others', async () => {
    const server = await started([
      { reply: 'after ten minutes', delayMs: 600_000, times: 1 },
      { reply: 'after a moment', delayMs: 5 },
    ]);
    let isAnswered = false;
    send(server, chat).on('response', () => {
      isAnswered = true;
    });
    await expect.poll(() => server.log().length).toBe(1);
    for (let count = 0; count < 5; count++) expect((await ask(server, chat)).body).toContain('after a moment');
    expect(isAnswered).toBe(false);
  });

  it('drips a stream event by event', async () => {
    const server = await started([{ reply: text, chunks: 4, dripMs: 5 }]);
    const answer = await answerTo(send(server, { path: 'messages', isStreaming: true }));
    const first = await new Promise<string>((resolve) => answer.once('data', (chunk) => resolve(String(chunk))));
    expect(first).toMatch(/^event: message_start\ndata: .*\n\n$/);
    const rest = await receive(answer);
    expect(rest.isComplete).toBe(true);
    expect(rest.body.split('content_block_delta').length - 1).toBe(8);
  });

  it('does not wait for clients that have gone', async () => {
    const server = await started([
      { reply: text, dripMs: 600_000, times: 1 },
      { reply: text, delayMs: 600_000, times: 1 },
      { reply: 'still here' },
    ]);
    const streaming = await answerTo(send(server, { path: 'chat', isStreaming: true }));
    streaming.on('error', () => undefined).destroy();
    const waiting = send(server, chat);
    await expect.poll(() => server.log().length).toBe(2);
    waiting.destroy();
    expect((await ask(server, chat)).body).toContain('still here');
  });
});
