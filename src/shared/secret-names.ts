const secretWords = new Set([
  'key',
  'apikey',
  'token',
  'secret',
  'password',
  'passwd',
  'passphrase',
  'credential',
  'credentials',
  'auth',
]);
/** A variable that ends like this tells where a secret is, or whose, and not the secret. */
const harmlessEndings = new Set(['sock', 'file', 'path', 'dir', 'name', 'url', 'host', 'type', 'version', 'id']);

/** Whether the value of a variable of this name is a secret. */
export function namesSecret(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word) => secretWords.has(word)) && !harmlessEndings.has(words.at(-1) ?? '');
}

/** Whether the value of an HTTP header of this name is a secret. */
export function namesSecretHeader(name: string): boolean {
  return /auth|key|token|secret|cookie|password|credential/i.test(name);
}
