import { hexForms, secretForms, secretValues } from './secret-forms.ts';
import {
  beginsEscape,
  escapesAt,
  type Freedom,
  firstCharacters,
  longestFreeValue,
  longestWriting,
  otherStarts,
  writtenLength,
} from './written-text.ts';

/** Replaces a known value; `[REDACTED]` replaces text with the shape of a secret. */
const mark = '[redacted]';

const windowLength = 3;

/** A text that is searched for. */
interface SoughtForm {
  readonly text: string;
  readonly freedom: Freedom;
}

const tableSize = 1 << 16;

/** Where a text is being read, and how far it is covered by a secret that has its mark already. */
interface Progress {
  readonly clean: string;
  readonly coveredUntil: number;
}

/**
 * Finds the known values in one pass, however many there are: a table shows by three characters whether one may begin
 * here. Values that overlap are taken out together, so no end of one is left behind.
 */
export class KnownSecrets {
  readonly longestForm: number;
  readonly #shortestForm: number;
  /** By the first three characters, and by the first two where a writing differs behind the first. */
  readonly #mayStart = new Uint8Array(tableSize);
  readonly #mayStartByTwo = new Uint8Array(tableSize);
  readonly #formsByStart = new Map<number, SoughtForm[]>();
  /** Values by their first character, for texts in which it is escaped. */
  readonly #valuesByFirst = new Map<string, SoughtForm[]>();

  constructor(secrets: Iterable<string>) {
    const all = [...secrets];
    const values = new Set(all.flatMap(secretValues).filter(({ length }) => length <= longestFreeValue));
    const bytes = new Set(all.flatMap(secretValues).flatMap(hexForms));
    const freedomOf = (text: string): Freedom => (values.has(text) ? 'free' : bytes.has(text) ? 'hex' : 'as it is');
    const texts = [...new Set(all.flatMap(secretForms))].sort((a, b) => b.length - a.length);
    const forms = texts.map((text) => ({ text, freedom: freedomOf(text) }));
    this.longestForm = forms.reduce((most, { text, freedom }) => Math.max(most, longestWriting(text, freedom)), 0);
    this.#shortestForm = texts.at(-1)?.length ?? Number.POSITIVE_INFINITY;
    for (const form of forms) this.#addForm(form);
  }

  #addForm(form: SoughtForm): void {
    const { text, freedom } = form;
    const starts = [text.slice(0, windowLength), ...otherStarts(text, freedom)];
    const [short, long] = [starts.filter(isShort), starts.filter((start) => !isShort(start))];
    for (const code of new Set(long.map(codeOf))) this.#add(this.#mayStart, code, form);
    for (const code of new Set(short.map(codeOfTwo))) this.#add(this.#mayStartByTwo, code, form);
    if (freedom === 'free') for (const first of firstCharacters(text)) addTo(this.#valuesByFirst, first, form);
  }

  #add(table: Uint8Array, code: number, form: SoughtForm): void {
    table[code] = 1;
    const start = table === this.#mayStart ? code : code + tableSize;
    addTo(this.#formsByStart, start, form);
  }

  /** The text without known values; the same text when it has none. */
  redact(text: string): string {
    return text.length < this.#shortestForm ? text : this.redactUntil(text, text.length, 0).clean;
  }

  /** Only values that begin before `limit` are looked for; the text from there on is not part of the answer. */
  redactUntil(text: string, limit: number, alreadyCovered: number): Progress {
    const [mayStart, mayStartByTwo] = [this.#mayStart, this.#mayStartByTwo];
    let clean = '';
    let written = Math.min(alreadyCovered, limit);
    let coveredUntil = alreadyCovered;
    const last = Math.min(limit - 1, text.length - windowLength);
    let second = text.charCodeAt(0);
    let third = text.charCodeAt(1);
    for (let index = 0; index <= last; index++) {
      const first = second;
      second = third;
      third = text.charCodeAt(index + 2);
      const start = startCode(first, second, third);
      const startByTwo = startCodeOfTwo(first, second);
      let length = mayStart[start] === 0 ? 0 : this.#lengthAt(text, index, start);
      if (length === 0 && mayStartByTwo[startByTwo] !== 0) length = this.#lengthAt(text, index, startByTwo + tableSize);
      if (length === 0 && beginsEscape(first)) length = this.#lengthOfEscaped(text, index);
      if (length === 0) continue;
      if (index >= coveredUntil) {
        clean += text.slice(written, index) + mark;
      }
      coveredUntil = Math.max(coveredUntil, index + length);
      written = Math.min(coveredUntil, limit);
    }
    if (written === 0 && limit === text.length) return { clean: text, coveredUntil };
    return { clean: clean + text.slice(written, limit), coveredUntil };
  }

  #lengthAt(text: string, index: number, start: number): number {
    return longest(text, index, this.#formsByStart.get(start));
  }

  #lengthOfEscaped(text: string, index: number): number {
    for (const { character } of escapesAt(text, index)) {
      const length = longest(text, index, this.#valuesByFirst.get(character));
      if (length > 0) return length;
    }
    return 0;
  }
}

/** Forms are sorted by their length. */
function longest(text: string, index: number, forms: readonly SoughtForm[] = []): number {
  for (const form of forms) {
    const length = writtenLength(text, index, form.text, form.freedom);
    if (length > 0) return length;
  }
  return 0;
}

function addTo<Key>(map: Map<Key, SoughtForm[]>, key: Key, form: SoughtForm): void {
  const others = map.get(key);
  if (others) others.push(form);
  else map.set(key, [form]);
}

function isShort({ length }: string): boolean {
  return length < windowLength;
}

function codeOfTwo(start: string): number {
  return startCodeOfTwo(start.charCodeAt(0), start.charCodeAt(1));
}

function startCodeOfTwo(first: number, second: number): number {
  return ((first << 8) ^ second) & (tableSize - 1);
}

function codeOf(start: string): number {
  return startCode(start.charCodeAt(0), start.charCodeAt(1), start.charCodeAt(2));
}

function startCode(first: number, second: number, third: number): number {
  return (first * 961 + second * 31 + third) & (tableSize - 1);
}
