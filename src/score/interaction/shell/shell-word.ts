/** A word of a command line after quotes and escapes were taken away. */
export interface ShellWord {
  /** Expansions stay as they were written, except for commands, which become `$()`. */
  readonly text: string;
  /** Whether the program gets exactly this text: nothing in it is expanded. */
  readonly isExact: boolean;
  readonly isQuoted: boolean;
  /** Commands whose output becomes part of the word. */
  readonly substitutions: readonly ShellList[];
}

/** A program and its arguments. */
export interface SimpleCommand {
  readonly kind: 'simple';
  readonly words: readonly ShellWord[];
  /** Commands in its redirections, such as `<(…)`. */
  readonly substitutions: readonly ShellList[];
  /** The head of a `for` or `case`: its words are no command. */
  readonly isHeader: boolean;
  /** Inside `if`, loops, `case` or a function: the text does not show whether and how often it ran. */
  readonly isConditional: boolean;
}

/** A list in parentheses. */
interface Subshell {
  readonly kind: 'subshell';
  readonly list: ShellList;
  readonly isConditional: boolean;
}

export type ShellCommand = SimpleCommand | Subshell;

/** Commands joined by `|`; there is always one. */
export interface Pipeline {
  readonly commands: readonly ShellCommand[];
  /** `!` in front of it. */
  readonly isNegated: boolean;
}

/** Pipelines joined by `&&` and `||`, which the shell groups from the left. */
export interface AndOrChain {
  readonly first: Pipeline;
  readonly rest: readonly { readonly operator: '&&' | '||'; readonly pipeline: Pipeline }[];
  readonly isBackground: boolean;
}

/** Commands separated by `;`, `&` or line ends. */
export type ShellList = readonly AndOrChain[];

/** Reads a list of commands up to the parenthesis that closes it, which is read too. */
type ReadSubstitution = () => ShellList;

/** Reads a list of commands from a separate text. */
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

/** A place in a shell text; everything is read once, from the left to the right. */
export class ShellReader {
  readonly text: string;
  position = 0;
  readonly #hereDocuments: { readonly delimiter: string; readonly isIndented: boolean }[] = [];

  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    return this.position >= this.text.length;
  }

  /** The next character, or the one that many places further; empty behind the end. */
  peek(ahead = 0): string {
    return this.text[this.position + ahead] ?? '';
  }

  startsWith(prefix: string): boolean {
    return this.text.startsWith(prefix, this.position);
  }

  /** Reads on behind the next occurrence of the text, or to the end; gives what lies before it. */
  takeUntil(end: string): string {
    const found = this.text.indexOf(end, this.position);
    const stop = found === -1 ? this.text.length : found;
    const taken = this.text.slice(this.position, stop);
    this.position = found === -1 ? stop : stop + end.length;
    return taken;
  }

  /** Reads on behind the next such character that has no backslash before it, or to the end. */
  takeUntilUnescaped(end: string): string {
    const start = this.position;
    while (!this.isAtEnd && this.peek() !== end) this.position += this.peek() === '\\' ? 2 : 1;
    const taken = this.text.slice(start, this.position);
    this.position += 1;
    return taken;
  }

  /** Reads blanks, escaped line ends and comments, which run up to the line end. */
  skipBlanks(): void {
    for (;;) {
      if (this.peek() === ' ' || this.peek() === '\t' || this.peek() === '\r') this.position += 1;
      else if (this.startsWith('\\\n')) this.position += 2;
      else if (this.peek() === '#') this.#skipComment();
      else return;
    }
  }

  /** Reads blanks and line ends. */
  skipLineEnds(): void {
    for (this.skipBlanks(); this.peek() === '\n'; this.skipBlanks()) this.takeLineEnd();
  }

  #skipComment(): void {
    const end = this.text.indexOf('\n', this.position);
    this.position = end === -1 ? this.text.length : end;
  }

  /** Its body begins after the next line end. */
  expectHereDocument(delimiter: string, isIndented: boolean): void {
    this.#hereDocuments.push({ delimiter, isIndented });
  }

  /** Reads a line end and the bodies of the here-documents that were announced before it. */
  takeLineEnd(): void {
    this.position += 1;
    for (const { delimiter, isIndented } of this.#hereDocuments.splice(0)) {
      while (!this.isAtEnd) {
        const line = this.takeUntil('\n').replace(/\r$/, '');
        if ((isIndented ? line.replace(/^\t+/, '') : line) === delimiter) break;
      }
    }
  }
}
