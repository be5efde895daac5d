import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import protobuf from 'protobufjs/light.js';
import { findPostgres } from '../scripts/find-postgres.mjs';
import { startPostgres } from '../scripts/start-postgres.mjs';
import { program, withFolder } from './measure.mjs';

const seconds = Number(process.env.ASSAY_BENCH_COLLECT_SECS ?? 60);
const spansPerSecond = 5_000;
const tracesPerRequest = 5;
const spansPerTrace = 10;
const mostP99Ms = 50;
const mostMb = 250;
const token = 'token-of-the-bench-0123456789';

const field = (type, id, rule) => ({ type, id, ...(rule && { rule }) });
const messages = protobuf.Root.fromJSON({
  nested: {
    Request: { fields: { resourceSpans: field('ResourceSpans', 1, 'repeated') } },
    ResourceSpans: { fields: { resource: field('Resource', 1), scopeSpans: field('ScopeSpans', 2, 'repeated') } },
    Resource: { fields: { attributes: field('KeyValue', 1, 'repeated') } },
    ScopeSpans: { fields: { spans: field('Span', 2, 'repeated') } },
    Span: {
      fields: {
        traceId: field('bytes', 1),
        spanId: field('bytes', 2),
        parentSpanId: field('bytes', 4),
        name: field('string', 5),
        startTimeUnixNano: field('fixed64', 7),
        endTimeUnixNano: field('fixed64', 8),
        attributes: field('KeyValue', 9, 'repeated'),
      },
    },
    KeyValue: { fields: { key: field('string', 1), value: field('AnyValue', 2) } },
    AnyValue: { fields: { stringValue: field('string', 1), intValue: field('int64', 3) } },
  },
});

const attributesOf = (values) =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: value } : { stringValue: value },
  }));

const answer = 'The train to Bergen leaves at noon, and there are seats left in the second coach. ';

/** Nine spans of models and tools below a root, of about half a kilobyte each. */
function traceOf(traceId) {
  const spanIdOf = (index) => Buffer.from([...traceId.subarray(0, 6), 7, index + 1]);
  return Array.from({ length: spansPerTrace }, (_, index) => ({
    traceId,
    spanId: spanIdOf(index),
    ...(index > 0 && { parentSpanId: spanIdOf(0) }),
    name: index === 0 ? 'invoke_agent clerk' : index % 2 ? 'chat' : 'execute_tool find_train',
    startTimeUnixNano: 1_763_300_000_000_000_000 + index * 1e6,
    endTimeUnixNano: 1_763_300_000_000_000_000 + index * 1e6 + 9e5,
    attributes: attributesOf(
      index === 0
        ? { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'clerk' }
        : index % 2
          ? {
              'gen_ai.operation.name': 'chat',
              'gen_ai.request.model': 'model-x',
              'gen_ai.usage.input_tokens': 100 + index,
              'gen_ai.usage.output_tokens': 20,
              'gen_ai.output.messages': JSON.stringify([
                { role: 'assistant', parts: [{ type: 'text', content: `${index} ${answer.repeat(3)}` }] },
              ]),
            }
          : {
              'gen_ai.tool.name': 'find_train',
              'gen_ai.tool.call.id': `call-${index}`,
              'gen_ai.tool.call.arguments': '{"to":"Bergen","seats":2}',
              'gen_ai.tool.call.result': JSON.stringify({ answer: answer.repeat(2) }),
            },
    ),
  }));
}

/** Bodies whose ids are replaced before each is sent, because encoding them would take longer than receiving them. */
function template() {
  const placeholders = Array.from({ length: tracesPerRequest }, () => randomBytes(16));
  const resourceSpans = [
    {
      resource: { attributes: attributesOf({ 'service.name': 'travel-desk', 'telemetry.sdk.language': 'nodejs' }) },
      scopeSpans: [{ spans: placeholders.flatMap(traceOf) }],
    },
  ];
  const body = Buffer.from(messages.lookupType('Request').encode({ resourceSpans }).finish());
  const places = placeholders.map((id) => ({ ids: placesOf(body, id), spans: placesOf(body, id.subarray(0, 6)) }));
  return () => {
    for (const { ids, spans } of places) {
      const id = randomBytes(16);
      for (const place of spans) id.copy(body, place, 0, 6);
      for (const place of ids) id.copy(body, place);
    }
    return Buffer.from(body);
  };
}

function placesOf(body, part) {
  const places = [];
  for (let at = body.indexOf(part); at !== -1; at = body.indexOf(part, at + 1)) places.push(at);
  return places;
}

function send(url, agent, body) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-protobuf', authorization: `Bearer ${token}` };
    const sent = request(`${url}/v1/traces`, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Requests begin at their time, whether those before are answered or not, so a slow answer does not hide. */
async function load(url) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const next = template();
  const everyMs = (1_000 * tracesPerRequest * spansPerTrace) / spansPerSecond;
  const count = Math.round((seconds * 1_000) / everyMs);
  const latencies = [];
  const refused = [];
  const pending = [];
  const began = performance.now();
  for (let index = 0; index < count; index++) {
    const due = began + index * everyMs;
    if (due > performance.now()) await wait(due - performance.now());
    pending.push(
      send(url, agent, next()).then((status) => {
        if (status === 200) latencies.push(performance.now() - due);
        else refused.push(status);
      }),
    );
  }
  await Promise.all(pending);
  agent.destroy();
  const took = (performance.now() - began) / 1_000;
  return { latencies: latencies.sort((a, b) => a - b), refused, took, requests: count };
}

/** A receiver under 5,000 spans a second, with the store on SQLite and on Postgres. */
export async function collect() {
  const rows = await measured('SQLite');
  const bin = findPostgres();
  if (bin === undefined)
    return [...rows, { what: 'collect: on Postgres', measured: 'left out: no Postgres was found' }];
  const server = await startPostgres(bin);
  try {
    return [...rows, ...(await measured('Postgres', server.url()))];
  } finally {
    await server[Symbol.asyncDispose]();
  }
}

function measured(name, storeUrl) {
  return withFolder({ 'assay.config.json': '{"collect":{"quietSecs":2}}' }, async (cwd) => {
    const child = spawn(process.execPath, [program, 'collect', '--port', '0', '--json'], {
      cwd,
      env: { ...process.env, ASSAY_COLLECT_TOKEN: token, ...(storeUrl && { ASSAY_STORE: storeUrl }) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
    const sent = await load(JSON.parse(line).url);
    const used = usedBy(child.pid);
    const ended = once(child.stdout, 'data');
    child.kill('SIGINT');
    const counts = JSON.parse((await ended)[0]);
    await once(child, 'exit');
    return rowsOf(`collect on ${name}`, { ...sent, ...used, counts });
  });
}

function rowsOf(name, { latencies, refused, took, requests, peakMb, cpuSeconds, counts }) {
  const p99 = latencies[Math.ceil(latencies.length * 0.99) - 1] ?? Number.POSITIVE_INFINITY;
  const rate = counts.spans / took;
  const traces = requests * tracesPerRequest;
  return [
    row(`${name}: spans a second`, `${Math.round(rate)} for ${took.toFixed(1)} s, ${refused.length} requests refused`, {
      target: `all of ${spansPerSecond} that are sent`,
      isMet: counts.spans === traces * spansPerTrace && refused.length === 0 && took < seconds + 1,
    }),
    row(`${name}: p50 and p99 of the answer`, `${middle(latencies).toFixed(1)} and ${p99.toFixed(1)} ms`, {
      target: `p99 below ${mostP99Ms} ms`,
      isMet: p99 < mostP99Ms,
    }),
    row(`${name}: largest memory`, `${Math.round(peakMb)} MB, ${(cpuSeconds / took).toFixed(2)} cores`, {
      target: `below ${mostMb} MB`,
      isMet: peakMb < mostMb,
    }),
    row(`${name}: traces that are trials at the end`, `${counts.trials} of ${traces}`, {
      target: 'all',
      isMet: counts.trials === traces,
    }),
  ];
}

const row = (what, measured, { target, isMet }) => ({ what, measured, target, isMet });

const middle = (sorted) => sorted[Math.floor(sorted.length / 2)] ?? Number.POSITIVE_INFINITY;

/** Linux keeps the largest memory of a process. */
function usedBy(pid) {
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return { peakMb: Number(peak) / 1_024, cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100 };
}
