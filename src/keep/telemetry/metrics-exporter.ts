import { canSendHeader } from '../../shared/http/exchange.ts';
import { HttpClient } from '../../shared/http/http-client.ts';
import type { Attributes, HistogramPoint, Instrument, Metric, Point } from './metrics.ts';
import type { TelemetrySettings } from './telemetry-settings.ts';

/** When values were measured, in milliseconds since 1970: counts are totals from the start on. */
interface Period {
  readonly startedAt: number;
  readonly now: number;
}

/** Who measured. */
interface Source {
  readonly resource: Attributes;
  readonly version: string;
}

/** Totals since the start, so a lost message loses nothing. */
const cumulative = 2;

/** The body of a request to `/v1/metrics`, as OTLP writes it in JSON: 64-bit numbers are text. */
export function metricsMessage(metrics: readonly Metric[], source: Source, period: Period): string {
  const measured = metrics.filter(({ points }) => points.length > 0);
  const scopeMetrics = [
    { scope: { name: 'assay', version: source.version }, metrics: measured.map((metric) => metricOf(metric, period)) },
  ];
  return JSON.stringify({ resourceMetrics: [{ resource: { attributes: written(source.resource) }, scopeMetrics }] });
}

function metricOf(metric: Metric, period: Period): object {
  const { name, unit, description } = metric;
  const about = { name, unit, description };
  if (metric.kind === 'gauge') return { ...about, gauge: { dataPoints: metric.points.map((at) => point(at, period)) } };
  if (metric.kind === 'counter') {
    const dataPoints = metric.points.map((at) => ({ ...since(period), ...point(at, period) }));
    return { ...about, sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints } };
  }
  const dataPoints = metric.points.map((at) => ({ ...since(period), ...spread(at, metric.bounds, period) }));
  return { ...about, histogram: { aggregationTemporality: cumulative, dataPoints } };
}

function point({ attributes, value }: Point, { now }: Period): object {
  const number = Number.isInteger(value) ? { asInt: String(value) } : { asDouble: value };
  return { attributes: written(attributes), timeUnixNano: nanoseconds(now), ...number };
}

function spread(
  { attributes, counts, sum, min, max }: HistogramPoint,
  bounds: readonly number[],
  { now }: Period,
): object {
  return {
    attributes: written(attributes),
    timeUnixNano: nanoseconds(now),
    count: String(counts.reduce((total, count) => total + count, 0)),
    ...{ sum, min, max },
    bucketCounts: counts.map(String),
    explicitBounds: bounds,
  };
}

function since({ startedAt }: Period): object {
  return { startTimeUnixNano: nanoseconds(startedAt) };
}

function nanoseconds(atMs: number): string {
  return `${Math.round(atMs)}000000`;
}

function written(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

interface ExporterOptions {
  readonly settings: TelemetrySettings;
  readonly source: Source;
  readonly instruments: readonly Instrument[];
  /** Called once when sending begins to fail, and once when it works again. */
  log(message: string): void;
  readonly now?: () => number;
}

/** Longest wait for the last message. */
const lastTimeoutMs = 2_000;

/** Sends what was measured, again and again, and for the last time when it is disposed of. Nothing that fails here matters. */
export class MetricsExporter implements AsyncDisposable {
  readonly #options: ExporterOptions;
  readonly #client: HttpClient;
  readonly #startedAt: number;
  readonly #timer: NodeJS.Timeout;
  #sending: Promise<void> | undefined;
  #isFailing = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#client = new HttpClient({ env: options.settings.env });
    this.#startedAt = this.#now();
    this.#timer = setInterval(() => void this.send(), options.settings.intervalMs);
    this.#timer.unref();
  }

  /** Sends once; two at a time would arrive in any order. */
  send(): Promise<void> {
    this.#sending ??= this.#send(this.#options.settings.timeoutMs).finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    const timeoutMs = Math.min(lastTimeoutMs, this.#options.settings.timeoutMs);
    await Promise.race([this.#sending?.then(() => this.#send(timeoutMs)) ?? this.#send(timeoutMs), after(timeoutMs)]);
    this.#client[Symbol.dispose]();
  }

  async #send(timeoutMs: number): Promise<void> {
    const { settings, source, log } = this.#options;
    try {
      const body = metricsMessage(await this.#read(), source, { startedAt: this.#startedAt, now: this.#now() });
      const { status } = await this.#client.send({
        url: settings.url,
        method: 'POST',
        headers: this.#headers(),
        body,
        bodyLimitBytes: 1_000_000,
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (status < 200 || status > 299) throw new Error(`it answered with status ${status}`);
      if (this.#isFailing) log(`Metrics are sent to ${settings.url.host} again.`);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) log(`Metrics cannot be sent to ${settings.url.host}: ${reasonOf(error)}.`);
      this.#isFailing = true;
    }
  }

  /** An instrument that cannot be read is left out. */
  async #read(): Promise<Metric[]> {
    const read = await Promise.allSettled(this.#options.instruments.map(async (instrument) => instrument.read()));
    return read.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  }

  #headers(): Record<string, string> {
    const given = Object.entries(this.#options.settings.headers).filter(([name, value]) => canSendHeader(name, value));
    return { ...Object.fromEntries(given), 'content-type': 'application/json' };
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}

function after(timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, timeoutMs).unref();
  });
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
