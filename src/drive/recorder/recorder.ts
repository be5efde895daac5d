import type { TraceEventOf } from '../../domain/trace.ts';
import type { Endings } from './endings.ts';

/** One invocation of the tool under test, whoever made it. */
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
  /** To be added to the environment of whoever may call the tool. */
  readonly env: Readonly<Record<string, string>>;
  /** Waits for what has been said and not read yet; invocations that have not ended are told as ended by a signal. */
  finish(): Promise<void>;
  /** Invocations that could not be recorded whole, in words. */
  readonly problems: readonly string[];
}
