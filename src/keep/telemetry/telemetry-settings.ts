import type { Attributes } from './metrics.ts';

/** Where and how often metrics are sent. */
export interface TelemetrySettings {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** Resource attributes from the environment. */
  readonly resource: Attributes;
  /** Where proxies are named. */
  readonly env: Env;
}

type Env = Readonly<Record<string, string | undefined>>;

const usualIntervalMs = 60_000;
const usualTimeoutMs = 10_000;

/**
 * Reads the variables that OpenTelemetry defines for exporters. Undefined when nothing is to be sent; a text when what
 * is set cannot be used.
 */
export function telemetrySettings(env: Env): TelemetrySettings | string | undefined {
  const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_METRICS_EXPORTER === 'none';
  const own = env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT?.trim();
  const shared = env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim();
  if (isOff || (!own && !shared)) return undefined;
  const text = own || `${shared?.replace(/\/+$/, '')}/v1/metrics`;
  const name = own ? 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT' : 'OTEL_EXPORTER_OTLP_ENDPOINT';
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    return `${name} is not an http or https URL; no metrics are sent.`;
  const serviceName = env.OTEL_SERVICE_NAME?.trim();
  return {
    url: new URL(text),
    headers: { ...pairs(env.OTEL_EXPORTER_OTLP_HEADERS), ...pairs(env.OTEL_EXPORTER_OTLP_METRICS_HEADERS) },
    intervalMs: milliseconds(env.OTEL_METRIC_EXPORT_INTERVAL, usualIntervalMs),
    timeoutMs: milliseconds(env.OTEL_EXPORTER_OTLP_TIMEOUT, usualTimeoutMs),
    env,
    resource: { ...pairs(env.OTEL_RESOURCE_ATTRIBUTES), ...(serviceName && { 'service.name': serviceName }) },
  };
}

/** `key=value,key=value`, each encoded as in a URL. */
export function pairs(text = ''): Record<string, string> {
  const found = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    const key = pair.slice(0, Math.max(0, at)).trim();
    return key === '' ? [] : [[key, decoded(pair.slice(at + 1).trim())] as const];
  });
  return Object.fromEntries(found);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function milliseconds(text: string | undefined, usual: number): number {
  const number = Number(text);
  return text !== undefined && Number.isFinite(number) && number > 0 ? number : usual;
}
