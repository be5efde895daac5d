import { type Token, tokenizer, tokTypes } from 'acorn';
import type { DataPath } from './parsed-source.ts';

/** A member of a literal, by the indices of its first tokens. */
interface Member {
  readonly key: number;
  readonly value: number;
}

const openers = new Set([tokTypes.braceL, tokTypes.bracketL, tokTypes.parenL, tokTypes.dollarBraceL]);
const closers = new Set([tokTypes.braceR, tokTypes.bracketR, tokTypes.parenR]);
const endsOfExpression = new Set([tokTypes.comma, tokTypes.semi, tokTypes.eof, ...closers]);
const mostHops = 20;

/**
 * Positions in the literal that a module exports. They are read from the tokens, which JavaScript and TypeScript share:
 * objects, lists, calls of `define…`, and names of constants are followed; anything else that is computed is not.
 */
export class LiteralPositions {
  readonly #tokens: readonly Token[];
  /** Index of the closing token by that of the opening one. */
  readonly #ends: ReadonlyMap<number, number>;
  readonly #root: number | undefined;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
    this.#ends = pairs(this.#tokens);
    this.#root = this.#exported();
  }

  /** Offset of the value at a path, or of the nearest value around it that can be located. */
  value(path: DataPath): number {
    return this.#start(this.#find(path).member.value);
  }

  /** The same for a key of the object at a path; in a computed object, a key that the module mentions once is that one. */
  key(path: DataPath, key: string): number {
    const { member, isComputed } = this.#find([...path, key]);
    return this.#start((isComputed ? this.#onlyMention(key) : undefined) ?? member.key);
  }

  #find(path: DataPath): { readonly member: Member; readonly isComputed: boolean } {
    let member: Member = { key: this.#root ?? -1, value: this.#root ?? -1 };
    for (const step of path) {
      const literal = this.#literal(member.value);
      const next = literal === undefined ? undefined : this.#member(literal, step);
      if (!next) return { member, isComputed: literal === undefined || this.#hasSpread(literal) };
      member = next;
    }
    return { member, isComputed: false };
  }

  #start(token: number): number {
    return this.#tokens[token]?.start ?? 0;
  }

  /** Index of the first token of what the module exports. */
  #exported(): number | undefined {
    const tokens = this.#tokens;
    for (const [index, { type }] of tokens.entries()) {
      if (type === tokTypes._export && tokens[index + 1]?.type === tokTypes._default) return index + 2;
      const isCommonJs = nameAt(tokens, index) === 'module' && nameAt(tokens, index + 2) === 'exports';
      if (isCommonJs && tokens[index + 3]?.type === tokTypes.eq) return index + 4;
    }
    return undefined;
  }

  /** Index of the opening token of the literal that an expression stands for; undefined where it is computed. */
  #literal(start: number): number | undefined {
    let at: number | undefined = start;
    for (let hop = 0; hop < mostHops && at !== undefined; hop++) {
      const type: Token['type'] | undefined = this.#tokens[at]?.type;
      if (type === tokTypes.braceL || type === tokTypes.bracketL) return at;
      at = this.#next(at);
    }
    return undefined;
  }

  /** Where the expression goes on that parentheses, a call of `define…` or the name of a constant stands for. */
  #next(at: number): number | undefined {
    const tokens = this.#tokens;
    if (tokens[at]?.type === tokTypes.parenL) {
      const after = (this.#ends.get(at) ?? at) + 1;
      return tokens[after]?.type === tokTypes.arrow ? after + 1 : at + 1;
    }
    const name = nameAt(tokens, at);
    if (name === undefined) return undefined;
    if (name === 'await' || name === 'async') return at + 1;
    const following = tokens[at + 1];
    if (following?.type === tokTypes.parenL) return /^define[A-Z]/.test(name) ? at + 2 : undefined;
    const isWhole =
      following === undefined ||
      endsOfExpression.has(following.type) ||
      ['as', 'satisfies'].includes(nameAt(tokens, at + 1) ?? '');
    return isWhole ? this.#constant(name) : undefined;
  }

  /** Index of the first token of the value of a constant; undefined for a name that is declared twice. */
  #constant(name: string): number | undefined {
    const declared = [...this.#tokens.keys()].filter(
      (index) => this.#tokens[index]?.type === tokTypes._const && nameAt(this.#tokens, index + 1) === name,
    );
    const [only] = declared;
    if (only === undefined || declared.length > 1) return undefined;
    for (let at = only + 2; at < this.#tokens.length; at = this.#after(at)) {
      const type = this.#tokens[at]?.type;
      if (type === tokTypes.eq) return at + 1;
      if (type === tokTypes.semi) return undefined;
    }
    return undefined;
  }

  /** Index of the token behind this one, and behind everything in its brackets. */
  #after(at: number): number {
    return (this.#ends.get(at) ?? at) + 1;
  }

  #member(opening: number, step: PropertyKey): Member | undefined {
    const isList = this.#tokens[opening]?.type === tokTypes.bracketL;
    if (isList !== (typeof step === 'number')) return undefined;
    const starts = this.#entries(opening);
    if (typeof step === 'number') {
      const isShifted = starts.slice(0, step + 1).some((start) => this.#tokens[start]?.type === tokTypes.ellipsis);
      const start = isShifted ? undefined : starts[step];
      return start === undefined ? undefined : { key: start, value: start };
    }
    // The last one with a key decides, as it does when the module runs.
    return starts.reduce<Member | undefined>((found, start) => this.#entry(start, step) ?? found, undefined);
  }

  #hasSpread(opening: number): boolean {
    return this.#entries(opening).some((start) => this.#tokens[start]?.type === tokTypes.ellipsis);
  }

  /** Indices of the first tokens of all entries of a literal. */
  #entries(opening: number): number[] {
    const end = this.#ends.get(opening) ?? this.#tokens.length;
    const starts: number[] = [];
    let isStart = true;
    for (let at = opening + 1; at < end; at = this.#after(at)) {
      if (isStart) starts.push(at);
      isStart = this.#tokens[at]?.type === tokTypes.comma;
    }
    return starts;
  }

  /** The entry of an object if it has this key, be it through a spread constant. */
  #entry(start: number, key: PropertyKey): Member | undefined {
    const tokens = this.#tokens;
    if (tokens[start]?.type === tokTypes.ellipsis) {
      const literal = this.#literal(start + 1);
      return literal === undefined ? undefined : this.#member(literal, key);
    }
    const isMethod = ['async', 'get', 'set'].includes(nameAt(tokens, start) ?? '') && isKey(tokens[start + 1]);
    const modified = isMethod ? start + 1 : start;
    const named = tokens[modified]?.type === tokTypes.star ? modified + 1 : modified;
    if (keyOf(tokens[named]) !== key) return undefined;
    return { key: named, value: tokens[named + 1]?.type === tokTypes.colon ? named + 2 : named };
  }

  #onlyMention(key: string): number | undefined {
    const tokens = this.#tokens;
    const mentions = [...tokens.keys()].filter((index) => {
      const before = tokens[index - 1]?.type;
      const isFirst = before === tokTypes.braceL || before === tokTypes.comma;
      return isFirst && keyOf(tokens[index]) === key && tokens[index + 1]?.type === tokTypes.colon;
    });
    return mentions.length === 1 ? mentions[0] : undefined;
  }
}

/** The tokens up to the first that cannot be read. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  try {
    for (const token of tokenizer(text, { ecmaVersion: 'latest', sourceType: 'module' })) tokens.push(token);
  } catch {
    // Positions behind this place are not known.
  }
  return tokens;
}

function pairs(tokens: readonly Token[]): Map<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (const [index, { type }] of tokens.entries()) {
    if (openers.has(type)) open.push(index);
    else if (closers.has(type)) {
      const opening = open.pop();
      if (opening !== undefined) ends.set(opening, index);
    }
  }
  return ends;
}

/** The name or keyword at an index. */
function nameAt(tokens: readonly Token[], index: number): string | undefined {
  const token = tokens[index];
  return token && (token.type === tokTypes.name || token.type.keyword !== undefined)
    ? String(textOf(token))
    : undefined;
}

function isKey(token: Token | undefined): boolean {
  return keyOf(token) !== undefined || token?.type === tokTypes.star;
}

function keyOf(token: Token | undefined): string | undefined {
  if (!token) return undefined;
  const isKeyType = [tokTypes.name, tokTypes.string, tokTypes.num].includes(token.type);
  return isKeyType || token.type.keyword !== undefined ? String(textOf(token)) : undefined;
}

/** The declarations of acorn leave out the value of a token. */
function textOf(token: Token): unknown {
  return (token as Token & { readonly value?: unknown }).value;
}
