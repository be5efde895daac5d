import { pick, type Random } from '../../shared/seeded-random.ts';

/** A pattern that is written in a way which no sample can be made of. */
class NotSampled extends Error {}

const mostRepeats = 8;
const classes: Readonly<Record<string, string>> = {
  d: '0123456789',
  w: 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  s: ' ',
  '.': 'abcdefghij',
};
const printableCharacters = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));

/** A text that a pattern was meant for, in most cases; undefined where the pattern says what this does not know. */
export function samplePattern(pattern: string, random: Random): string | undefined {
  try {
    const reader = new PatternReader(pattern, random);
    const text = reader.alternatives();
    return reader.isAtEnd ? text : undefined;
  } catch (error) {
    if (error instanceof NotSampled) return undefined;
    throw error;
  }
}

/** Reads a pattern from left to right and writes a text that fits while it goes. */
class PatternReader {
  readonly #pattern: string;
  readonly #random: Random;
  #at = 0;

  constructor(pattern: string, random: Random) {
    this.#pattern = pattern;
    this.#random = random;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#pattern.length;
  }

  alternatives(): string {
    const texts = [this.#sequence()];
    while (this.#takes('|')) texts.push(this.#sequence());
    return pick(texts, this.#random) ?? '';
  }

  #sequence(): string {
    let text = '';
    while (!this.isAtEnd && !'|)'.includes(this.#next())) {
      const start = this.#at;
      const once = this.#atom();
      const end = this.#at;
      const count = this.#repeats();
      const after = this.#at;
      if (count > 0) text += once;
      // Each repetition is sampled again: a class gives several characters.
      for (let repeat = 1; repeat < count; repeat++) {
        this.#at = start;
        text += this.#atom();
        if (this.#at !== end) throw new NotSampled();
      }
      this.#at = after;
    }
    return text;
  }

  #atom(): string {
    const character = this.#take();
    if (character === '^' || character === '$') return '';
    if (character === '(') return this.#group();
    if (character === '[') return this.#class();
    if (character === '\\') return this.#escaped();
    if (character === '.') return pick([...(classes['.'] ?? '')], this.#random) ?? '';
    if ('*+?{'.includes(character)) throw new NotSampled();
    return character;
  }

  #group(): string {
    if (this.#takes('?') && !this.#takes(':')) throw new NotSampled();
    const text = this.alternatives();
    if (!this.#takes(')')) throw new NotSampled();
    return text;
  }

  #escaped(): string {
    const character = this.#take();
    const members = classes[character];
    if (character !== '.' && members !== undefined) return pick([...members], this.#random) ?? '';
    if (/[A-Za-z0-9]/.test(character)) throw new NotSampled();
    return character;
  }

  #class(): string {
    const isNegated = this.#takes('^');
    const members = new Set<string>();
    for (let isFirst = true; isFirst || this.#next() !== ']'; isFirst = false) this.#classMembers(members);
    this.#take();
    const allowed = isNegated ? printableCharacters.filter((character) => !members.has(character)) : [...members];
    const chosen = pick(allowed, this.#random);
    if (chosen === undefined) throw new NotSampled();
    return chosen;
  }

  #classMembers(members: Set<string>): void {
    const first = this.#take();
    if (first === '\\') {
      const escaped = this.#take();
      const named = classes[escaped];
      if (escaped !== '.' && named !== undefined) for (const character of named) members.add(character);
      else if (/[A-Za-z0-9]/.test(escaped)) throw new NotSampled();
      else members.add(escaped);
      return;
    }
    if (this.#next() !== '-' || this.#pattern[this.#at + 1] === ']') {
      members.add(first);
      return;
    }
    this.#take();
    const last = this.#take();
    if (last === '\\' || last < first) throw new NotSampled();
    for (let code = first.charCodeAt(0); code <= last.charCodeAt(0); code++) members.add(String.fromCharCode(code));
  }

  #repeats(): number {
    const rest = this.#pattern.slice(this.#at);
    const [quantifier, least, comma, most] = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(rest) ?? [];
    if (quantifier === undefined) return 1;
    this.#at += quantifier.length;
    if (least === undefined)
      return this.#between(quantifier.startsWith('+') ? 1 : 0, quantifier.startsWith('?') ? 1 : 4);
    const low = Number(least);
    if (comma === '') return low;
    return this.#between(low, most ? Math.min(Number(most), low + mostRepeats) : low + 2);
  }

  #between(low: number, high: number): number {
    return low + Math.floor(this.#random() * (high - low + 1));
  }

  #next(): string {
    return this.#pattern[this.#at] ?? '';
  }

  #take(): string {
    if (this.isAtEnd) throw new NotSampled();
    const character = this.#pattern[this.#at] ?? '';
    this.#at++;
    return character;
  }

  #takes(character: string): boolean {
    if (this.#next() !== character) return false;
    this.#at++;
    return true;
  }
}
