import type { ModelMessage } from '../model.ts';
import type { Conversation, ScriptedReply } from './conversation.ts';
import type { ScriptFault } from './script.ts';

/** One request as the server understood it, and what became of it. Keys are never kept. */
export interface LoggedRequest {
  /** From 1, in the order of arrival. */
  readonly number: number;
  /** Name of the dialect, or the path of the URL when no dialect knows it. */
  readonly path: string;
  readonly hasKey: boolean;
  /** Null when the request was refused before it could be read. */
  readonly conversation: Conversation | null;
  /** The rule that answered, counted from 1; null when none did. */
  readonly rule: number | null;
  /** The reply of the script, even when a fault keeps it from arriving. */
  readonly reply: ScriptedReply | null;
  readonly fault: ScriptFault | null;
  /** Why the request was refused. */
  readonly refusal: string | null;
}

const mostRequests = 10_000;
const mostCharacters = 50_000_000;

/** The last requests; the oldest make room when there are many, or when they are long. */
export class RequestLog {
  #requests: LoggedRequest[] = [];
  #characters = 0;
  #total = 0;

  get total(): number {
    return this.#total;
  }

  add(request: Omit<LoggedRequest, 'number'>): LoggedRequest {
    const logged = { number: ++this.#total, ...request };
    this.#requests.push(logged);
    this.#characters += charactersOf(logged);
    while (this.#requests.length > mostRequests || (this.#characters > mostCharacters && this.#requests.length > 1)) {
      const dropped = this.#requests.shift();
      if (dropped) this.#characters -= charactersOf(dropped);
    }
    return logged;
  }

  all(): readonly LoggedRequest[] {
    return [...this.#requests];
  }

  /** The messages up to and with a reply; undefined when it is not known any more. */
  messagesUpTo(replyId: string): readonly ModelMessage[] | undefined {
    const found = this.#requests.findLast(({ reply }) => reply?.id === replyId);
    if (!found?.conversation || !found.reply) return undefined;
    const { text, toolCalls } = found.reply;
    return [...found.conversation.messages, { role: 'assistant', content: text, toolCalls }];
  }

  reset(): void {
    this.#requests = [];
    this.#characters = 0;
    this.#total = 0;
  }
}

function charactersOf({ conversation, reply }: LoggedRequest): number {
  return (conversation?.characters ?? 0) + (reply?.text.length ?? 0);
}
