import type { AgentExit, AgentReport, OpenAgentStream } from '../agent.ts';
import { type AgentTrace, ofWork } from '../agent-trace.ts';
import { concludeFromTrace, type ReportedError } from '../conclude.ts';
import { type JsonLineReader, openJsonLines, repeated } from '../json-line-stream.ts';
import { fieldAt, type JsonObject, objectOf, textOf } from '../json-shapes.ts';
import { toReportedError } from './end.ts';
import { isExtension, rpcErrorFrom } from './json-rpc-peer.ts';
import { AcpUpdates } from './updates.ts';

/** Reads the recorded frames of a session: those that the agent sent, marked with `"dir":"<-"` or not at all. */
export const openAcpStream = ((emit) =>
  openJsonLines(emit, (trace) => new AcpFrameReader(trace))) satisfies OpenAgentStream;

class AcpFrameReader implements JsonLineReader {
  readonly lineChannels = ofWork;
  readonly #trace: AgentTrace;
  readonly #updates: AcpUpdates;
  #reportedError: ReportedError | undefined = { message: 'it ended before it had answered the prompt' };

  readonly handlers = {
    'session/update': (frame: JsonObject): void => this.#updates.update(frame.params),
    'session/request_permission': (frame: JsonObject): void => void this.#updates.permission(frame.params),
    answer: (frame: JsonObject): void => this.#answer(objectOf(frame.result)),
    error: (frame: JsonObject): void => {
      this.isClosed = true;
      this.#reportedError = toReportedError(rpcErrorFrom(frame.error));
    },
    sent: repeated,
    extension: repeated,
    'fs/read_text_file': repeated,
    'fs/write_text_file': repeated,
  };
  isClosed = false;

  constructor(trace: AgentTrace) {
    this.#trace = trace;
    this.#updates = new AcpUpdates(trace);
  }

  kindOf(frame: JsonObject): string | undefined {
    if (frame.dir === '->') return 'sent';
    if (frame.error !== undefined) return 'error';
    if (isExtension(frame.method)) return 'extension';
    return fieldAt(frame, 'result') === undefined ? textOf(frame.method) : 'answer';
  }

  get isOver(): boolean {
    return this.isClosed;
  }

  conclude(exit: AgentExit, stderrTail: string): AgentReport {
    this.#updates.flush();
    return concludeFromTrace(this.#trace, { exit, reportedError: this.#reportedError, stderrTail });
  }

  #answer(result: JsonObject): void {
    if (textOf(result.stopReason) === undefined || this.isClosed) return;
    this.isClosed = true;
    this.#reportedError = this.#updates.promptAnswered(result);
  }
}
