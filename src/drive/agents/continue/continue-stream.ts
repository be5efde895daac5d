import type { AgentExit, AgentReport, OpenAgentStream } from '../agent.ts';
import type { OwnError } from '../conclude.ts';
import { concludeNarration } from '../conclude-narration.ts';
import { type JsonLineReader, openJsonLines } from '../json-line-stream.ts';
import { type JsonObject, textOf } from '../json-shapes.ts';
import type { Narration } from '../narration.ts';

/** Reads the one line that there is: the final answer, and nothing of how it came about. */
export const openContinueStream = ((emit) =>
  openJsonLines(emit, (narration) => new ContinueReader(narration))) satisfies OpenAgentStream;

class ContinueReader implements JsonLineReader {
  readonly #narration: Narration;
  #ownError: OwnError | undefined;

  readonly handlers = {
    answer: (line: JsonObject): void => this.#answer(line),
    // An answer that is JSON by itself is printed as it is.
    bare: (line: JsonObject): void => this.#narration.assistant(JSON.stringify(line)),
  };

  constructor(narration: Narration) {
    this.#narration = narration;
  }

  kindOf(line: JsonObject): string {
    return typeof line.status === 'string' ? 'answer' : 'bare';
  }

  conclude(exit: AgentExit, stderrTail: string): AgentReport {
    return concludeNarration(this.#narration, { exit, ownError: this.#ownError, stderrTail });
  }

  #answer(line: JsonObject): void {
    this.#narration.assistant(textOf(line.response) ?? '');
    if (line.status === 'success') return;
    this.#ownError = { message: textOf(line.message) ?? textOf(line.error) ?? `it ended with ${String(line.status)}` };
  }
}
