import type { TraceEventOf } from '../../domain/trace.ts';
import type { Endings } from './endings.ts';

/** One invocation of the tool under test, by any caller. */
export interface RecordedInvocation
  extends Pick<
    TraceEventOf<'command'>,
    'argv' | 'durationMs' | 'exitCode' | 'signal' | 'cutShortBy' | 'stdout' | 'stderr' | 'isNested'
  > {
  /** Absolute. */
  readonly cwd: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

export interface RecorderRequest {
  /** Absolute, fresh and empty: everything of the recorder lives in it, and the agent can read and write it. */
  readonly folder: string;
  /** Name under which the tool is called. */
  readonly binary: string;
  /** Absolute path of the real program. */
  readonly program: string;
  /** Called for each invocation as it ends. */
  readonly onInvocation: (invocation: RecordedInvocation) => void;
  /** When and why Assay ended processes; an invocation that fails in such a time did not fail by itself. */
  readonly endings?: Endings;
}

/** Stands in front of the tool under test for one trial. */
export interface Recorder extends AsyncDisposable {
  /** To be put first on PATH. */
  readonly binFolder: string;
  /** To be added to the environment of every caller of the tool. */
  readonly env: Readonly<Record<string, string>>;
  /** Reads all remaining records; invocations that have not ended are reported as ended by a signal. */
  finish(): Promise<void>;
  /** Messages about invocations that could not be recorded completely. */
  readonly problems: readonly string[];
}
