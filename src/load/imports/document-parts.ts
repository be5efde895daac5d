import { isRecord } from '../../shared/json.ts';
import type { ScannedPart } from '../sources/json-scanner.ts';
import { type JsonObject, parseJson } from './coerce.ts';

/** A JSON value of a file: one of its lines, an element of its list, or of a requested member. */
export interface SourceRecord {
  readonly value: unknown;
  readonly line: number;
  readonly isElement: boolean;
  /** The member of which it is an element. */
  readonly key: string | undefined;
  /** The members of its document that were read before it, without the requested ones. */
  readonly head: JsonObject;
  /** Which document, or which line that is one, from 1. */
  readonly document: number;
}

/** The records of one JSON value: the elements of a list, or of the requested members. */
export function* recordsOf(
  value: unknown,
  splitKeys: ReadonlySet<string>,
  line: number,
  document: number,
): Generator<SourceRecord, void> {
  const whole = { line, document, key: undefined, head: {}, isElement: false };
  if (Array.isArray(value)) {
    for (const element of value) yield { ...whole, value: element, isElement: true };
    return;
  }
  const members = isRecord(value) ? membersOf(value, splitKeys) : [];
  const lists = members.filter(([key, part]) => splitKeys.has(key) && Array.isArray(part));
  if (lists.length === 0) {
    yield { ...whole, value };
    return;
  }
  const head = Object.fromEntries(members.filter(([key]) => !lists.some(([name]) => name === key)));
  for (const [key, list] of lists) {
    for (const element of list as unknown[]) yield { ...whole, value: element, key, head, isElement: true };
  }
}

/** The members of an object; those of a member that is split within are named `a.b`. */
function membersOf(value: JsonObject, splitKeys: ReadonlySet<string>): [string, unknown][] {
  return Object.entries(value).flatMap(([key, part]) => {
    const isOpened = isRecord(part) && [...splitKeys].some((splitKey) => splitKey.startsWith(`${key}.`));
    return isOpened
      ? Object.entries(part).map(([name, inner]): [string, unknown] => [`${key}.${name}`, inner])
      : [[key, part]];
  });
}

/** Reassembles documents from their parts, except for the requested members. */
export class DocumentParts {
  readonly #splitKeys: ReadonlySet<string>;
  readonly #onBroken: (line: number) => void;
  #head: Record<string, unknown> = {};
  #document = 0;
  #line = 1;
  #isSplit = false;

  constructor(splitKeys: ReadonlySet<string>, onBroken: (line: number) => void) {
    this.#splitKeys = splitKeys;
    this.#onBroken = onBroken;
  }

  *take({ text, line, key, isElement, document }: ScannedPart): Generator<SourceRecord, void> {
    if (document !== this.#document) yield* this.#begin(document, line);
    const value = parseJson(text);
    if (value === undefined) this.#onBroken(line);
    else if (isElement || key === undefined) {
      this.#isSplit ||= key !== undefined;
      yield { value, line, key, isElement, document, head: this.#head };
    } else if (!this.#splitKeys.has(key)) this.#head[key] = value;
  }

  *finish(): Generator<SourceRecord, void> {
    if (this.#isSplit || Object.keys(this.#head).length === 0) return;
    const { value, line, document } = { value: this.#head, line: this.#line, document: this.#document };
    yield { value, line, document, key: undefined, isElement: false, head: {} };
  }

  *#begin(document: number, line: number): Generator<SourceRecord, void> {
    yield* this.finish();
    this.#head = {};
    this.#isSplit = false;
    this.#document = document;
    this.#line = line;
  }
}
