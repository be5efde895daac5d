import { KnownSecrets } from './known-secrets.ts';
import { shortestSecret } from './secret-forms.ts';
import { redactPatterns, redactPersonal } from './secret-patterns.ts';

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/** Replaces every occurrence of the secrets, in the forms that they take in JSON, URLs, base64 and hex. */
export function redactionOf(secrets: Iterable<string>): Redact {
  const known = new KnownSecrets(secrets);
  return (text) => known.redact(text);
}

/** Replaces known secrets, and then what has the shape of one. */
export function redactionWithPatterns(secrets: Iterable<string>): Redact {
  const known = new KnownSecrets(secrets);
  return (text) => redactPatterns(known.redact(text));
}

/** Also takes out what tells who somebody is, for pages that people pass around. */
export function redactForReport(redact: Redact): Redact {
  return (text) => redactPersonal(redact(text));
}

const mostRemembered = 2_048;
const longestRemembered = 256;

/**
 * The same, quicker: most texts of a run are names that come again and again, and what was clean once is clean. Those
 * that come again are there from the beginning, so nothing is forgotten to make room for what comes once.
 */
export function rememberingClean(redact: Redact): Redact {
  const clean = new Set<string>();
  return (text) => {
    if (text.length < shortestSecret || clean.has(text)) return text;
    const redacted = redact(text);
    if (redacted === text && text.length <= longestRemembered && clean.size < mostRemembered) clean.add(text);
    return redacted;
  };
}
