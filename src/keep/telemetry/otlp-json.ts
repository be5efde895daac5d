import type { Attributes, HistogramPoint, Metric, Point } from './metrics.ts';

/** When values were measured, in milliseconds since 1970: counts are totals from the start on. */
export interface Period {
  readonly startedAt: number;
  readonly now: number;
}

/** Who measured. */
export interface Source {
  readonly resource: Attributes;
  readonly version: string;
}

/** Totals since the start, so that a message that is lost costs nothing. */
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
