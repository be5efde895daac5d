import type { AgentExit, AgentReport, OpenAgentStream } from '../agent.ts';
import { concludeNarration, type OwnError } from '../conclude.ts';
import { type JsonLineReader, openJsonLines } from '../json-line-stream.ts';
import { fieldAt, type JsonObject, objectOf, textOf } from '../json-shapes.ts';
import type { Narration } from '../narration.ts';
import { acpOwnError } from './end.ts';
import { rpcErrorFrom } from './json-rpc-peer.ts';
import { AcpUpdates } from './updates.ts';

/** Reads the recorded frames of a session: those that the agent sent, marked with `"dir":"<-"` or not at all. */
export const openAcpStream = ((emit) =>
  openJsonLines(emit, (narration) => new AcpFrameReader(narration))) satisfies OpenAgentStream;

class AcpFrameReader implements JsonLineReader {
  readonly #narration: Narration;
  readonly #updates: AcpUpdates;
  #ownError: OwnError | undefined = { message: 'it ended before it had answered the prompt' };

  readonly handlers = {
    'session/update': (frame: JsonObject): void => this.#updates.update(frame.params),
    'session/request_permission': (frame: JsonObject): void => this.#updates.permission(frame.params),
    answer: (frame: JsonObject): void => this.#answer(objectOf(frame.result)),
    error: (frame: JsonObject): void => {
      this.#ownError = acpOwnError(rpcErrorFrom(frame.error));
    },
    sent: (): void => undefined,
  };

  constructor(narration: Narration) {
    this.#narration = narration;
    this.#updates = new AcpUpdates(narration);
  }

  kindOf(frame: JsonObject): string | undefined {
    if (frame.dir === '->') return 'sent';
    if (frame.error !== undefined) return 'error';
    return fieldAt(frame, 'result') === undefined ? textOf(frame.method) : 'answer';
  }

  conclude(exit: AgentExit, stderrTail: string): AgentReport {
    this.#updates.flush();
    return concludeNarration(this.#narration, { exit, ownError: this.#ownError, stderrTail });
  }

  #answer(result: JsonObject): void {
    if (textOf(result.stopReason) === undefined) return;
    this.#ownError = this.#updates.promptAnswered(result);
  }
}
