const byte = {
  backspace: 0x08,
  tab: 0x09,
  newline: 0x0a,
  carriageReturn: 0x0d,
  cancel: 0x18,
  substitute: 0x1a,
  bell: 0x07,
  escape: 0x1b,
  space: 0x20,
  delete: 0x7f,
  /** First of the two bytes of a control character above 0x7f, as UTF-8. */
  upperControl: 0xc2,
} as const;

/** Longer sequences are not sequences: their text must not be hidden. */
const longestParameters = 64;
const longestStringBytes = 65_536;
const mostSpaces = 200;

/** Finals of CSI sequences that continue in another place than the next one: up, down, lines, position, erase, scroll. */
const moves = new Set([...'ABEFHfdJST'].map((final) => final.charCodeAt(0)));
const forward = 'C'.charCodeAt(0);
const column = 'G'.charCodeAt(0);

/** By the character after ESC: begins a sequence, a string up to its end, or is followed by one more character. */
const sequenceStart = '['.charCodeAt(0);
const stringStarts = new Set([...']PX^_'].map((start) => start.charCodeAt(0)));
const lineMoves = new Set([...'EDMc'].map((move) => move.charCodeAt(0)));

type State = 'text' | 'escape' | 'sequence' | 'string' | 'one-more' | 'upper-control';

/**
 * The text in the output of a terminal, for readers that are not terminals: without escape sequences and control
 * characters. A movement to another place begins a new line, so nothing that was shown and overwritten is lost, and a
 * movement to the right becomes spaces. Takes bytes in any pieces.
 */
export class TerminalText {
  #state: State = 'text';
  #out: number[] = [];
  #isLineEmpty = true;
  #hasReturned = false;
  /** Of an unfinished sequence or string. */
  #pending: number[] = [];

  push(chunk: Buffer): Buffer {
    for (const each of chunk) this.#take(each);
    return this.#flush();
  }

  /** A string without an end was text. */
  end(): Buffer {
    if (this.#state === 'string') this.#endString(false);
    this.#state = 'text';
    return this.#flush();
  }

  #flush(): Buffer {
    const bytes = Buffer.from(this.#out);
    this.#out = [];
    return bytes;
  }

  #take(value: number): void {
    if (this.#state === 'text') this.#text(value);
    else if (this.#state === 'escape') this.#escape(value);
    else if (this.#state === 'sequence') this.#sequence(value);
    else if (this.#state === 'string') this.#string(value);
    else if (this.#state === 'upper-control') this.#upperControl(value);
    else this.#state = 'text';
  }

  #text(value: number): void {
    if (value === byte.newline) this.#newline();
    else if (value === byte.carriageReturn) this.#hasReturned = true;
    else if (value === byte.escape) this.#state = 'escape';
    else if (value === byte.upperControl) this.#state = 'upper-control';
    else if (value === byte.backspace) this.#eraseLast();
    else if (value === byte.tab || (value >= byte.space && value !== byte.delete)) this.#print(value);
  }

  #print(value: number): void {
    if (this.#hasReturned) this.#breakLine();
    this.#isLineEmpty = false;
    this.#out.push(value);
  }

  #newline(): void {
    this.#hasReturned = false;
    this.#isLineEmpty = true;
    this.#out.push(byte.newline);
  }

  #breakLine(): void {
    this.#hasReturned = false;
    if (!this.#isLineEmpty) this.#newline();
  }

  /** Where the character is not passed on yet; what was passed on was shown. */
  #eraseLast(): void {
    while (((this.#out.at(-1) ?? 0) & 0xc0) === 0x80) this.#out.pop();
    if (this.#out.length > 0 && this.#out.at(-1) !== byte.newline) this.#out.pop();
  }

  #escape(value: number): void {
    this.#pending = [];
    if (value === sequenceStart) this.#state = 'sequence';
    else if (stringStarts.has(value)) this.#state = 'string';
    else if (value >= byte.space && value < 0x30) this.#state = 'one-more';
    else if (value !== byte.escape) {
      this.#state = 'text';
      if (lineMoves.has(value)) this.#breakLine();
      if (value < byte.space) this.#text(value);
    }
  }

  #upperControl(value: number): void {
    this.#state = 'text';
    if (value >= 0x80 && value < 0xa0) this.#escape(value - 0x40);
    else {
      this.#print(byte.upperControl);
      this.#text(value);
    }
  }

  #sequence(value: number): void {
    if (value >= 0x40 && value < byte.delete) {
      this.#state = 'text';
      this.#move(value, Buffer.from(this.#pending).toString('latin1'));
    } else if (value < byte.space || this.#pending.length >= longestParameters) {
      this.#state = 'text';
      this.#text(value);
    } else this.#pending.push(value);
  }

  #move(final: number, parameters: string): void {
    const isAlternateScreen = parameters === '?1049' || parameters === '?47' || parameters === '?1047';
    if (moves.has(final) || isAlternateScreen) this.#breakLine();
    else if (final === column && Number(parameters || 1) <= 1) this.#hasReturned = true;
    else if (final === column) this.#print(byte.space);
    else if (final === forward) {
      const count = Math.min(Number(parameters) || 1, mostSpaces);
      for (let each = 0; each < count; each++) this.#print(byte.space);
    }
  }

  /** Ends at BEL or at the ESC of its end; one that runs into a line's end was text. */
  #string(value: number): void {
    if (value === byte.bell || value === byte.cancel || value === byte.substitute) this.#endString(true);
    else if (value === byte.escape) {
      this.#endString(true);
      this.#state = 'escape';
    } else if (value === byte.newline || this.#pending.length >= longestStringBytes) {
      this.#endString(false);
      this.#text(value);
    } else this.#pending.push(value);
  }

  #endString(wasString: boolean): void {
    const pending = this.#pending;
    this.#pending = [];
    this.#state = 'text';
    if (!wasString) for (const each of pending) this.#text(each);
  }
}

/** The text in a whole output of a terminal. */
export function terminalText(output: string): string {
  const text = new TerminalText();
  return Buffer.concat([text.push(Buffer.from(output)), text.end()]).toString('utf8');
}
