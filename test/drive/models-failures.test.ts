import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { reply as answer, serve } from '../../src/testing/support/http-server.ts';
import {
  ask,
  failureOf,
  keys,
  opened,
  question,
  scripted,
  secretKey,
  skippingClock,
} from '../../src/testing/support/models.ts';

const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  answer(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });

const openaiError = (code: string, message = `it was ${code}`) => ({ error: { message, type: code, code } });

const googleLimit = (quotaId: string, retryDelay?: string) => ({
  error: {
    code: 429,
    message: 'You exceeded your current quota, please check your plan and billing details.',
    status: 'RESOURCE_EXHAUSTED',
    details: [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] },
      ...(retryDelay ? [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }] : []),
    ],
  },
});

interface Row {
  readonly what: string;
  readonly name?: string;
  readonly answer: RequestListener;
  readonly code: string;
  readonly requests: number;
  readonly says?: RegExp;
}

const rows: readonly Row[] = [
  {
    what: '401',
    answer: json(401, openaiError('invalid_api_key')),
    code: 'MODEL_UNAUTHORIZED',
    requests: 1,
    says: /invalid_api_key/,
  },
  { what: '403', answer: json(403, openaiError('forbidden')), code: 'MODEL_UNAUTHORIZED', requests: 1 },
  {
    what: 'a key that Google does not know',
    name: 'google/gemini-2.5-pro',
    answer: json(400, {
      error: {
        code: 400,
        message: 'API key not valid',
        status: 'INVALID_ARGUMENT',
        details: [{ reason: 'API_KEY_INVALID' }],
      },
    }),
    code: 'MODEL_UNAUTHORIZED',
    requests: 1,
  },
  { what: '429 without quota', answer: json(429, openaiError('insufficient_quota')), code: 'MODEL_QUOTA', requests: 1 },
  {
    what: '429 that mentions billing',
    answer: json(429, openaiError('limit', 'check your billing details')),
    code: 'MODEL_QUOTA',
    requests: 1,
  },
  { what: '402', answer: json(402, openaiError('payment_required')), code: 'MODEL_QUOTA', requests: 1 },
  {
    what: 'an empty account at Anthropic',
    name: 'anthropic/claude-sonnet-4-5',
    answer: json(400, {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'Your credit balance is too low.' },
    }),
    code: 'MODEL_QUOTA',
    requests: 1,
  },
  {
    what: 'a used up day at Google',
    name: 'google/gemini-2.5-pro',
    answer: json(429, googleLimit('GenerateRequestsPerDayPerProject', '34s')),
    code: 'MODEL_QUOTA',
    requests: 1,
  },
  {
    what: 'a used up minute at Google',
    name: 'google/gemini-2.5-pro',
    answer: json(429, googleLimit('GenerateRequestsPerMinutePerProject', '34s')),
    code: 'MODEL_RATE_LIMITED',
    requests: 4,
  },
  {
    what: '429',
    answer: json(429, openaiError('rate_limit_exceeded')),
    code: 'MODEL_RATE_LIMITED',
    requests: 4,
    says: /status 429/,
  },
  { what: '408', answer: json(408, openaiError('timeout')), code: 'MODEL_UNAVAILABLE', requests: 4 },
  { what: '409', answer: json(409, openaiError('conflict')), code: 'MODEL_UNAVAILABLE', requests: 4 },
  { what: '500', answer: json(500, openaiError('server_error')), code: 'MODEL_UNAVAILABLE', requests: 4 },
  {
    what: '502 with a page',
    answer: answer(502, '<html>Bad gateway</html>'),
    code: 'MODEL_UNAVAILABLE',
    requests: 4,
    says: /Bad gateway/,
  },
  { what: '503 without a body', answer: answer(503, ''), code: 'MODEL_UNAVAILABLE', requests: 4 },
  {
    what: '529',
    name: 'anthropic/claude-sonnet-4-5',
    answer: json(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    code: 'MODEL_UNAVAILABLE',
    requests: 4,
  },
  {
    what: '400',
    answer: json(400, openaiError('bad', 'messages must not be empty')),
    code: 'MODEL_BAD_REQUEST',
    requests: 1,
    says: /messages must not be empty/,
  },
  { what: '404', answer: json(404, openaiError('model_not_found')), code: 'MODEL_BAD_REQUEST', requests: 1 },
  {
    what: '422 with an error that is text',
    answer: json(422, { error: 'unprocessable' }),
    code: 'MODEL_BAD_REQUEST',
    requests: 1,
    says: /unprocessable/,
  },
  {
    what: 'a redirect',
    answer: answer(302, '', { location: 'http://127.0.0.1:1/' }),
    code: 'MODEL_BAD_REQUEST',
    requests: 1,
    says: /302/,
  },
  {
    what: 'a page with 200',
    answer: answer(200, '<html>Sign in</html>'),
    code: 'MODEL_BAD_REPLY',
    requests: 2,
    says: /Sign in/,
  },
  { what: 'half JSON with 200', answer: answer(200, '{"choices":[{"mess'), code: 'MODEL_BAD_REPLY', requests: 2 },
  { what: 'another shape with 200', answer: json(200, { hello: 'world' }), code: 'MODEL_BAD_REPLY', requests: 2 },
  { what: 'no choices with 200', answer: json(200, { choices: [] }), code: 'MODEL_BAD_REPLY', requests: 2 },
  { what: 'nothing with 200', answer: answer(200, ''), code: 'MODEL_BAD_REPLY', requests: 2, says: /it is empty/ },
  { what: 'nothing with 204', answer: answer(204, ''), code: 'MODEL_BAD_REPLY', requests: 2 },
  {
    what: 'an answer that breaks off',
    answer: (_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"choices"', () => response.destroy());
    },
    code: 'MODEL_UNAVAILABLE',
    requests: 4,
    says: /broke off/,
  },
  {
    what: 'a closed connection',
    answer: (request) => {
      request.socket.destroy();
    },
    code: 'MODEL_UNAVAILABLE',
    requests: 4,
  },
];

async function failing(row: Pick<Row, 'answer' | 'name'>, config: unknown = {}) {
  let requests = 0;
  const url = await serve((request, response) => {
    requests += 1;
    row.answer(request, response);
  });
  const clock = skippingClock();
  const env = { ...keys, OPENAI_BASE_URL: url, ANTHROPIC_BASE_URL: url, GOOGLE_GEMINI_BASE_URL: url };
  const project = opened({ config, env, clock, random: () => 0.5 });
  const failure = await failureOf(ask(project, row.name ?? 'openai/gpt-4o', question('Hi')));
  return { failure, requests, clock, url };
}

describe('an answer that is no reply', () => {
  it.each(rows)('$what is $code after $requests requests', async (row) => {
    const { failure, requests } = await failing(row);
    expect(failure.code, failure.message).toBe(row.code);
    expect(requests).toBe(row.requests);
    expect(failure.message).toMatch(row.says ?? /^(openai|anthropic|google)\/\S+: /);
  });

  it('does not show the key, even if the provider does', async () => {
    const echo: RequestListener = (request, response) =>
      json(401, openaiError('invalid', `the key in "${request.headers.authorization}" is wrong`))(request, response);
    const { failure } = await failing({ answer: echo });
    expect(failure.message).toContain('the key in "Bearer [redacted]" is wrong');
    expect(JSON.stringify({ ...failure, stack: failure.stack, cause: failure.cause })).not.toContain(secretKey);
  });

  it('does not show a key that stands where the text is cut', async () => {
    const { failure } = await failing({ answer: answer(400, `${'x'.repeat(470)}${secretKey}${'y'.repeat(500)}`) });
    expect(failure.message).not.toContain(secretKey.slice(0, 8));
  });
});

describe('a provider that cannot be reached', () => {
  it.each([
    ['a port that nobody listens to', 'http://127.0.0.1:1'],
    ['a host that does not exist', 'http://no-such-host.invalid'],
  ])('%s is MODEL_UNAVAILABLE, after three attempts', async (_, url) => {
    const clock = skippingClock();
    const project = opened({ env: { ...keys, OPENAI_BASE_URL: url }, clock });
    expect((await failureOf(ask(project, 'gpt-4o', question('Hi')))).code).toBe('MODEL_UNAVAILABLE');
    expect(clock.waitedMs).toHaveLength(2);
  });

  it('a provider that stalls is MODEL_TIMEOUT at the deadline, and is let go', async () => {
    let isLetGo: () => void = () => {};
    const letGo = new Promise<void>((resolve) => {
      isLetGo = resolve;
    });
    const stall: RequestListener = (_, response) => void response.on('close', isLetGo);
    const { failure, requests } = await failing({ answer: stall }, { providers: { openai: { timeoutSecs: 0.2 } } });
    expect(failure).toMatchObject({ code: 'MODEL_TIMEOUT', message: 'No answer from openai/gpt-4o within 200 ms.' });
    expect(requests).toBe(1);
    await letGo;
  });

  it('a caller that goes away is INTERRUPTED at once', async () => {
    const controller = new AbortController();
    const url = await serve(() => controller.abort());
    const project = opened({ env: { ...keys, OPENAI_BASE_URL: url } });
    const asking = ask(project, 'gpt-4o', question('Hi'), controller.signal);
    expect((await failureOf(asking)).code).toBe('INTERRUPTED');
    expect((await failureOf(ask(project, 'gpt-4o', question('Hi'), controller.signal))).code).toBe('INTERRUPTED');
  });
});

describe('Retry-After', () => {
  const once = (headers: Readonly<Record<string, string>>, body: unknown = openaiError('slow_down')) =>
    failing({ answer: json(429, body, headers) });

  it.each([
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '9' }, 1_500],
    ['a date that has passed', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
  ])('in %s is waited for, with a little more at random', async (_, headers, expectedMs) => {
    const { clock } = await once(headers);
    expect(clock.waitedMs).toEqual([expectedMs + 250, expectedMs + 250, expectedMs + 250]);
  });

  it('as a date is waited for', async () => {
    const { clock } = await once({ 'retry-after': new Date(Date.now() + 30_000).toUTCString() });
    expect(clock.waitedMs[0]).toBeGreaterThan(25_000);
    expect(clock.waitedMs[0]).toBeLessThan(31_000);
  });

  it('that takes too long is not waited for', async () => {
    const { clock, requests, failure } = await once({ 'retry-after': '3600' });
    expect(failure.message).toContain('retry after 1 h 0 min');
    expect({ waited: clock.waitedMs, requests, code: failure.code }).toEqual({
      waited: [],
      requests: 1,
      code: 'MODEL_RATE_LIMITED',
    });
  });

  it('that makes no sense is as if it were not there', async () => {
    const { clock } = await once({ 'retry-after': 'soon' });
    expect(clock.waitedMs).toEqual([375, 750, 1_500]);
  });
});

describe('what is a reply all the same', () => {
  it.each(['openai/gpt-4o', 'anthropic/claude-sonnet-4-5'])('a refusal of %s', async (name) => {
    const openaiRefusal = {
      choices: [{ message: { role: 'assistant', content: null, refusal: 'No.' }, index: 0, finish_reason: 'stop' }],
    };
    const anthropicRefusal = {
      type: 'message',
      id: 'm',
      role: 'assistant',
      model: 'c',
      content: [{ type: 'text', text: 'No.' }],
      stop_reason: 'refusal',
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    const url = await serve(json(200, name.startsWith('openai') ? openaiRefusal : anthropicRefusal));
    const project = opened({ env: { ...keys, OPENAI_BASE_URL: url, ANTHROPIC_BASE_URL: url } });
    expect(await ask(project, name, question('Hi'))).toMatchObject({ text: 'No.', finishReason: 'content-filter' });
  });

  it('a prompt that Google will not take', async () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 4 } };
    const project = opened({ env: { ...keys, GOOGLE_GEMINI_BASE_URL: await serve(json(200, blocked)) } });
    const reply = await ask(project, 'gemini-2.5-pro', question('Hi'));
    expect(reply).toMatchObject({ text: '', finishReason: 'content-filter' });
  });

  it('a tool call whose input is no JSON, as the model wrote it', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":' } };
    const body = {
      choices: [
        { message: { role: 'assistant', content: null, tool_calls: [call] }, index: 0, finish_reason: 'tool_calls' },
      ],
    };
    const project = opened({ env: { ...keys, OPENAI_BASE_URL: await serve(json(200, body)) } });
    const { toolCalls } = await ask(project, 'gpt-4o', question('Hi'));
    expect(toolCalls).toEqual([{ callId: 'c1', tool: 'weather', input: '{"city":' }]);
  });

  it('one that comes after failures', async () => {
    const server = await scripted({ rules: [{ fault: { status: 503 }, times: 2 }, { reply: 'At last' }] });
    const project = opened({ env: { ...server.environment, ...keys }, clock: skippingClock() });
    expect((await ask(project, 'gpt-4o', question('Hi'))).text).toBe('At last');
    expect(server.log()).toHaveLength(3);
  });
});
