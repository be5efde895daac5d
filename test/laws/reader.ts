import type { Fault } from '../../src/domain/outcome.ts';
import type { TrialRecord } from '../../src/domain/record.ts';
import type { Trace } from '../../src/domain/trace.ts';

/** A trial that a reader made; with a record where the document has a verdict of its own. */
export interface ReadTrial {
  readonly trace: Trace;
  readonly record: TrialRecord | undefined;
  /** Why the trial cannot be judged, where the reader refused the document. */
  readonly fault?: Fault | undefined;
}

/** Trials that a reader made of a document. */
export interface Reading {
  /** By their names in the run. */
  readonly trials: ReadonlyMap<string, ReadTrial>;
  /** Whether it reported that something could not be read. */
  readonly hasProblems: boolean;
}

interface CorpusDocument {
  readonly name: string;
  readonly text: string;
  read(text: string): Promise<Reading>;
}

/** A reader with real documents. */
export interface Reader {
  readonly name: string;
  readonly documents: readonly CorpusDocument[];
  /** The connector that it reads through, where there is one. */
  readonly connector?: string;
  /** Its messages take no other keys: official clients refuse more of them around a message of JSON-RPC. */
  readonly hasClosedRoot?: boolean;
  /** Starts the servers through which its documents are read, where it needs any. */
  open?(): Promise<AsyncDisposable>;
}

/** The reading of a document that is one trial. */
export function oneTrial(trace: Trace, fault?: Fault): Reading {
  return { trials: new Map([['task', { trace, record: undefined, fault }]]), hasProblems: false };
}

/** The clock of the machine measures a trial, not its document. */
export function atFixedTimes(trace: Trace): Trace {
  return trace.map((event) => {
    const at = event.type === 'agent-ended' ? 1_000 : 0;
    if (event.type === 'tool-result') {
      const { durationMs: _, ...untimed } = event;
      return { ...untimed, at };
    }
    if (event.type === 'model-call') return { ...event, at, durationMs: 100, ...firstTokenOf(event) };
    return event.type === 'turn' ? { ...event, at, latencyMs: 100, ...firstTokenOf(event) } : { ...event, at };
  });
}

function firstTokenOf({ timeToFirstTokenMs }: { readonly timeToFirstTokenMs?: number | undefined }) {
  return timeToFirstTokenMs === undefined ? {} : { timeToFirstTokenMs: 50 };
}
