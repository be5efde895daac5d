import type { ShellReader } from './shell-reader.ts';
import type { ShellList, ShellWord } from './shell-syntax.ts';

/** Reads a list of commands up to the parenthesis that closes it, which is read too. */
type ReadSubstitution = () => ShellList;

/** Reads a list of commands that stands in a text of its own. */
type ReadScript = (text: string) => ShellList;

const wordEnd = /[ \t\r\n;&|<>()]/;
const expandsUnquoted = /[*?[{]/;

/** Reads one word at the reader's place, which must not be a blank. */
export class WordReader {
  readonly #reader: ShellReader;
  readonly #readSubstitution: ReadSubstitution;
  readonly #readScript: ReadScript;
  readonly #substitutions: ShellList[] = [];
  readonly #parts: string[] = [];
  #isExact = true;
  #isQuoted = false;

  constructor(reader: ShellReader, readSubstitution: ReadSubstitution, readScript: ReadScript) {
    this.#reader = reader;
    this.#readSubstitution = readSubstitution;
    this.#readScript = readScript;
  }

  read(): ShellWord {
    const reader = this.#reader;
    if (reader.peek() === '~') this.#isExact = false;
    while (!reader.isAtEnd && !wordEnd.test(reader.peek())) this.#readPart();
    if (reader.peek() === '(' && this.#parts.at(-1) === '=') this.#expand(reader.takeUntil(')'));
    return {
      text: this.#parts.join(''),
      isExact: this.#isExact,
      isQuoted: this.#isQuoted,
      substitutions: this.#substitutions,
    };
  }

  #readPart(): void {
    const reader = this.#reader;
    const character = reader.peek();
    if (character === '$' || character === '`') {
      this.#readExpansion();
      return;
    }
    reader.position += 1;
    if (character === "'") this.#addQuoted(reader.takeUntil("'"));
    else if (character === '"') this.#readDoubleQuoted();
    else if (character === '\\') this.#readEscaped();
    else this.#addPlain(character);
  }

  #addPlain(character: string): void {
    if (expandsUnquoted.test(character)) this.#isExact = false;
    this.#parts.push(character);
  }

  #addQuoted(text: string): void {
    this.#isQuoted = true;
    this.#parts.push(text);
  }

  #readEscaped(): void {
    const escaped = this.#reader.peek();
    this.#reader.position += 1;
    if (escaped !== '\n') this.#addQuoted(escaped);
  }

  #readDoubleQuoted(): void {
    const reader = this.#reader;
    this.#isQuoted = true;
    while (!reader.isAtEnd && reader.peek() !== '"') {
      const character = reader.peek();
      if (character === '$' || character === '`') {
        this.#readExpansion();
      } else if (character === '\\' && '$`"\\\n'.includes(reader.peek(1))) {
        reader.position += 1;
        this.#readEscaped();
      } else {
        this.#parts.push(character);
        reader.position += 1;
      }
    }
    reader.position += 1;
  }

  #readExpansion(): void {
    const reader = this.#reader;
    const isBackticks = reader.peek() === '`';
    reader.position += 1;
    const next = reader.peek();
    if (isBackticks) this.#readBackticks();
    else if (next === "'") this.#readEscapedQuote();
    else if (reader.startsWith('((')) this.#expand(`$${reader.takeUntil('))')}))`);
    else if (next === '(') this.#readParenthesis();
    else if (next === '{') this.#expand(`$${reader.takeUntil('}')}}`);
    else if (/[\w?!#@*$-]/.test(next)) this.#expand('$');
    else this.#parts.push('$');
  }

  /** `$'…'`, whose escapes are left as they are. */
  #readEscapedQuote(): void {
    this.#reader.position += 1;
    const text = this.#reader.takeUntilUnescaped("'");
    if (text.includes('\\')) this.#isExact = false;
    this.#addQuoted(text);
  }

  #readParenthesis(): void {
    this.#reader.position += 1;
    this.#substitutions.push(this.#readSubstitution());
    this.#expand('$()');
  }

  #readBackticks(): void {
    const script = this.#reader.takeUntilUnescaped('`').replace(/\\([\\`$])/g, '$1');
    this.#substitutions.push(this.#readScript(script));
    this.#expand('$()');
  }

  #expand(written: string): void {
    this.#isExact = false;
    this.#parts.push(written);
  }
}
