const nameEnd = '(key|token|secret|passw(?:or)?d|passphrase|passcode|pass|pwd|credentials?|auth|jwt|pat)';
const quote = '\\\\*["\'`]';
const value = '[^\\s"\'`\\\\,;&<>(){}[\\]|]{6,}';
const quotedValue = '[^\\s"\'`\\\\]{6,}';

/** `name = value`, `"name": "value"`, `name is value` and the like, on one line, at any depth of quoting. */
const assignment = new RegExp(
  `${nameEnd}((?:${quote})?\\]?[ \\t]*(?:=>|:=|[:=])[ \\t]*|[ \\t]+(?:is|was)[ \\t]+)(?:(${quote})(${quotedValue})|(${value}))`,
  'gi',
);
/** `--name value`, also as neighbours in a list. */
const option = new RegExp(
  `--(?<![A-Za-z0-9-]--)([A-Za-z0-9-]{0,30}?)${nameEnd}([ \\t]+|${quote},[ \\t]*)(?:(${quote})(${quotedValue})|(${value}))`,
  'gi',
);

/** Words before "key" that make it a secret; keys of tables, caches and maps are none. */
const secretKeys =
  /(?:^|[^a-z])(?:api|access|secret|private|signing|encryption|master|auth|account|service|storage|deploy|license|shared|consumer|subscription|security|webhook|app|admin|jwt|hmac|aes)$/;
const ordinaryKeys =
  /(?:^|_)(?:public|gpg|cache|primary|foreign|sort|partition|hash|row|object|group|unique|idempotency)$/;
const ordinaryTokens =
  /(?:^|[^a-z])(?:page|max|stop|start|end|eos|bos|pad|next|cancel|cancellation|continuation|sync)$/;
const ordinaryPasses = /(?:by|com|sur|encom|tres|under|over)pass$/i;
const longestName = 40;

/** Text around a value. */
interface Found {
  readonly all: string;
  readonly prefix: string;
  readonly end: string;
  readonly between: string;
  readonly quoted: string | undefined;
  readonly bare: string | undefined;
  /** The text that follows. */
  readonly next: string | undefined;
}

/** Takes out values that are given to a name which says that they are secret. */
export function redactAssigned(text: string): string {
  return text
    .replace(assignment, (all, end, between, _opening, quoted, bare, offset, whole) => {
      const prefix = prefixBefore(whole, offset, end);
      return redactFound({ all, prefix, end, between, quoted, bare, next: whole[offset + all.length] });
    })
    .replace(option, (all, prefix, end, _between, _opening, quoted, bare) =>
      redactFound({ all, prefix, end, between: '', quoted, bare, next: undefined }),
    );
}

function redactFound({ all, prefix, end, between, quoted, bare, next }: Found): string {
  const given = quoted ?? bare ?? '';
  const isCall = bare !== undefined && next === '(';
  if (isCall || !isSecretName(prefix, end) || !isSecretValue(given, end, quoted !== undefined)) return all;
  // In a sentence, only text that no person writes as a word is a value.
  if (/\w/.test(between) && !looksRandom(given)) return all;
  // A number in JSON becomes a string, so JSON stays JSON.
  const quotes = bare === undefined ? '' : (/^\\*["'`](?=[ \t]*:)/.exec(between)?.[0] ?? '');
  return `${all.slice(0, all.length - given.length)}${quotes}[REDACTED]${quotes}`;
}

/** The beginning of the name whose end was found; in a sentence, the word before says whose key it is. */
function prefixBefore(text: string, offset: number, end: string): string {
  const before = text.slice(Math.max(0, offset - longestName), offset).replace(/\\[bfnrt]|\[[0-9;]{0,12}m/g, ' ');
  const joined = /[A-Za-z0-9_.-]*$/.exec(before)?.[0] ?? '';
  if (joined !== '' || !/^(?:key|token)$/i.test(end)) return joined;
  return /([A-Za-z]+) $/.exec(before)?.[1]?.concat('_') ?? '';
}

function isSecretName(prefix: string, end: string): boolean {
  const continuesCamelCase = /[a-z]$/.test(prefix) && /^[A-Z][a-z]/.test(end);
  const isOwnWord = prefix === '' || continuesCamelCase || /[_.-]$/.test(prefix);
  const last = prefix
    .replace(/[_.-]$/, '')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase();
  const kind = end.toLowerCase();
  if (kind === 'key') return isSecretKey(last, prefix + end);
  if (kind === 'token') return !ordinaryTokens.test(last);
  if (kind === 'pass')
    return prefix !== '' && (isOwnWord || /^[A-Z0-9]+$/.test(prefix + end)) && !ordinaryPasses.test(prefix + end);
  // Shells keep their folders in PWD and OLDPWD.
  if (kind === 'pwd') return !/^(?:old)?$/i.test(prefix);
  if (kind === 'pat') return isOwnWord && prefix !== '';
  if (kind === 'auth' || kind === 'jwt') return isOwnWord;
  return true;
}

function isSecretKey(last: string, name: string): boolean {
  if (secretKeys.test(last)) return true;
  return /^[A-Z][A-Z0-9_]*_KEY$/.test(name) && !ordinaryKeys.test(last);
}

function isSecretValue(given: string, end: string, isQuoted: boolean): boolean {
  if (isPlaceholder(given) || isAlgorithm.test(given)) return false;
  if (!isQuoted && isCode.test(given)) return false;
  if (/^pass|^pwd/i.test(end)) return /\d|[^A-Za-z0-9_.:/-]/.test(given) || looksRandom(given);
  const isPath = isPlace.test(given) && !given.endsWith('=');
  return given.length >= 8 && !isPath && looksRandom(given);
}

const isAlgorithm =
  /^(?:sha-?\d+|md5|argon2(?:id|i|d)?|base64(?:url)?|utf-?\d+|pbkdf2|[hrep]s\d{3}|oauth-?2|aes-?\d+.*)$/i;
/** A member of an object, a constant, or a call whose brackets were not read. */
const isCode =
  /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$#][\w$]*)+[.?!]?$|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|^(?:[A-Z][a-z]+\d{0,2}){2,}$|=>|^!|==(?=.)/;
/** A file, a folder or an address. */
const isPlace =
  /^(?:\.{0,2}|~)\/|^[a-z]+:\/\/|^[A-Za-z]:\\|\.(?:[cm]?[jt]sx?|json|ya?ml|toml|md|py|rs|go|txt|sh|env|pem)$/i;

function isPlaceholder(given: string): boolean {
  return /^(?:[$<{[*%#@]|\.\.\.|…|x{3}|your|my[-_]|process\.|os\.|env\.|example|dummy|change|placeholder)/i.test(given);
}

/** Digits among letters, or capitals where no word has them: nothing that a person would have written as a name. */
export function looksRandom(text: string): boolean {
  if (isPlaceholder(text) || text.length < 6) return false;
  if (isJoinedWords.test(text) || isCamelCase.test(text)) return hasStrayCapitals(text);
  return /\d/.test(text) && /[A-Za-z]/.test(text) ? !isDateOrVersion.test(text) : hasStrayCapitals(text);
}

const isJoinedWords = /^[a-z]+(?:[-_.][a-z]+)*[-_.]?v?\d{0,3}$/i;
const isCamelCase = /^[a-z]*(?:\d{0,2}[A-Z][a-z]+)*\d{0,3}$/;
const isDateOrVersion = /^v?\d+(?:\.\d+)+(?:-[a-z]+(?:\.\d+)?)?$|^\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?$/;

function hasStrayCapitals(text: string): boolean {
  const letters = text.replace(/[^A-Za-z]/g, '');
  const changes = letters.match(/(?<=[a-z])[A-Z]|(?<=[A-Z])[a-z]/g)?.length ?? 0;
  return letters.length >= 8 && changes >= letters.length * 0.4;
}

/** Also where the word before is not set apart, as in PGPASSWORD. */
const endsSecret = /(?:password|passwd|passphrase|secret|token|apikey|credentials?)$/;
const secretWords = new Set(['key', 'auth', 'jwt']);
/** Names of secrets where they say whose; alone they are a folder, a verdict and a route. */
const secretLastWords = new Set(['pwd', 'pass', 'pat']);
/** A variable that ends like this names where a secret is, or whose, and not the secret. */
const harmlessEndings = new Set(['sock', 'file', 'path', 'dir', 'name', 'url', 'host', 'type', 'version', 'id']);

/** Whether the value of a variable of this name is a secret. */
export function namesSecret(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const last = words.at(-1) ?? '';
  if (harmlessEndings.has(last)) return false;
  if (words.some((word) => secretWords.has(word) || endsSecret.test(word))) return true;
  return (words.length > 1 && secretLastWords.has(last)) || (/.pass$/.test(last) && !ordinaryPasses.test(last));
}

/** Whether the value of an HTTP header of this name is a secret. */
export function namesSecretHeader(name: string): boolean {
  return /auth|key|token|secret|cookie|password|credential/i.test(name);
}
