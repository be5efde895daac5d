import type { RequestListener } from 'node:http';
import { createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AssayError } from '../../../domain/errors.ts';
import { messageSchema } from '../../../domain/message.ts';
import { usageSchema } from '../../../domain/usage.ts';
import { asking, opened } from '../../../testing/fakes/connectors/opened.ts';
import { reply, serve } from '../../../testing/support/http-server.ts';
import { repetitions } from '../../../testing/support/repetitions.ts';
import { httpConnector } from './http-connector.ts';

const secret = 'sk-live-0123456789abcdef';
const json = { 'content-type': 'application/json' };

async function failureOf(answer: RequestListener | string, config: unknown = {}): Promise<AssayError> {
  const base = typeof answer === 'string' ? answer : await serve(answer);
  const connector = await opened(httpConnector, config, {
    baseUrl: `${base}/talk?key=${secret}`,
    headers: { authorization: `Bearer ${secret}` },
  });
  const thrown: unknown = await connector.invoke(asking('Hello')).then(
    (response) => response,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(AssayError);
  return thrown as AssayError;
}

describe('an HTTP agent that is in trouble', () => {
  it.each<[string, RequestListener, string, RegExp]>([
    ['500', reply(500, '{"error":{"message":"no luck today"}}'), 'TARGET_CRASHED', /HTTP 500: "no luck today"/],
    ['503 with a page', reply(503, '<html>busy</html>'), 'TARGET_CRASHED', /HTTP 503: "<html>busy/],
    ['502 and nothing', reply(502, ''), 'TARGET_CRASHED', /HTTP 502 and an empty body/],
    ['401', reply(401, '{"detail":"who are you"}'), 'TARGET_UNREACHABLE', /HTTP 401: "who are you"/],
    ['404', reply(404, 'nothing here'), 'TARGET_UNREACHABLE', /HTTP 404: "nothing here"/],
    ['422', reply(422, '{"detail":[{"loc":["q"]}]}'), 'TARGET_UNREACHABLE', /HTTP 422: .*"loc"/],
    ['429', reply(429, 'slow down'), 'TARGET_UNREACHABLE', /HTTP 429/],
    ['504', reply(504, 'too slow'), 'TARGET_TIMEOUT', /HTTP 504/],
    ['a redirect', reply(302, '', { location: '/login?next=secret' }), 'TARGET_UNREACHABLE', /HTTP 302: "to \/login"/],
    [
      'a web page',
      reply(200, '<!DOCTYPE html><title>Sign in</title>', { 'content-type': 'text/html' }),
      'TARGET_OUTPUT_NOT_JSON',
      /a web page: "<!DOCTYPE/,
    ],
    ['a page called JSON', reply(200, '<html></html>', json), 'TARGET_OUTPUT_NOT_JSON', /a web page/],
    ['an empty body', reply(200, '', json), 'TARGET_OUTPUT_NOT_JSON', /an empty body/],
    ['an empty text', reply(200, ' \n', { 'content-type': 'text/plain' }), 'TARGET_OUTPUT_NOT_JSON', /an empty body/],
    ['no content', (_, response) => response.writeHead(204).end(), 'TARGET_OUTPUT_NOT_JSON', /an empty body/],
    ['half of JSON', reply(200, '{"content": "H', json), 'TARGET_OUTPUT_NOT_JSON', /not JSON: "{/],
    [
      'another shape',
      reply(200, '{"reply": {"words": "Hi"}}', json),
      'TARGET_NO_MESSAGE',
      /contains no message: "{"reply"/,
    ],
    [
      'an error with 200',
      reply(200, '{"error": "no luck"}', json),
      'TARGET_NO_MESSAGE',
      /no message but an error: .*no luck/,
    ],
    ['a number', reply(200, '42', json), 'TARGET_NO_MESSAGE', /contains no message: "42"/],
    [
      'only our own words',
      reply(200, '{"messages":[{"role":"user","content":"Hello"}]}', json),
      'TARGET_NO_MESSAGE',
      /contains no message/,
    ],
    [
      'a reset',
      (request) => void request.socket.resetAndDestroy(),
      'TARGET_UNREACHABLE',
      /gave no answer: .*ECONNRESET/,
    ],
    ['a close', (request) => void request.socket.destroy(), 'TARGET_UNREACHABLE', /gave no answer: .*hang up/],
    [
      'an answer that breaks off',
      (_, response) =>
        void response.writeHead(200, { ...json, 'content-length': 100 }).write('{"content"', () => response.destroy()),
      'TARGET_CRASHED',
      /broke off/,
    ],
    [
      'JSON without a bottom',
      reply(200, `{"tool_calls":[{"name":"find","args":${'['.repeat(30_000)}${']'.repeat(30_000)}}]}`, json),
      'TARGET_OUTPUT_NOT_JSON',
      /nested too deeply/,
    ],
  ])('is an error that says so: %s', async (_, answer, code, message) => {
    const error = await failureOf(answer);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(error.message).toMatch(/^POST http:\/\/127\.0\.0\.1:\d+\/talk /);
    expect(error.hint).not.toBe('');
    expect(`${error.message}${error.hint}`).not.toContain(secret);
  });

  it('is unreachable when no server listens', async () => {
    const error = await failureOf('http://127.0.0.1:9');
    expect(error).toMatchObject({ code: 'TARGET_UNREACHABLE', message: expect.stringContaining('ECONNREFUSED') });
  });

  it('is unreachable when what listens does not speak HTTP', async () => {
    const sockets = new Set<Socket>();
    const server = createServer(
      (socket) => sockets.add(socket.on('error', () => undefined)).size && socket.end('SSH-2.0-x\r\n'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    expect(await failureOf(`http://127.0.0.1:${port}`)).toMatchObject({ code: 'TARGET_UNREACHABLE' });
  });

  it('is not waited for any longer than wanted, before and within its answer', async () => {
    for (const beginning of ['', '{"content":']) {
      let reportRequest = (): void => undefined;
      const requested = new Promise<void>((resolve) => {
        reportRequest = resolve;
      });
      const baseUrl = await serve((_, response) => {
        if (beginning === '') reportRequest();
        else response.writeHead(200, json).write(beginning, reportRequest);
      });
      const connector = await opened(httpConnector, {}, { baseUrl });
      const stop = new AbortController();
      const answer = connector.invoke(asking('Hello', { signal: stop.signal }));
      const ended = expect(answer).rejects.toMatchObject({ code: 'TARGET_TIMEOUT' });
      await requested;
      stop.abort();
      await ended;
    }
  });

  it('may say a megabyte, of which the trace keeps the beginning', async () => {
    const text = 'x'.repeat(1_000_000);
    const connector = await opened(
      httpConnector,
      {},
      { baseUrl: await serve(reply(200, JSON.stringify({ content: text }), json)) },
    );
    const { messages, raw } = await connector.invoke(asking('Hello'));
    expect(messages[0]?.content).toBe(text);
    expect(JSON.stringify(raw).length).toBeLessThan(50_000);
    expect(JSON.stringify(raw)).toContain('characters left out');
  });

  it.each([{}, { stream: 'text' }])('is cut off when it goes on for 100 MB, with %j', async (config) => {
    let written = 0;
    const error = await failureOf((_, response) => {
      const piece = 'x'.repeat(1_000_000);
      const more = (): void => {
        while (written < 100 && !response.destroyed) {
          written++;
          if (!response.write(piece)) return;
        }
        response.end();
      };
      response.on('drain', more);
      more();
    }, config);
    expect(error).toMatchObject({
      code: 'TARGET_OUTPUT_TOO_LARGE',
      message: expect.stringContaining('more than 10 MB'),
    });
    expect(written).toBeLessThan(100);
  });

  it('does not get a secret of ours into the errors and the trace by repeating it', async () => {
    const leak: RequestListener = (request, response) =>
      response
        .writeHead(request.headers['x-status'] === undefined ? 200 : 500, json)
        .end(JSON.stringify({ content: 'Hi', seen: request.headers, at: request.url }));
    const baseUrl = `${await serve(leak)}/talk?key=${secret}-in-url`;
    const connector = await opened(httpConnector, {}, { baseUrl, headers: { authorization: `Bearer ${secret}` } });
    const persona = { 'x-persona': 'persona-secret-77' };
    const good = await connector.invoke(asking('Hello', { headers: persona }));
    expect(JSON.stringify(good.raw)).not.toMatch(new RegExp(`${secret}|persona-secret-77`));
    const error: unknown = await connector
      .invoke(asking('Hello', { headers: { ...persona, 'x-status': '500' } }))
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'TARGET_CRASHED' });
    expect(String(error)).not.toMatch(new RegExp(`${secret}|persona-secret-77`));
  });
});

const answerKeys = fc.constantFrom(
  'messages',
  'message',
  'content',
  'response',
  'choices',
  'delta',
  'role',
  'type',
  'text',
  'tool_calls',
  'function',
  'usage',
  'input',
  'error',
  'id',
  '__proto__',
);
const { any: answerValues } = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 5 },
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(answerKeys, tie('any'), { maxKeys: 4 }),
  ),
}));
const answerBodies = fc.oneof(
  answerValues.map((value) => JSON.stringify(value)),
  fc.string(),
  answerValues.map((value) => `data: ${JSON.stringify(value)}\n\ndata: [DONE]\n\n`),
);
const contentTypes = fc.constantFrom(
  'application/json',
  'text/plain',
  'text/event-stream',
  'application/x-ndjson',
  'text/html',
);

describe('answers of any shape', () => {
  it('are read or refused, and nothing else happens', async () => {
    let body = '';
    let type = '';
    const baseUrl = await serve((_, response) => response.writeHead(200, { 'content-type': type }).end(body));
    const plain = await opened(httpConnector, {}, { baseUrl });
    const mapped = await opened(
      httpConnector,
      { response: { text: '$..content', toolCalls: '$.tool_calls', usage: { input: '$.a', output: '$.b' } } },
      { baseUrl },
    );
    await fc.assert(
      fc.asyncProperty(
        answerBodies,
        contentTypes,
        fc.constantFrom(plain, mapped),
        async (text, contentType, connector) => {
          body = text;
          type = contentType;
          const ended: unknown = await connector.invoke(asking('Hello')).catch((error: unknown) => error);
          if (ended instanceof Error) {
            expect(ended).toBeInstanceOf(AssayError);
            expect((ended as AssayError).code).toMatch(/^TARGET_(OUTPUT_NOT_JSON|NO_MESSAGE|CRASHED)$/);
            return;
          }
          const { messages, usage } = ended as Awaited<ReturnType<typeof connector.invoke>>;
          expect(messages.length).toBeGreaterThan(0);
          for (const message of messages) expect(messageSchema.safeParse(message).error).toBeUndefined();
          if (usage) expect(usageSchema.safeParse(usage).error).toBeUndefined();
        },
      ),
      { seed: 6, numRuns: repetitions({ usual: 100, inFull: 800 }) },
    );
  });
});
