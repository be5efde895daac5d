import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { assay } from '../../src/testing/support/assay.ts';
import {
  attribute,
  collectedTrials,
  collectToken,
  exportOf,
  idOf,
  startCollecting,
  toolSpan,
} from '../../src/testing/support/collecting.ts';
import { storedBytes } from '../../src/testing/support/project-store.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/** As the exporter of the official JavaScript SDK sent it. */
const official = readFileSync(new URL('../fixtures/otlp/official-exporter.bin', import.meta.url));
const protobuf = { 'content-type': 'application/x-protobuf' };
const gzip = { 'content-encoding': 'gzip' };

/** Made before the first connection, which would be closed as idle while a busy machine makes it. */
const tooLargeUnpacked = gzipSync(Buffer.alloc(60e6, 32));

/** Traces are complete at once, with or without a root. */
const impatient = { 'assay.config.json': JSON.stringify({ collect: { quietSecs: 0.001, idleSecs: 0.001 } }) };

it('makes trials of traces, each span once, whatever the order, also after a restart', async () => {
  const cwd = await temporaryFolder(impatient);
  const first = await startCollecting(cwd);
  const accepted = await first.send(gzipSync(official), { ...protobuf, ...gzip });
  expect([accepted.status, accepted.headers.get('content-type'), await accepted.text()]).toEqual([
    200,
    'application/x-protobuf',
    '',
  ]);
  const secret = 'sk-live-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c';
  const json = await first.send(
    exportOf([
      toolSpan({ trace: 1, span: 3, parent: 1, attributes: [attribute('app.api_key', secret)] }),
      toolSpan({ trace: 1, span: 2, parent: 1 }),
      toolSpan({ trace: 1, span: 2, parent: 1 }),
      toolSpan({ trace: 2, span: 1, attributes: [attribute('session.id', 'chat-9')] }),
      { ...toolSpan({ trace: 3, span: 1 }), attributes: [attribute('http.route', '/health')] },
    ]),
  );
  expect([json.status, await json.json()]).toEqual([200, {}]);
  expect((await first.stop()).counts).toMatchObject({ requests: 2, spans: 7, duplicates: 1, refused: 0, late: 0 });

  const second = await startCollecting(cwd);
  expect((await second.send(exportOf([toolSpan({ trace: 1, span: 1 })]))).status).toBe(200);
  expect((await second.send(official, protobuf)).status).toBe(200);
  const { exitCode, stderr, counts } = await second.stop();
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(counts).toMatchObject({ spans: 1, late: 1, duplicates: 3, trials: 1 });

  const trials = await collectedTrials(cwd);
  expect(trials.map(({ caseId, scenario, calls }) => [caseId, scenario, calls])).toEqual([
    [idOf(1, 32), 'desk', ['call-1-1', 'call-1-2', 'call-1-3']],
    ['chat-9/00000000', 'desk', ['call-2-1']],
    ['conv-7/0af76519', 'clerk', ['call-1']],
  ]);
  expect(trials[2]).toMatchObject({
    outcome: 'skipped',
    variant: { agent: 'clerk', model: 'gpt-x' },
    usage: { inputTokens: 120, outputTokens: 9 },
    durationMs: 40,
  });
  expect(new Set(trials.map(({ runId }) => runId)).size).toBe(1);
  for (const kept of [await storedBytes(cwd), readFileSync(join(cwd, '.assay/collect/spool.db'))]) {
    expect(kept.includes(secret)).toBe(false);
  }
  const shown = JSON.parse((await assay(['show', 'latest', '--json'], { cwd })).stdout);
  expect(shown).toMatchObject({
    status: 'finished',
    totals: { planned: 3, skipped: 3 },
    origin: { isCollected: true },
  });
});

it('answers bad requests as the specification says, and stores nothing of them', async () => {
  const cwd = await temporaryFolder(impatient);
  const collecting = await startCollecting(cwd);
  const { send, url } = collecting;
  const good = exportOf([toolSpan({ trace: 7, span: 1 })]);
  const refused: [status: number, response: Response][] = [
    [400, await send(official.subarray(0, official.length - 7), protobuf)],
    [400, await send(Buffer.from([0xff, 0xff, 0xff]), protobuf)],
    [400, await send('{"resourceSpans": [')],
    [400, await send('[]')],
    [400, await send('{"resourceSpans": "many"}')],
    [400, await send(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
    [400, await send('no gzip at all', gzip)],
    [401, await send(good, { authorization: 'Bearer wrong-token-0123456789abcdef' })],
    [401, await send(good, { authorization: '' })],
    [413, await send(exportOf([toolSpan({ trace: 8, span: 1, attributes: [attribute('big', 'x'.repeat(50e6))] })]))],
    [413, await send(tooLargeUnpacked, gzip)],
    [415, await send(good, { 'content-type': 'text/plain' })],
    [415, await send(good, { 'content-encoding': 'br' })],
    [405, await fetch(`${url}/v1/traces`)],
    [404, await fetch(`${url}/v1/metrics`, { method: 'POST' })],
  ];
  expect(refused.map(([, { status }]) => status)).toEqual(refused.map(([status]) => status));
  for (const [, response] of refused) {
    // Only 429 and 503 are sent again.
    expect(response.headers.get('retry-after')).toBeNull();
    if (response.headers.get('content-type') === 'application/json') {
      expect(await response.json()).toEqual({ code: expect.any(Number), message: expect.stringMatching(/./) });
    }
  }
  const broken = await send(official.subarray(0, 100), protobuf);
  expect(broken.headers.get('content-type')).toBe('application/x-protobuf');
  // `google.rpc.Status`: field 1 is the code 3 (invalid argument), field 2 the message.
  expect([...new Uint8Array(await broken.arrayBuffer())].slice(0, 3)).toEqual([0x08, 3, 0x12]);
  expect((await collecting.stop()).counts).toMatchObject({ spans: 0, trials: 0 });
  expect(await collectedTrials(cwd)).toEqual([]);
});

it('refuses single spans, and takes odd ones as they are', async () => {
  const cwd = await temporaryFolder(impatient);
  const { send, stop } = await startCollecting(cwd);
  const span = toolSpan({ trace: 1, span: 1 });
  const partial = await send(
    exportOf([
      span,
      { ...span, traceId: '', spanId: idOf(2, 16) },
      { ...span, traceId: idOf(0, 32), spanId: idOf(3, 16) },
      { ...span, spanId: 'not-hex-at-all!!' },
      toolSpan({ trace: 1, span: 4, attributes: [attribute('big', 'x'.repeat(5e6))] }),
    ]),
  );
  expect([partial.status, await partial.json()]).toEqual([
    200,
    {
      partialSuccess: {
        rejectedSpans: '4',
        errorMessage: expect.stringMatching(/no valid traceId; .*no valid spanId; span 0{15}4 has 50\d+ characters/),
      },
    },
  ]);
  const year = 365 * 86_400_000;
  const odd = await send(
    exportOf([
      // An orphan, a cycle of two, one that is its own parent.
      toolSpan({ trace: 2, span: 1, parent: 99 }),
      toolSpan({ trace: 3, span: 1, parent: 2 }),
      toolSpan({ trace: 3, span: 2, parent: 1 }),
      toolSpan({ trace: 4, span: 1, parent: 1 }),
      // Clocks that differ by years, and a span that ends before it begins.
      toolSpan({ trace: 5, span: 1, at: Date.now() + 30 * year }),
      toolSpan({ trace: 5, span: 2, parent: 1, at: Date.now() - 40 * year }),
      { ...toolSpan({ trace: 5, span: 3, parent: 1 }), endTimeUnixNano: '1000000' },
      { ...toolSpan({ trace: 6, span: 1 }), startTimeUnixNano: 'yesterday', endTimeUnixNano: '-1', events: 'none' },
      // The same id with other content contradicts the span.
      toolSpan({ trace: 2, span: 1, parent: 99, failed: 'another text' }),
    ]),
  );
  expect([odd.status, await odd.json()]).toMatchObject([200, { partialSuccess: { rejectedSpans: '1' } }]);
  expect((await stop()).counts).toMatchObject({ spans: 9, duplicates: 1, refused: 5, trials: 6 });
  const trials = await collectedTrials(cwd);
  expect(trials.map(({ calls }) => calls.length)).toEqual([1, 1, 2, 1, 3, 1]);
  // Two spans of the first trace are missing, so nothing can be concluded from the rest.
  expect(trials[0]?.fault).toMatchObject({ code: 'TRACE_INCOMPLETE', message: expect.stringContaining('2 spans') });
  for (const [index, { durationMs, outcome }] of trials.entries()) {
    expect(outcome).toBe(index <= 1 ? 'error' : 'skipped');
    expect(durationMs === null || durationMs >= 0).toBe(true);
  }
});

it('asks senders to wait when too much arrives at once, and goes on afterwards', async () => {
  const cwd = await temporaryFolder(impatient);
  const { send, stop, url } = await startCollecting(cwd);
  const mebibyte = 1_048_576;
  // Requests that announce much and send little keep their share of the memory.
  const held = Array.from({ length: 3 }, () => {
    const headers = { 'content-type': 'application/json', 'content-length': 20 * mebibyte };
    const slow = request(`${url}/v1/traces`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${collectToken}` },
    });
    slow.on('error', () => undefined);
    slow.write(' ');
    return slow;
  });
  let refusal: Response;
  do refusal = await send(Buffer.alloc(6 * mebibyte, 32));
  while (refusal.status !== 429);
  expect(refusal.headers.get('retry-after')).toBe('1');
  for (const slow of held) slow.destroy();
  let status = 0;
  while (status !== 200) ({ status } = await send(exportOf([toolSpan({ trace: 1, span: 1 })])));
  expect((await stop()).counts).toMatchObject({ spans: 1, trials: 1 });
});

it('cannot judge a trace that has more spans than are kept', async () => {
  const cwd = await temporaryFolder(impatient);
  const { send, stop } = await startCollecting(cwd);
  const spans = Array.from({ length: 10_003 }, (_, index) => {
    const [traceId, spanId] = [idOf(1, 32), idOf(index + 1, 16)];
    return { traceId, spanId, ...(index > 0 && { parentSpanId: idOf(1, 16) }), attributes: [attribute('ai.x', index)] };
  });
  const answer = await send(exportOf([...spans, toolSpan({ trace: 2, span: 1 })]));
  expect(await answer.json()).toMatchObject({ partialSuccess: { rejectedSpans: '3' } });
  expect((await stop()).counts).toMatchObject({ spans: 10_001, refused: 3, trials: 2 });
  const trials = await collectedTrials(cwd);
  expect(trials.map(({ fault }) => fault?.code)).toEqual(['TRACE_INCOMPLETE', undefined]);
});
