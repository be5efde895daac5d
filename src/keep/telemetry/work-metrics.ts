import { Counter, Gauge, Histogram, type Instrument } from './metrics.ts';

/** A finished trial, as far as it is measured. */
export interface MeasuredTrial {
  readonly scenario: string;
  readonly outcome: string;
  /** Why it could not be judged. */
  readonly faultCode: string | undefined;
  readonly durationMs: number | null;
  readonly agent: string | undefined;
  readonly model: string | undefined;
}

/** Queued trials and workers, over all machines. */
export interface WorkLoad {
  /** Trials that wait for a worker. */
  readonly waiting: number;
  /** Trials that workers are running. */
  readonly active: number;
  readonly workers: number;
}

/** Values read when metrics are sent. */
export interface Observations {
  /** Undefined where only this process is measured. */
  readonly load?: (() => Promise<WorkLoad>) | undefined;
  /** Seconds since this worker last said that it lives, by the database's clock. */
  readonly heartbeatAge?: (() => Promise<number | undefined>) | undefined;
}

/** From a tool that answers at once to an agent that works for hours. */
const durationBounds = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200];

/** Metrics of workers and coordinators; our own names where OpenTelemetry has none. */
export class WorkMetrics {
  readonly #finished = new Counter({
    name: 'assay.trial.finished',
    unit: '{trial}',
    description: 'Trials that ended, by outcome',
  });
  readonly #duration = new Histogram(
    { name: 'assay.trial.duration', unit: 's', description: 'How long trials took' },
    durationBounds,
  );
  #running = 0;
  readonly instruments: readonly Instrument[];

  constructor(observations: Observations = {}) {
    const { load, heartbeatAge = async () => undefined } = observations;
    this.instruments = [
      this.#finished,
      this.#duration,
      gauge('assay.trial.running', '{trial}', 'Trials that this process runs', () => this.#running),
      gauge('assay.worker.heartbeat.age', 's', 'Time since the last heartbeat of this worker', heartbeatAge),
      gauge('process.uptime', 's', 'How long the process has been running', () => process.uptime()),
      gauge('process.memory.usage', 'By', 'Physical memory in use', () => process.memoryUsage.rss()),
      cpuTime(),
      ...(load ? loadGauges(load) : []),
    ];
  }

  trialStarted(): void {
    this.#running++;
  }

  /** For a trial that was given back, or whose result was refused. */
  trialGivenBack(): void {
    this.#running--;
  }

  trialFinished({ scenario, outcome, faultCode, durationMs, agent, model }: MeasuredTrial): void {
    this.#running--;
    const about = {
      'test.case.result.status': outcome,
      'test.suite.name': scenario,
      'error.type': faultCode,
      'gen_ai.agent.name': agent,
      'gen_ai.request.model': model,
    };
    this.#finished.add(1, about);
    if (durationMs !== null) this.#duration.record(durationMs / 1_000, about);
  }
}

function gauge(
  name: string,
  unit: string,
  description: string,
  value: () => number | undefined | Promise<number | undefined>,
): Gauge {
  return new Gauge({ name, unit, description }, async () => {
    const now = await value();
    return now === undefined ? [] : [{ attributes: {}, value: now }];
  });
}

/** One look at the database for all of them. */
function loadGauges(load: () => Promise<WorkLoad>): Instrument[] {
  let looked: Promise<WorkLoad> | undefined;
  const look = (): Promise<WorkLoad> => {
    looked ??= load().finally(() => {
      looked = undefined;
    });
    return looked;
  };
  const of = (name: string, unit: string, description: string, part: keyof WorkLoad): Gauge =>
    new Gauge({ name, unit, description }, async () => [{ attributes: {}, value: (await look())[part] }]);
  return [
    of('assay.queue.length', '{trial}', 'Trials that wait for a worker', 'waiting'),
    of('assay.queue.active', '{trial}', 'Trials that workers are running', 'active'),
    of('assay.worker.count', '{worker}', 'Live workers', 'workers'),
  ];
}

function cpuTime(): Instrument {
  const about = { name: 'process.cpu.time', unit: 's', description: 'CPU time by mode' };
  return {
    read: () => {
      const { user, system } = process.cpuUsage();
      const of = (mode: string, micros: number) => ({ attributes: { 'cpu.mode': mode }, value: micros / 1_000_000 });
      return { ...about, kind: 'counter', points: [of('user', user), of('system', system)] };
    },
  };
}
