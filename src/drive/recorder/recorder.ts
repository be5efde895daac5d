import type { TraceEventOf } from '../../domain/trace.ts';
import type { ShimProbes } from '../interposer/choose-shim.ts';
import type { CoveredFile } from '../workspace/isolated-folders.ts';
import type { Endings } from './endings.ts';

/** One invocation of a tool under test, by any caller. */
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

/** A tool under test. */
export interface RecordedProgram {
  /** Name under which it is called. */
  readonly name: string;
  /** Absolute path of the real program. */
  readonly program: string;
}

export interface RecorderRequest {
  /** Absolute, fresh and empty: everything of the recorder lives in it. The agent reads it, and must not write it. */
  readonly folder: string;
  readonly tools: readonly RecordedProgram[];
  /** Whether shims can lie over the programs: else they are only found first on PATH. */
  readonly canCover: boolean;
  /** Undefined: the machine is probed again. */
  readonly shims?: ShimProbes | undefined;
  /** Called for each invocation as it ends. */
  readonly onInvocation: (invocation: RecordedInvocation) => void;
  /** When and why Assay ended processes; an invocation that fails in such a time did not fail by itself. */
  readonly endings?: Endings;
}

/** Stands in front of the tools under test for one trial. */
export interface Recorder extends AsyncDisposable {
  /** To be put first on PATH: tools that nothing lies over are found here. */
  readonly binFolder: string;
  /** To be added to the environment of every caller of the tools. */
  readonly env: Readonly<Record<string, string>>;
  /** Files and folders that must lie over others for the agent. */
  readonly covered: readonly CoveredFile[];
  /** Folders that the agent must be able to write, because its shims report there. */
  readonly writable: readonly string[];
  /** Reads all remaining records; invocations that have not ended are reported as ended by a signal. */
  finish(): Promise<void>;
  /** Messages about the recorder that say nothing about a single invocation. */
  readonly problems: readonly string[];
  /** Why recorded invocations may be missing, cut or forged, so silence proves nothing; usually empty. */
  readonly doubts: readonly string[];
}
