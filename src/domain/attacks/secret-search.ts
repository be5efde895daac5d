import { formIn, secretForms } from './secret-forms.ts';

/** Shorter pieces wait for the next, because each is looked at with the end of the one before. */
const leastLength = 8_192;
/** Text is looked at in pieces of this many characters, whatever the size of what passes. */
const pieceLength = 65_536;
/** The end of a piece is looked at again with the next one: a secret may stand in both. */
const overlap = 4_096;

/** Looks for a secret in a text that arrives piece by piece; never keeps more than one piece of it. */
export class SecretSearch {
  readonly #forms: ReturnType<typeof secretForms>;
  #tail = '';
  #waiting = '';
  #found: string | undefined;

  constructor(secret: string) {
    this.#forms = secretForms(secret);
  }

  /** The form in which the secret was seen; undefined where it was not. */
  get found(): string | undefined {
    return this.#found;
  }

  push(text: string): void {
    this.#waiting += text;
    if (this.#waiting.length >= leastLength) this.end();
  }

  /** Looks at what still waits. */
  end(): void {
    const text = this.#waiting;
    this.#waiting = '';
    for (let begin = 0; begin < text.length && this.#found === undefined; begin += pieceLength) {
      const piece = `${this.#tail}${text.slice(begin, begin + pieceLength)}`;
      this.#found = formIn(piece, this.#forms) ?? formIn(withoutPercents(piece), this.#forms);
      this.#tail = piece.slice(-overlap);
    }
  }
}

/** Characters of addresses and forms as they are meant. */
function withoutPercents(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
