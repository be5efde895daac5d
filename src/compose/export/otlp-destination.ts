import { AssayError } from '../../domain/errors.ts';
import { milliseconds, pairs } from '../../keep/telemetry/telemetry-settings.ts';
import type { Signal } from '../../load/collect/otlp-protobuf.ts';
import { canSendHeader } from '../../shared/http/exchange.ts';
import { sha256 } from '../../shared/ids.ts';
import { expandVariables, unsetVariables } from '../../shared/variables.ts';
import type { ExportConfig } from '../config/export-config.ts';
import { isWebUrl } from '../config/webhook-config.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** How requests of one signal are sent. */
interface OtlpRoute {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly isJson: boolean;
  readonly isGzip: boolean;
  readonly timeoutMs: number;
}

/** A receiver of traces and log records. */
export interface OtlpDestination extends Readonly<Record<Signal, OtlpRoute>> {
  /** Of its URLs; the URLs themselves may contain secrets. */
  readonly id: string;
  /** For people. */
  readonly host: string;
  /** Values of its headers. */
  readonly secrets: readonly string[];
}

const usualTimeoutMs = 10_000;
const signalPath = /\/v1\/(?:traces|logs)\/?$/;

/** The receiver of the command line, else of the config, else of the variables that OpenTelemetry defines for exporters. */
export function otlpDestination(flag: string | undefined, config: ExportConfig, env: Env): OtlpDestination {
  const written = flag ?? (typeof config.otlp === 'string' ? config.otlp : undefined);
  const headers = config.headers;
  for (const text of [written ?? '', ...Object.values(headers)]) {
    const [unset] = unsetVariables(text, env);
    if (unset !== undefined) throw unusable(`The environment variable ${unset} of \`export\` is not set.`);
  }
  const base = written === undefined ? undefined : expandVariables(written, env);
  const routeFor = (signal: Signal) => routeOf(signal, base, expandVariables(headers, env), env);
  const [traces, logs] = [routeFor('traces'), routeFor('logs')];
  const secrets = [traces, logs].flatMap((route) => Object.values(route.headers));
  return {
    traces,
    logs,
    id: sha256(`${traces.url.href} ${logs.url.href}`).slice(0, 32),
    host: traces.url.host,
    secrets: [...new Set(secrets.flatMap((value) => [value, value.replace(/^\w+\s+/, '')]))],
  };
}

function routeOf(
  signal: Signal,
  base: string | undefined,
  headers: Readonly<Record<string, string>>,
  env: Env,
): OtlpRoute {
  const own = (name: string): string | undefined =>
    env[`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${name}`]?.trim() || env[`OTEL_EXPORTER_OTLP_${name}`]?.trim();
  const sent = {
    ...pairs(env.OTEL_EXPORTER_OTLP_HEADERS),
    ...pairs(env[`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_HEADERS`]),
    ...headers,
  };
  const [unsendable] = Object.entries(sent).filter(([name, value]) => !canSendHeader(name, value));
  if (unsendable) throw unusable(`The header "${unsendable[0]}" of the OTLP receiver cannot be sent.`);
  return {
    url: urlOf(signal, base, env),
    headers: sent,
    isJson: protocolOf(own('PROTOCOL')) === 'http/json',
    isGzip: own('COMPRESSION') === 'gzip',
    timeoutMs: milliseconds(own('TIMEOUT'), usualTimeoutMs),
  };
}

function urlOf(signal: Signal, base: string | undefined, env: Env): URL {
  const ofSignal = env[`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`]?.trim();
  const shared = base ?? env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim();
  const text = base === undefined && ofSignal ? ofSignal : shared;
  if (!text) {
    const hint = 'Use `--otlp <url>`, `export.otlp` in the config, or OTEL_EXPORTER_OTLP_ENDPOINT.';
    throw unusable('No OTLP receiver is named.', hint);
  }
  if (!isWebUrl(text)) throw unusable('The URL of the OTLP receiver is not an http or https URL.');
  const url = new URL(text);
  if (text !== ofSignal || base !== undefined) {
    url.pathname = `${url.pathname.replace(signalPath, '').replace(/\/+$/, '')}/v1/${signal}`;
  }
  return url;
}

function protocolOf(text: string | undefined): string {
  if (text === undefined || text === 'http/protobuf' || text === 'http/json') return text ?? 'http/protobuf';
  const hint = 'Set it to http/protobuf or http/json, and use the port of OTLP over HTTP, usually 4318.';
  throw unusable(`OTEL_EXPORTER_OTLP_PROTOCOL is "${text}", which is not supported.`, hint);
}

function unusable(message: string, hint?: string): AssayError {
  return new AssayError('USAGE', message, { hint });
}
