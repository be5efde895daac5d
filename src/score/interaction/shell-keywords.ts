const openers = new Set(['if', 'while', 'until', 'for', 'case', 'select', 'function']);
const headed = new Set(['for', 'case', 'select', 'function']);
const closers = new Set(['fi', 'done', 'esac']);
const separators = new Set(['then', 'else', 'elif', 'do', '{', '}', '!']);

/** Knows whether what is being read lies inside `if`, a loop, `case` or a function. */
export class OpenKeywords {
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

  /** The body of a function has no end that could be told from that of a group. */
  noteFunction(): void {
    this.#open += 1;
  }
}

/** Whether the words behind a keyword are no command. */
export function hasHeader(keyword: string): boolean {
  return headed.has(keyword);
}
