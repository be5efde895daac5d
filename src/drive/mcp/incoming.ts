import { printable } from '../../shared/text.ts';
import { type Refusal, refusalText } from './schemas/refusal.ts';
import type { RefusalListener, ServerRequestHandler } from './session.ts';

/** A kind of violation: notifications and requests that no official client takes. */
export const refusedMessages = 'messages that official clients refuse';

const shownChars = 120;

/** Messages of a server that break the protocol and are ignored; the first of each kind is kept. */
export class ProtocolViolations {
  readonly #kinds = new Map<string, { count: number; readonly first: string }>();

  /** `kind` is the rest of a sentence in the plural: "lines that are not messages". Gives how many there were. */
  note(kind: string, example: () => string): number {
    const earlier = this.#kinds.get(kind);
    if (earlier) return ++earlier.count;
    this.#kinds.set(kind, { count: 1, first: printable(example().slice(0, shownChars)) });
    return 1;
  }

  /** One sentence part for each kind. */
  texts(): string[] {
    return [...this.#kinds].map(([kind, { count, first }]) => `${count} ${kind}, the first: ${first}`);
  }
}

type Listener = (params: unknown, method: string) => void;

/** Something that takes messages with any of these methods. */
interface Taker<Take> {
  readonly methods: ReadonlySet<string>;
  readonly take: Take;
}

/** Handlers of the notifications and requests that a server sends; they outlive a connection that is reopened. */
export class IncomingHandlers {
  readonly violations = new ProtocolViolations();
  readonly #listeners = new Set<Taker<Listener>>();
  readonly #refusalListeners = new Set<RefusalListener>();
  /** In the order in which they came. */
  readonly #handlers = new Set<Taker<ServerRequestHandler>>([takerOf('ping', async () => ({}))]);

  /** Called whenever a listener is added. */
  onListening: (() => void) | undefined;

  onNotification(methods: string | ReadonlySet<string>, listener: Listener): Disposable {
    const taker = takerOf(methods, listener);
    this.#listeners.add(taker);
    this.onListening?.();
    return { [Symbol.dispose]: () => this.#listeners.delete(taker) };
  }

  isListenedTo(method: string): boolean {
    for (const { methods } of this.#listeners) if (methods.has(method)) return true;
    return false;
  }

  notify(method: string, params: unknown): void {
    for (const { methods, take } of this.#listeners) if (methods.has(method)) take(params, method);
  }

  /** A notification or request that official clients do not take is not delivered; those who listen hear why. */
  refuse(method: string, refusal: Refusal): void {
    this.violations.note(refusedMessages, () => `${method}, ${refusalText(refusal)}`);
    for (const listener of this.#refusalListeners) listener(method, refusal);
  }

  onRefused(listener: RefusalListener): Disposable {
    this.#refusalListeners.add(listener);
    return { [Symbol.dispose]: () => this.#refusalListeners.delete(listener) };
  }

  onRequest(methods: string | ReadonlySet<string>, handler: ServerRequestHandler): Disposable {
    const taker = takerOf(methods, handler);
    this.#handlers.add(taker);
    return { [Symbol.dispose]: () => this.#handlers.delete(taker) };
  }

  /** The one that came last. */
  handlerOf(method: string): ServerRequestHandler | undefined {
    let last: ServerRequestHandler | undefined;
    for (const { methods, take } of this.#handlers) if (methods.has(method)) last = take;
    return last;
  }
}

function takerOf<Take>(methods: string | ReadonlySet<string>, take: Take): Taker<Take> {
  return { methods: typeof methods === 'string' ? new Set([methods]) : methods, take };
}
