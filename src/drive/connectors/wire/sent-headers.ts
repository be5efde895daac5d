import { type Redact, redactionOf } from '../../../shared/redaction/redaction.ts';
import { type Headers, mergedHeaders, secretsIn } from './headers.ts';

/** Headers as they are sent, and what takes their values out of a text. */
export interface Sent {
  readonly headers: Headers;
  readonly redact: Redact;
}

/** The headers of a connector under those of whichever persona speaks. */
export class SentHeaders {
  readonly #base: Sent;
  readonly #secrets: readonly string[];
  /** Personas are few and their headers the same objects in each of their trials. */
  readonly #byPersona = new WeakMap<Headers, Sent>();

  /** `secrets` beyond those in the headers, such as those in a URL. */
  constructor(headers: Headers, secrets: readonly string[] = []) {
    this.#secrets = secrets;
    this.#base = this.#sent(mergedHeaders(headers));
  }

  sentBy(persona: Headers): Sent {
    if (Object.keys(persona).length === 0) return this.#base;
    const known = this.#byPersona.get(persona);
    if (known) return known;
    const sent = this.#sent(mergedHeaders(this.#base.headers, persona));
    this.#byPersona.set(persona, sent);
    return sent;
  }

  #sent(headers: Headers): Sent {
    return { headers, redact: redactionOf([...secretsIn(headers), ...this.#secrets]) };
  }
}
