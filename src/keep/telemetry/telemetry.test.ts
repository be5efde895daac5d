import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { bodyOf, serve } from '../../testing/support/http-server.ts';
import { Counter, Gauge, Histogram, type Instrument } from './metrics.ts';
import { MetricsExporter, metricsMessage } from './metrics-exporter.ts';
import { type TelemetrySettings, telemetrySettings } from './telemetry-settings.ts';
import { WorkMetrics } from './work-metrics.ts';

const about = { name: 'x', unit: '1', description: 'X' };
const period = { startedAt: 1_000, now: 61_000 };
const source = { resource: { 'service.name': 'assay-worker', 'process.pid': 7 }, version: '1.2.3' };

interface Sent {
  readonly path: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: ReturnType<typeof JSON.parse>;
}

/** A collector on the loopback address with scripted answers. */
async function collector(statuses: number[] = []): Promise<{ readonly url: string; readonly sent: Sent[] }> {
  const sent: Sent[] = [];
  const url = await serve(async (request, response) => {
    sent.push({ path: request.url, headers: request.headers, body: JSON.parse(await bodyOf(request)) });
    response.writeHead(statuses.shift() ?? 200).end('{}');
  });
  return { url, sent };
}

function exporter(
  settings: Partial<TelemetrySettings> & { readonly url: URL },
  instruments: readonly Instrument[] = [],
) {
  const logged: string[] = [];
  const full = { headers: {}, intervalMs: 3_600_000, timeoutMs: 5_000, resource: {}, env: {}, ...settings };
  const made = new MetricsExporter({ settings: full, source, instruments, log: (message) => logged.push(message) });
  return { exporter: made, logged };
}

function metricIn(sent: Sent | undefined, name: string) {
  const { metrics } = sent?.body.resourceMetrics[0].scopeMetrics[0] ?? { metrics: [] };
  return metrics.find((metric: { readonly name: string }) => metric.name === name);
}

describe('a message', () => {
  it('is OTLP in JSON: totals since the start, 64-bit numbers as text', () => {
    const counter = new Counter(about);
    counter.add(2, { outcome: 'pass', missing: undefined });
    counter.add(1, { outcome: 'pass', missing: undefined });
    const histogram = new Histogram(about, [1, 10]);
    for (const value of [0.5, 1, 5, 100]) histogram.record(value);
    expect(JSON.parse(metricsMessage([counter.read(), histogram.read()], source, period))).toEqual({
      resourceMetrics: [
        {
          resource: {
            attributes: [
              { key: 'service.name', value: { stringValue: 'assay-worker' } },
              { key: 'process.pid', value: { intValue: '7' } },
            ],
          },
          scopeMetrics: [
            {
              scope: { name: 'assay', version: '1.2.3' },
              metrics: [
                {
                  ...about,
                  sum: {
                    aggregationTemporality: 2,
                    isMonotonic: true,
                    dataPoints: [
                      {
                        attributes: [{ key: 'outcome', value: { stringValue: 'pass' } }],
                        startTimeUnixNano: '1000000000',
                        timeUnixNano: '61000000000',
                        asInt: '3',
                      },
                    ],
                  },
                },
                {
                  ...about,
                  histogram: {
                    aggregationTemporality: 2,
                    dataPoints: [
                      {
                        attributes: [],
                        startTimeUnixNano: '1000000000',
                        timeUnixNano: '61000000000',
                        count: '4',
                        sum: 106.5,
                        min: 0.5,
                        max: 100,
                        bucketCounts: ['2', '1', '1'],
                        explicitBounds: [1, 10],
                      },
                    ],
                  },
                },
              ],
            },
          ],
        },
      ],
    });
  });

  it('does not grow without bound: further sets of attributes are counted together', () => {
    const counter = new Counter(about);
    for (let index = 0; index < 1_500; index++) counter.add(1, { index });
    const { points } = counter.read();
    expect(points).toHaveLength(1_001);
    expect(points.at(-1)).toEqual({ attributes: { 'otel.metric.overflow': true }, value: 500 });
  });
});

describe('settings', () => {
  it.each([
    [{}, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_SDK_DISABLED: 'TRUE' }, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_METRICS_EXPORTER: 'none' }, undefined],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'c:4318' },
      'OTEL_EXPORTER_OTLP_ENDPOINT is not an http or https URL; no metrics are sent.',
    ],
  ])('%j: nothing is sent', (env, expected) => {
    expect(telemetrySettings(env)).toBe(expected);
  });

  it('are those that OpenTelemetry defines', () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/base/',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b, x=1=2,broken',
      OTEL_METRIC_EXPORT_INTERVAL: '500',
      OTEL_EXPORTER_OTLP_TIMEOUT: 'soon',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=ci,service.name=other',
      OTEL_SERVICE_NAME: 'mine',
    };
    expect(telemetrySettings(env)).toEqual({
      env,
      url: new URL('http://collector:4318/base/v1/metrics'),
      headers: { 'api-key': 'a b', x: '1=2' },
      intervalMs: 500,
      timeoutMs: 10_000,
      resource: { 'deployment.environment.name': 'ci', 'service.name': 'mine' },
    });
    const exact = { ...env, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://other/as-it-is' };
    expect(telemetrySettings(exact)).toMatchObject({ url: new URL('http://other/as-it-is') });
  });
});

describe('sending', () => {
  it('reports trials by outcome, the queue and the process', async () => {
    const { url, sent } = await collector();
    const metrics = new WorkMetrics({
      load: async () => ({ waiting: 12, active: 3, workers: 2 }),
      heartbeatAge: async () => 2.5,
    });
    const trial = { scenario: 's', faultCode: undefined, durationMs: 1_500, agent: 'codex', model: undefined };
    for (const outcome of ['pass', 'pass', 'fail', 'error']) {
      metrics.trialStarted();
      metrics.trialFinished({ ...trial, outcome, faultCode: outcome === 'error' ? 'AGENT_CRASHED' : undefined });
    }
    metrics.trialStarted();
    const settings = { url: new URL(`${url}/v1/metrics`), headers: { 'api-key': 'k', 'bad name': 'x' } };
    await exporter(settings, metrics.instruments).exporter[Symbol.asyncDispose]();

    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({
      path: '/v1/metrics',
      headers: { 'content-type': 'application/json', 'api-key': 'k' },
    });
    const counts = metricIn(sent[0], 'assay.trial.finished').sum.dataPoints;
    expect(counts.map(({ asInt }: { readonly asInt: string }) => asInt)).toEqual(['2', '1', '1']);
    expect(counts[2].attributes).toContainEqual({ key: 'error.type', value: { stringValue: 'AGENT_CRASHED' } });
    expect(metricIn(sent[0], 'assay.trial.duration').histogram.dataPoints[0]).toMatchObject({ count: '2', sum: 3 });
    const gaugeOf = (name: string) => metricIn(sent[0], name).gauge.dataPoints[0];
    expect(gaugeOf('assay.trial.running')).toMatchObject({ asInt: '1' });
    expect(gaugeOf('assay.queue.length')).toMatchObject({ asInt: '12' });
    expect(gaugeOf('assay.queue.active')).toMatchObject({ asInt: '3' });
    expect(gaugeOf('assay.worker.count')).toMatchObject({ asInt: '2' });
    expect(gaugeOf('assay.worker.heartbeat.age')).toMatchObject({ asDouble: 2.5 });
    expect(Number(gaugeOf('process.memory.usage').asInt)).toBeGreaterThan(1_000_000);
  });

  it('says once that a collector refuses, and once that it takes again', async () => {
    const { url } = await collector([500, 503, 200, 404]);
    const { exporter: made, logged } = exporter({ url: new URL(url) });
    for (let round = 0; round < 4; round++) await made.send();
    expect(logged).toEqual([
      expect.stringContaining('status 500'),
      expect.stringContaining('again'),
      expect.stringContaining('status 404'),
    ]);
    await made[Symbol.asyncDispose]();
  });

  it('does not disturb when no collector listens', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const { exporter: made, logged } = exporter({ url: new URL(`http://127.0.0.1:${port}`) });
    await made[Symbol.asyncDispose]();
    expect(logged).toEqual([expect.stringContaining('Metrics cannot be sent')]);
  });

  it('gives a collector up that never answers', async () => {
    const url = await serve(() => undefined);
    const { exporter: made, logged } = exporter({ url: new URL(url), timeoutMs: 50 });
    await made.send();
    expect(logged).toEqual([expect.stringContaining('Metrics cannot be sent')]);
    await made[Symbol.asyncDispose]();
  });

  it('leaves out what cannot be read at the moment', async () => {
    const { url, sent } = await collector();
    const broken = new Gauge({ ...about, name: 'broken' }, () => Promise.reject(new Error('no database')));
    const fine = new Gauge({ ...about, name: 'fine' }, () => [{ attributes: {}, value: 1 }]);
    const { exporter: made, logged } = exporter({ url: new URL(url) }, [broken, fine]);
    await made.send();
    await made[Symbol.asyncDispose]();
    expect(metricIn(sent[0], 'fine')).toBeDefined();
    expect(metricIn(sent[0], 'broken')).toBeUndefined();
    expect(logged).toEqual([]);
  });
});
