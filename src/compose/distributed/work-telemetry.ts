import { hostname } from 'node:os';
import type { TrialRecord } from '../../domain/record.ts';
import type { Observations, WorkMetrics } from '../../keep/telemetry/work-metrics.ts';
import { version } from '../program.ts';

interface TelemetryOptions extends Observations {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly role: 'worker' | 'coordinator';
  /** Distinguishes this process from all others. */
  readonly instanceId: string;
  /** Receives warnings, such as about a collector that does not answer. */
  log(message: string): void;
}

/** Metrics of a worker or a coordinator; costs nothing where no collector is configured. */
export interface WorkTelemetry extends AsyncDisposable {
  trialStarted(): void;
  trialGivenBack(): void;
  trialFinished(record: TrialRecord): void;
}

/** Sends metrics where `OTEL_EXPORTER_OTLP_ENDPOINT` says; does nothing without it, and never fails. */
export async function openWorkTelemetry(options: TelemetryOptions): Promise<WorkTelemetry> {
  const { env, role, instanceId, log } = options;
  if (!env.OTEL_EXPORTER_OTLP_ENDPOINT && !env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT) return silent;
  const { telemetrySettings } = await import('../../keep/telemetry/telemetry-settings.ts');
  const settings = telemetrySettings(env);
  if (settings === undefined) return silent;
  if (typeof settings === 'string') {
    log(settings);
    return silent;
  }
  const { MetricsExporter } = await import('../../keep/telemetry/metrics-exporter.ts');
  const { WorkMetrics: Metrics } = await import('../../keep/telemetry/work-metrics.ts');
  const metrics = new Metrics(options);
  const resource = {
    'service.name': `assay-${role}`,
    'service.version': version,
    'service.instance.id': instanceId,
    'host.name': hostname(),
    'process.pid': process.pid,
    ...settings.resource,
  };
  const exporter = new MetricsExporter({
    settings,
    source: { resource, version },
    instruments: metrics.instruments,
    log: log,
  });
  return {
    trialStarted: () => metrics.trialStarted(),
    trialGivenBack: () => metrics.trialGivenBack(),
    trialFinished: (record) => measure(metrics, record),
    [Symbol.asyncDispose]: () => exporter[Symbol.asyncDispose](),
  };
}

function measure(metrics: WorkMetrics, { scenario, outcome, fault, durationMs, variant }: TrialRecord): void {
  const { agent, model } = variant;
  metrics.trialFinished({ scenario, outcome, faultCode: fault?.code, durationMs, agent, model });
}

const silent: WorkTelemetry = {
  trialStarted: () => undefined,
  trialGivenBack: () => undefined,
  trialFinished: () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
};
