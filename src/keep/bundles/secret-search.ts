import { KnownSecrets } from '../../shared/redaction/known-secrets.ts';

/** Looks for known secret values in the bytes of files. */
export interface SecretSearch {
  /** For one file, whose pieces are given in order. */
  begin(): { finds(chunk: Buffer): boolean };
}

/** A search for these values, in all forms that they are usually written in, also across the border of two pieces. */
export function secretSearch(secrets: Iterable<string>): SecretSearch {
  // Bytes are compared as Latin-1, one character each, so that binary files can be looked at as well.
  const known = new KnownSecrets([...secrets].flatMap((secret) => [secret, Buffer.from(secret).toString('latin1')]));
  const overlap = Math.max(0, known.longestForm - 1);
  return {
    begin() {
      let before = '';
      return {
        finds(chunk) {
          if (known.longestForm === 0) return false;
          const text = before + chunk.toString('latin1');
          before = overlap === 0 ? '' : text.slice(-overlap);
          return known.redact(text) !== text;
        },
      };
    },
  };
}
