import { formIn, type SoughtSecret, soughtSecret } from './sought-secret.ts';

/** Shorter pieces wait for the next, because each is looked at with the end of the one before. */
const leastLength = 8_192;
/** Text is looked at in pieces of this many characters, whatever the size of what passes. */
const pieceLength = 65_536;
/** The end of a piece is looked at again with the next one: a secret may stand in both. */
const overlap = 4_096;

/** Looks for a secret in a text that arrives piece by piece; never keeps more than one piece of it. */
export class SecretSearch {
  readonly #secret: SoughtSecret;
  #tail = '';
  #waiting = '';
  #found: string | undefined;

  constructor(secret: string) {
    this.#secret = soughtSecret(secret);
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
      this.#found = formIn(piece, this.#secret);
      this.#tail = piece.slice(-overlap);
    }
  }
}
