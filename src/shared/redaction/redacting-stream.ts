import { KnownSecrets } from './known-secrets.ts';
import { asRedacted, type Redacted } from './redacted.ts';
import { redactPatterns } from './secret-patterns.ts';

/** Secrets and patterns that a stream is cleaned of. */
export interface RedactionSettings {
  readonly secrets: Iterable<string>;
  /** Whether also what has the shape of a secret is taken out; then whole lines are held back. */
  readonly withPatterns: boolean;
}

/** Cleans a text that comes in pieces, cut anywhere; what is given back, joined, is the clean text. */
export interface RedactingStream {
  push(chunk: string): Redacted;
  /** The rest; to be called once. */
  end(): Redacted;
}

/** A stream that lets no known value through, and holds back no more than it needs to be sure of that. */
export function redactingStream({ secrets, withPatterns }: RedactionSettings): RedactingStream {
  const knownValues = new KnownStream(new KnownSecrets(secrets));
  if (!withPatterns) return knownValues;
  const patterns = new PatternStream();
  return {
    push: (chunk) => patterns.push(knownValues.push(chunk)),
    end: () => asRedacted(patterns.push(knownValues.end()) + patterns.end()),
  };
}

class KnownStream implements RedactingStream {
  readonly #known: KnownSecrets;
  #held = '';
  /** How much of what is held belongs to a secret whose mark is out already. */
  #covered = 0;

  constructor(known: KnownSecrets) {
    this.#known = known;
  }

  /** A value that begins before the last `longestForm - 1` characters has been seen whole. */
  push(chunk: string): Redacted {
    const text = this.#held + chunk;
    return this.#release(text, Math.max(0, text.length - Math.max(0, this.#known.longestForm - 1)));
  }

  end(): Redacted {
    return this.#release(this.#held, this.#held.length);
  }

  #release(text: string, limit: number): Redacted {
    const { clean, coveredUntil } = this.#known.redactUntil(text, limit, this.#covered);
    this.#held = text.slice(limit);
    this.#covered = Math.max(0, coveredUntil - limit);
    return asRedacted(clean);
  }
}

/** Longer lines and keys are cut: nothing that a program prints may make us hold more. */
const mostHeld = 16_384;

/** Patterns look at whole lines; a private key is kept together with its lines. */
class PatternStream implements RedactingStream {
  #held = '';

  push(chunk: string): Redacted {
    this.#held += chunk;
    const limit = this.#limit();
    const released = this.#held.slice(0, limit);
    this.#held = this.#held.slice(limit);
    return asRedacted(redactPatterns(released));
  }

  end(): Redacted {
    const rest = redactPatterns(this.#held);
    this.#held = '';
    return asRedacted(rest);
  }

  #limit(): number {
    const lineEnd = this.#held.lastIndexOf('\n') + 1;
    const keyStart = openKeyStart(this.#held.slice(0, lineEnd));
    const limit = keyStart === -1 ? lineEnd : keyStart;
    return this.#held.length - limit > mostHeld ? betweenWords(this.#held) : limit;
  }
}

/** Where a key begins whose last line is not among these; -1 when there is none. */
function openKeyStart(lines: string): number {
  const start = lines.lastIndexOf('-----BEGIN ');
  return lines.includes('-----END ', start) ? -1 : start;
}

/** A place before the half that stays held where no token is torn apart; within a token when that is very long. */
function betweenWords(text: string): number {
  const upTo = text.length - mostHeld / 2;
  const gap = /[\s"'`,;&][^\s"'`,;&]*$/.exec(text.slice(Math.max(0, upTo - 1_024), upTo));
  return gap ? upTo - gap[0].length + 1 : upTo;
}
