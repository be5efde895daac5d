import { AssayError } from '../../../domain/errors.ts';
import { sha256 } from '../../../shared/ids.ts';

/** Gives the secret part of a fence, from the number of the draw, a line break and the data. */
export type Nonce = (data: string) => string;

/** The border between the rules and the data of one prompt. */
export interface Fence {
  readonly name: string;
  /** The lines between an opening and a closing fence, or `(none)`. */
  wrap(lines: readonly string[]): string;
}

const wellFormed = /^[a-z0-9]{16,64}$/;
const mostAttempts = 8;

/** A fence whose name occurs nowhere in the data that it will hold. */
export function raiseFence(lines: readonly string[], nonce: Nonce): Fence {
  const data = lines.join('\n').toLowerCase();
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const candidate = nonce(`${attempt}\n${data}`);
    if (wellFormed.test(candidate) && !data.includes(candidate)) return fenceNamed(`data-${candidate}`);
  }
  throw new AssayError('INTERNAL', 'Every generated fence name occurs in the data.');
}

const nonceLength = 16;

/**
 * A nonce that the same data always gets. It is as good as a random one: a text that holds its own hash cannot be
 * found by trying.
 */
export function contentNonce(data: string): string {
  return sha256(data).slice(0, nonceLength);
}

/**
 * A nonce that follows from a secret and the number of the draw: prompts of one run begin alike, so providers find them in
 * their caches. It is drawn again for data that holds it.
 */
export function secretNonce(secret: string): Nonce {
  const drawn = new Map<string, string>();
  return (data) => {
    const draw = data.slice(0, data.indexOf('\n'));
    const nonce = drawn.get(draw) ?? sha256(`${secret} ${draw}`).slice(0, nonceLength);
    drawn.set(draw, nonce);
    return nonce;
  };
}

function fenceNamed(name: string): Fence {
  return {
    name,
    wrap: (lines) => (lines.length === 0 ? '(none)' : [`<${name}>`, ...lines, `</${name}>`].join('\n')),
  };
}
