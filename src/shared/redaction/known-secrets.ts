import { secretForms, secretValues } from './secret-forms.ts';
import { freeStarts, longestFreeValue, longestWriting, writtenLength } from './written-text.ts';

/** Replaces a known value; `[REDACTED]` replaces text with the shape of a secret. */
const mark = '[redacted]';

const windowLength = 3;

/** A text that is searched for. */
interface SoughtForm {
  readonly text: string;
  /** For a value as it is: escapes and letters in another case are the same. */
  readonly isFree: boolean;
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
  readonly #mayStart = new Uint8Array(tableSize);
  readonly #formsByStart = new Map<number, SoughtForm[]>();

  constructor(secrets: Iterable<string>) {
    const all = [...secrets];
    const values = new Set(all.flatMap(secretValues).filter(({ length }) => length <= longestFreeValue));
    const forms = [...new Set(all.flatMap(secretForms))].sort((a, b) => b.length - a.length);
    this.longestForm = forms.reduce((most, text) => Math.max(most, longestWriting(text, values.has(text))), 0);
    this.#shortestForm = forms.at(-1)?.length ?? Number.POSITIVE_INFINITY;
    for (const text of forms) {
      const isFree = values.has(text);
      const starts = new Set([text.slice(0, windowLength), ...(isFree ? freeStarts(text) : [])].map(codeOf));
      for (const start of starts) this.#add(start, { text, isFree });
    }
  }

  #add(start: number, form: SoughtForm): void {
    this.#mayStart[start] = 1;
    const others = this.#formsByStart.get(start);
    if (others) others.push(form);
    else this.#formsByStart.set(start, [form]);
  }

  /** The text without known values; the same text when it has none. */
  redact(text: string): string {
    return text.length < this.#shortestForm ? text : this.redactUntil(text, text.length, 0).clean;
  }

  /** Only values that begin before `limit` are looked for; the text from there on is not part of the answer. */
  redactUntil(text: string, limit: number, alreadyCovered: number): Progress {
    const mayStart = this.#mayStart;
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
      if (mayStart[start] === 0) continue;
      const length = this.#lengthAt(text, index, start);
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
    for (const form of this.#formsByStart.get(start) ?? []) {
      const length = writtenLength(text, index, form.text, form.isFree);
      if (length > 0) return length;
    }
    return 0;
  }
}

function codeOf(start: string): number {
  return startCode(start.charCodeAt(0), start.charCodeAt(1), start.charCodeAt(2));
}

function startCode(first: number, second: number, third: number): number {
  return (first * 961 + second * 31 + third) & (tableSize - 1);
}
