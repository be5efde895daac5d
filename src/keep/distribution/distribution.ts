import * as z from 'zod';
import { trialPlaceSchema } from '../../domain/record.ts';
import type { FinishedTrial } from '../store/store.ts';
import type { WorkDatabase } from './work-database.ts';

/** Version of the protocol between coordinators and workers; raised when the meaning of a job changes. */
export const protocolVersion = 1;

/** Requirements of a trial for the worker that runs it. */
export const needsSchema = z.object({
  tags: z.array(z.string()).readonly(),
  agents: z.array(z.string()).readonly(),
  env: z
    .array(z.string())
    .readonly()
    .describe('names of environment variables, `A|B` for one of two; values are never sent'),
  protocol: z.number(),
});
export type Needs = z.infer<typeof needsSchema>;

/** Description that a worker reports. */
export const workerFactsSchema = z.object({
  workerId: z.string(),
  host: z.string(),
  pid: z.number(),
  version: z.string(),
  protocol: z.number(),
  concurrency: z.number(),
  tags: z.array(z.string()).readonly(),
  agents: z.array(z.string()).readonly(),
  env: z.array(z.string()).readonly().describe('names of the variables that are set; values are never sent'),
});
export type WorkerFacts = z.infer<typeof workerFactsSchema>;

/** A trial as it waits in the queue. */
export const queuedTrialSchema = trialPlaceSchema;
export type QueuedTrial = z.infer<typeof queuedTrialSchema>;

/** How many trials at a time may use something, over all workers: `provider:openai`, `target:shop`. */
export type Limits = Readonly<Record<string, number>>;

/** Trials of one run with the same requirements; each group has its own queue. */
export interface TrialGroup {
  readonly groupId: string;
  readonly runId: string;
  readonly needs: Needs;
  readonly limits: Limits;
}

/** A trial that a worker may run until its lease ends; the token distinguishes this lease from any other of the same trial. */
export interface Lease {
  readonly group: TrialGroup;
  readonly jobId: string;
  readonly token: string;
  /** From 1; each lease that ended without a result counts. */
  readonly attempt: number;
  readonly isLastAttempt: boolean;
  readonly trial: QueuedTrial;
}

/** Unique name of a lease, also among leases of the same trial. */
export function leaseName({ jobId, token }: Pick<Lease, 'jobId' | 'token'>): string {
  return `${jobId} ${token}`;
}

type Able = Pick<WorkerFacts, 'tags' | 'agents' | 'env' | 'protocol'>;

/** Requirements that a worker does not meet, in words; empty where it meets all. */
export function lacking(needs: Needs, worker: Able): string[] {
  const without = (name: string, wanted: readonly string[], present: readonly string[]) =>
    wanted
      .filter((item) => !item.split('|').some((choice) => present.includes(choice)))
      .map((item) => `${name} ${item.replaceAll('|', ' or ')}`);
  return [
    ...(needs.protocol > worker.protocol ? [`protocol ${needs.protocol} (update Assay there)`] : []),
    ...without('tag', needs.tags, worker.tags),
    ...without('agent', needs.agents, worker.agents),
    ...without('variable', needs.env, worker.env),
  ];
}

/** True when a worker has all that is needed. */
export function isServedBy(needs: Needs, worker: Able): boolean {
  return lacking(needs, worker).length === 0;
}

/** Collects results and stores several at a time. */
export interface ResultWriter {
  add(finished: FinishedTrial): Promise<void>;
  flush(): Promise<void>;
}

/** Parts of a worker. */
export interface TrialWorkerParts {
  readonly work: WorkDatabase;
  readonly facts: WorkerFacts;
  readonly leaseMs: number;
  /** How long running trials may go on once the worker is stopping. */
  readonly drainMs: number;
  /** Asks the worker to end. */
  readonly signal: AbortSignal;
  /** Ends when no run goes on that it can take part in. */
  readonly isOnce?: boolean | undefined;
  /** Runs a trial; undefined when it was interrupted. Throws when the trial cannot be run on this machine. */
  perform(lease: Lease): Promise<FinishedTrial | undefined>;
  /** Ends all that was opened for a run, and interrupts its trials. */
  endRun(runId: string): Promise<void>;
  /** The runs that something is open for. */
  openRuns(): readonly string[];
  writeWith(save: (trials: readonly FinishedTrial[]) => Promise<void>): ResultWriter;
  /** Called when a result is stored, or refused because it came too late. */
  settled(finished: FinishedTrial, isStored: boolean): void;
  log(message: string): void;
}
