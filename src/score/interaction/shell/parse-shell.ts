import {
  type AndOrChain,
  type Pipeline,
  type ShellCommand,
  type ShellList,
  ShellReader,
  type ShellWord,
  WordReader,
} from './shell-word.ts';

const openers = new Set(['if', 'while', 'until', 'for', 'case', 'select', 'function']);
const headed = new Set(['for', 'case', 'select', 'function']);
const closers = new Set(['fi', 'done', 'esac']);
const separators = new Set(['then', 'else', 'elif', 'do', '{', '}', '!']);

/** Knows whether what is being read lies inside `if`, a loop, `case` or a function. */
class OpenKeywords {
  #open = 0;

  get isInside(): boolean {
    return this.#open > 0;
  }

  /** Takes note of a word that stands where a command begins; says whether it is a keyword. */
  note(word: string): boolean {
    if (openers.has(word)) this.#open += 1;
    else if (closers.has(word)) this.#open = Math.max(0, this.#open - 1);
    else return separators.has(word);
    return true;
  }

  /** The end of a function body cannot be distinguished from that of a group. */
  noteFunction(): void {
    this.#open += 1;
  }
}

/** Whether the words behind a keyword are no command. */
function hasHeader(keyword: string): boolean {
  return headed.has(keyword);
}

/** Parentheses, substitutions and scripts inside scripts that lie deeper than this are not looked into. */
const maxShellDepth = 30;

/**
 * The commands of a shell text. Every text gives some list: what is not closed ends with the text, and what has no
 * place is passed over.
 */
export function parseShell(text: string, depth = 0): ShellList {
  return depth > maxShellDepth ? [] : new ShellParser(text, depth).list(false);
}

/** Parts of one command read so far. */
interface CommandInProgress {
  readonly words: ShellWord[];
  readonly substitutions: ShellList[];
  subshell: ShellList | undefined;
  isHeader: boolean;
  isNegated: boolean;
  isComplete: boolean;
}

class ShellParser {
  readonly #reader: ShellReader;
  #depth: number;
  #keywords = new OpenKeywords();

  constructor(text: string, depth: number) {
    this.#reader = new ShellReader(text);
    this.#depth = depth;
  }

  /** Commands up to the end, or up to the parenthesis that closes a group. */
  list(isGroup: boolean): ShellList {
    const chains: AndOrChain[] = [];
    const reader = this.#reader;
    for (;;) {
      reader.skipBlanks();
      if (reader.isAtEnd || (isGroup && reader.peek() === ')')) return chains;
      if (reader.peek() === '\n') reader.takeLineEnd();
      else if (';)|&'.includes(reader.peek()) && !reader.startsWith('&>')) reader.position += 1;
      else chains.push(this.#chain());
    }
  }

  #chain(): AndOrChain {
    const first = this.#pipeline();
    const rest: { operator: '&&' | '||'; pipeline: Pipeline }[] = [];
    const reader = this.#reader;
    while (reader.startsWith('&&') || reader.startsWith('||')) {
      const operator = reader.peek() === '&' ? '&&' : '||';
      reader.position += 2;
      reader.skipLineEnds();
      rest.push({ operator, pipeline: this.#pipeline() });
    }
    return { first, rest, isBackground: reader.peek() === '&' };
  }

  #pipeline(): Pipeline {
    const first = this.#command();
    const commands = [first.command];
    const reader = this.#reader;
    while (reader.peek() === '|' && reader.peek(1) !== '|') {
      reader.position += reader.peek(1) === '&' ? 2 : 1;
      reader.skipLineEnds();
      commands.push(this.#command().command);
    }
    return { commands, isNegated: first.isNegated };
  }

  #command(): { command: ShellCommand; isNegated: boolean } {
    const marks = { subshell: undefined, isHeader: false, isNegated: false, isComplete: false };
    const progress: CommandInProgress = { words: [], substitutions: [], ...marks };
    const wasInside = this.#keywords.isInside;
    while (!progress.isComplete) this.#readCommandPart(progress);
    const { words, substitutions, subshell, isHeader, isNegated } = progress;
    const isConditional = wasInside || this.#keywords.isInside;
    if (subshell) return { command: { kind: 'subshell', list: subshell, isConditional }, isNegated };
    return { command: { kind: 'simple', words, substitutions, isHeader, isConditional }, isNegated };
  }

  #readCommandPart(progress: CommandInProgress): void {
    const reader = this.#reader;
    reader.skipBlanks();
    const next = reader.peek();
    if (next === '<' || next === '>' || reader.startsWith('&>')) this.#redirection(progress);
    else if (next === '(') this.#parenthesis(progress);
    else if (next === '' || '\n;&|)'.includes(next)) progress.isComplete = true;
    else this.#word(progress);
  }

  #word(progress: CommandInProgress): void {
    const word = this.#readWord();
    const isDescriptor = !word.isQuoted && /^\d+$/.test(word.text) && /^[<>]/.test(this.#reader.peek());
    if (isDescriptor) return;
    const isPlace = progress.words.length === 0 && !progress.subshell && !progress.isHeader && !word.isQuoted;
    if (isPlace && this.#keywords.note(word.text)) {
      progress.isHeader = hasHeader(word.text);
      progress.isNegated ||= word.text === '!';
    } else {
      progress.words.push(word);
    }
  }

  /** `(…)` at the start is a group, or arithmetic; `()` behind a word makes a function, which may run or not. */
  #parenthesis(progress: CommandInProgress): void {
    const reader = this.#reader;
    const isFunction = progress.words.length > 0 && reader.startsWith('()');
    if (isFunction) {
      reader.position += 2;
      this.#keywords.noteFunction();
      progress.isHeader = true;
      progress.isComplete = true;
    } else if (progress.words.length > 0 || progress.subshell) {
      reader.position += 1;
    } else if (reader.startsWith('((')) {
      reader.takeUntil('))');
    } else {
      reader.position += 1;
      progress.subshell = this.#group();
    }
  }

  #redirection(progress: CommandInProgress): void {
    const reader = this.#reader;
    const isHereDocument = reader.startsWith('<<') && reader.peek(2) !== '<';
    if (reader.peek(1) === '(') {
      reader.position += 2;
      progress.substitutions.push(this.#group());
      return;
    }
    while (/^[<>&|]/.test(reader.peek())) reader.position += 1;
    const isIndented = isHereDocument && reader.peek() === '-';
    if (isIndented) reader.position += 1;
    reader.skipBlanks();
    if (reader.isAtEnd || reader.peek() === '\n') return;
    const word = this.#readWord();
    for (const substitution of word.substitutions) progress.substitutions.push(substitution);
    if (isHereDocument) reader.expectHereDocument(word.text, isIndented);
  }

  #readWord(): ShellWord {
    const readScript = (script: string): ShellList => parseShell(script, this.#depth + 1);
    return new WordReader(this.#reader, () => this.#group(), readScript).read();
  }

  /** The list behind an opening parenthesis, and the closing one. Too deep, only the parenthesis is passed over. */
  #group(): ShellList {
    if (this.#depth >= maxShellDepth) return [];
    const outer = this.#keywords;
    this.#keywords = new OpenKeywords();
    this.#depth += 1;
    const list = this.list(true);
    this.#depth -= 1;
    this.#keywords = outer;
    this.#reader.position += 1;
    return list;
  }
}
