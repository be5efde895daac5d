import type { Report } from '../../domain/capability.ts';
import type { Fault } from '../../domain/outcome.ts';
import type { TrialFindings } from '../../domain/record.ts';
import type { Trace } from '../../domain/trace.ts';
import type { Usage } from '../../domain/usage.ts';
import type { Variant } from '../../domain/variant.ts';
import type { ImportSource } from './import-source.ts';
import type { Sample } from './sample.ts';
import type { RecordedCheck, RecordedVerdict } from './score-verdict.ts';

/** A trial in a file; missing names are taken from the file's name. */
export interface ImportedTrial {
  /** First line of the trial in the file. */
  readonly line: number;
  /** By which its program knows this very trial: the same id again is the same trial. */
  readonly id?: string | undefined;
  /** The task, where the file names it. */
  readonly scenario?: string | undefined;
  readonly caseId?: string | undefined;
  /** Of the scenario, where the file names one. */
  readonly scenarioFile?: string | undefined;
  /** From 1. */
  readonly repeat?: number | undefined;
  readonly variant: Variant;
  readonly trace: Trace;
  /** Undefined where the file has no verdict. */
  readonly verdict: RecordedVerdict | undefined;
  /** Why it could not be judged. */
  readonly fault?: Fault | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt?: number | undefined;
  readonly durationMs?: number | null | undefined;
  /** Where it is recorded beside the trace. */
  readonly costUsd?: number | null | undefined;
  /** Null where it is not known; undefined for the sum of the trace. */
  readonly usage?: Usage | null | undefined;
  readonly metrics?: Readonly<Record<string, number>> | undefined;
  /** The single checks behind the verdict, as the other program judged them. */
  readonly checks?: readonly RecordedCheck[] | undefined;
  /** Facts that this trial records whenever they occur, where they differ from those of its format. */
  readonly reports?: readonly Report[] | undefined;
  /** Results of evaluators, in Assay's own format. */
  readonly findings?: Partial<TrialFindings> | undefined;
}

/** A file format that trials can be imported from. */
export interface ImportFormat {
  readonly name: string;
  readonly summary: string;
  /** Facts that its files record whenever they occur. Each format says so itself, also that there are none. */
  readonly reports: readonly Report[];
  /** Whether its files are not text. */
  readonly isBinary?: true;
  /** Checks the beginning of a file; the first format of the list that recognises it reads it. */
  recognises(sample: Sample): boolean;
  /** The missing part of a file that is nearly of this format; undefined for one that is something else. */
  lacks?(sample: Sample): string | undefined;
  /** The other file of the import with which a file is read; undefined for one that is read by itself. */
  readWith?(path: string, others: readonly string[]): Promise<string | undefined>;
  /** Yields the trials. Reports unreadable parts to the source and never throws for them. */
  read(source: ImportSource): AsyncIterable<ImportedTrial>;
}
