import { sha256 } from '../../shared/ids.ts';
import { oneLine } from '../../shared/text.ts';
import type { ReceivedRequest } from '../wire/codec.ts';
import { openingText } from '../wire/request.ts';

interface Thread {
  readonly number: number;
  offersTools: boolean;
  isAboutTask: boolean;
  /** Of a task before the one that the agent has now. */
  isPast: boolean;
}

/** Long tasks are recognised by their beginning, without white space, which agents change in prompts. */
const longestTask = 400;

/** Distinguishes the conversations of an agent: its own, those of its sub-agents, and requests for titles and the like. */
export class CallThreads {
  readonly #threads = new Map<string, Thread>();
  #task = '';

  constructor(task: string) {
    this.beginTask(task);
  }

  /** The agent gets another task, and its conversations about the one before are over. */
  beginTask(task: string): void {
    this.#task = oneLine(task).slice(0, longestTask);
    for (const thread of this.#threads.values()) thread.isPast = true;
  }

  /** The number of the conversation that a request belongs to, from 1. */
  threadOf(request: ReceivedRequest, prompt: string): number {
    const { tools } = request;
    const key = sha256(`${tools.length > 0}\u0000${openingText(request)}`);
    const thread = this.#threads.get(key) ?? {
      number: this.#threads.size + 1,
      offersTools: tools.length > 0,
      isAboutTask: this.#task !== '' && prompt.includes(this.#task),
      isPast: false,
    };
    thread.isPast = false;
    this.#threads.set(key, thread);
    return thread.number;
  }

  /** The conversation in which the agent works on its task; undefined before there is any. */
  get main(): number | undefined {
    const threads = [...this.#threads.values()].filter(({ isPast }) => !isPast);
    const found =
      threads.find(({ offersTools, isAboutTask }) => offersTools && isAboutTask) ??
      threads.find(({ offersTools }) => offersTools) ??
      threads[0];
    return found?.number;
  }
}
