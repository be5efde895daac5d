/** Takes known secrets out of a text. */
export type Redact = (text: string) => string;

/** Shorter values are no secrets, and replacing them would tear ordinary words apart. */
const shortestSecret = 8;

/** Replaces every exact occurrence of the secrets, in the forms that they take in JSON, URLs and base64. */
export function redactionOf(secrets: Iterable<string>): Redact {
  const forms = [...new Set([...secrets].filter((secret) => secret.length >= shortestSecret).flatMap(formsOf))];
  // Longest first: a secret that contains another must not leave its rest behind.
  forms.sort((a, b) => b.length - a.length);
  return (text) => forms.reduce((clean, form) => clean.replaceAll(form, '[redacted]'), text);
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString('base64'),
    bytes.toString('base64url'),
  ];
}
