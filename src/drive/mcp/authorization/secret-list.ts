import { type Clean, redactionOf } from '../../../shared/redaction/redaction.ts';

/** Tokens and secrets of one server, which become known one after the other. */
export class SecretList {
  readonly #secrets = new Set<string>();
  #redact: Clean = (text) => text;

  add(...secrets: readonly (string | undefined)[]): void {
    for (const secret of secrets) if (secret !== undefined) this.#secrets.add(secret);
    this.#redact = redactionOf(this.#secrets);
  }

  readonly redact: Clean = (text) => this.#redact(text);
}
