import { printable } from '../../shared/text.ts';
import type { ServerRequestHandler } from './session.ts';

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

type Listener = (params: unknown) => void;

/** Handlers of the notifications and requests that a server sends; they outlive a connection that is reopened. */
export class IncomingHandlers {
  readonly violations = new ProtocolViolations();
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #handlers = new Map<string, ServerRequestHandler[]>([['ping', [async () => ({})]]]);

  /** Called whenever a listener is added. */
  onListening: (() => void) | undefined;

  onNotification(method: string, listener: Listener): Disposable {
    const listeners = this.#listeners.get(method) ?? new Set();
    this.#listeners.set(method, listeners.add(listener));
    this.onListening?.();
    return { [Symbol.dispose]: () => listeners.delete(listener) };
  }

  isListenedTo(method: string): boolean {
    return (this.#listeners.get(method)?.size ?? 0) > 0;
  }

  notify(method: string, params: unknown): void {
    for (const listener of this.#listeners.get(method) ?? []) listener(params);
  }

  onRequest(method: string, handler: ServerRequestHandler): Disposable {
    this.#handlers.set(method, [...(this.#handlers.get(method) ?? []), handler]);
    return {
      [Symbol.dispose]: () => {
        const left = this.#handlers.get(method)?.filter((other) => other !== handler) ?? [];
        this.#handlers.set(method, left);
      },
    };
  }

  /** The one that came last. */
  handlerOf(method: string): ServerRequestHandler | undefined {
    return this.#handlers.get(method)?.at(-1);
  }
}
