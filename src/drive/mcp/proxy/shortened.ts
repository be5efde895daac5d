import { isRecord } from '../../../shared/json.ts';

const longestString = 65_536;
const perPartChars = 8;

/** The same JSON value with long parts left out, so that its text has hardly more characters than allowed. */
export function shortened(value: unknown, longestChars: number): unknown {
  return new Shortening(longestChars).of(value);
}

class Shortening {
  #left: number;

  constructor(left: number) {
    this.#left = left;
  }

  of(value: unknown): unknown {
    this.#left -= perPartChars;
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return this.#list(value);
    return isRecord(value) ? this.#record(value) : value;
  }

  #text(text: string): string {
    const room = Math.max(0, Math.min(longestString, this.#left));
    this.#left -= Math.min(room, text.length);
    return text.length <= room ? text : `${text.slice(0, room)} … ${text.length - room} characters left out …`;
  }

  #list(list: readonly unknown[]): unknown[] {
    const kept: unknown[] = [];
    for (const item of list) {
      if (this.#left <= 0) return [...kept, `… ${list.length - kept.length} more left out …`];
      kept.push(this.of(item));
    }
    return kept;
  }

  /** Small parts first: ids and flags say more than what a long text pushes out. */
  #record(record: Record<string, unknown>): Record<string, unknown> {
    const kept: [string, unknown][] = [];
    for (const [key, part] of Object.entries(record).sort(([, a], [, b]) => weight(a) - weight(b))) {
      if (this.#left <= 0) break;
      this.#left -= key.length;
      kept.push([key, this.of(part)]);
    }
    return Object.fromEntries(kept);
  }
}

function weight(part: unknown): number {
  if (typeof part === 'string') return part.length;
  return typeof part === 'object' && part !== null ? Number.MAX_SAFE_INTEGER : 0;
}
