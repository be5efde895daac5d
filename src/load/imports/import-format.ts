import type { Report } from '../../domain/capability.ts';
import type { Fault } from '../../domain/outcome.ts';
import type { TrialFindings } from '../../domain/record.ts';
import type { Trace } from '../../domain/trace.ts';
import type { Variant } from '../../domain/variant.ts';
import type { ImportSource } from './import-source.ts';
import type { Sample } from './sample.ts';

/** What a file says of how a trial ended. */
export interface ToldVerdict {
  readonly state: 'pass' | 'fail' | 'error' | 'skipped';
  readonly reason: string;
  /** A reward or a score, where there is one. */
  readonly value?: number | undefined;
}

/** One trial as a file tells it; what it leaves open is filled in from the file's name. */
export interface ImportedTrial {
  /** Of the file, where the trial begins. */
  readonly line: number;
  /** The task, where the file names it. */
  readonly scenario?: string | undefined;
  readonly caseId?: string | undefined;
  /** Of the scenario, where the file names one. */
  readonly scenarioFile?: string | undefined;
  /** From 1. */
  readonly repeat?: number | undefined;
  readonly variant: Variant;
  readonly trace: Trace;
  /** Undefined where nothing says whether it passed. */
  readonly verdict: ToldVerdict | undefined;
  /** What kept it from being judged. */
  readonly fault?: Fault | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt?: number | undefined;
  readonly durationMs?: number | null | undefined;
  /** Where it is told beside the trace. */
  readonly costUsd?: number | null | undefined;
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
  readonly metrics?: Readonly<Record<string, number>> | undefined;
  /** What evaluators said of it before, in our own words. */
  readonly findings?: Partial<TrialFindings> | undefined;
}

/** One kind of file that trials can be read from. */
export interface ImportFormat {
  readonly name: string;
  readonly summary: string;
  /** What its trials tell where there is something to tell. */
  readonly reports: readonly Report[];
  /** Looks at the beginning of a file; the first format of the list that recognises it reads it. */
  recognises(sample: Sample): boolean;
  /** Gives the trials as they are read. Tells the source of what cannot be read, and never throws for it. */
  read(source: ImportSource): AsyncIterable<ImportedTrial>;
}
