import { looksRandom } from './assigned-secrets.ts';

const space = String.raw`(?:\s|\\+[nrt])+`;
const opening = String.raw`\\*["']?`;
const value = String.raw`([^\s"'\\$<{*[][^\s"'\\]{2,})`;
/** The rest of a command on the same line, up to the option. */
const upTo = (option: string): string => String.raw`\b[^\n|;]{0,300}?[ \t]${option}`;

/** By the words that they begin with: commands that take a password at a fixed place, and files with words before it. */
const placedBySign: Readonly<Record<string, string>> = {
  curl: `curl${upTo('(?:-u|--user|--proxy-user)[ =]?')}${opening}[^\\s:"'\\\\]{1,64}:`,
  mysql: `mysql(?:dump|admin|import)?${upTo('-p')}`,
  mariadb: `mariadb(?:-dump)?${upTo('-p')}`,
  sshpass: `sshpass[ \\t]+-p[ \\t]*${opening}`,
  'redis-cli': `redis-cli${upTo('(?:-a|--pass)')}[ \\t]+${opening}`,
  'docker login': `docker login${upTo('-p')}[ \\t]+${opening}`,
  ldap: `ldap(?:search|modify|add|whoami)${upTo('-w')}[ \\t]+${opening}`,
  '-pass': `-pass(?:in|out)?[ \\t]+pass:`,
  login: `login${space}[^\\s\\\\]{1,100}${space}password${space}`,
};
const placed = Object.entries(placedBySign).map(([sign, before]) => ({
  sign,
  pattern: new RegExp(`(${before})${value}`, 'g'),
}));
/** Ends the text before a command: it is not a part of a word, unless an escape of JSON or of a terminal ends there. */
const wordStart = /(?:^|[^A-Za-z0-9_]|\\[nrt]|\[[0-9;]{0,12}m)$/;
const longestEscape = 16;

const oneTimePassword = /(otpauth:(?:\\*\/){2}[^\s"']{1,300}?[?&]secret=)([A-Za-z2-7=]{8,})/gi;
const cookieHeader = /([Cc]ookie\\*["']?[ \t]*[:=][ \t]*\\*["']?)([^\n"'\\]{8,})/g;
const cookiePair = /([A-Za-z0-9_.-]{1,64}=)([^;\s]{8,})/g;
const sessionCookie =
  /((?:connect\.sid|PHPSESSID|JSESSIONID|ASP\.NET_SessionId|_session|__(?:Secure|Host)-[\w.-]{1,40})=)([\w%.+/=-]{16,})/g;

const isExample = /^(?:pass(?:word)?|pwd|test|token|secret|changeme|changeit|x+|your.*|\.{3}.*|…)$/i;

/** Takes out passwords that stand at a fixed place of a command, and values of cookies and one-time passwords. */
export function redactCommands(text: string): string {
  let clean = text;
  for (const { sign, pattern } of placed) if (clean.includes(sign)) clean = clean.replace(pattern, redactPlaced);
  if (clean.includes('otpauth:')) clean = clean.replace(oneTimePassword, '$1[REDACTED]');
  if (clean.includes('ookie'))
    clean = clean.replace(cookieHeader, (_, name, pairs) => name + pairs.replace(cookiePair, redactRandom));
  return clean.replace(sessionCookie, redactRandom);
}

function redactPlaced(found: string, before: string, given: string, offset: number, whole: string): string {
  const isWord = wordStart.test(whole.slice(Math.max(0, offset - longestEscape), offset));
  return isWord && !isExample.test(given) ? `${before}[REDACTED]` : found;
}

function redactRandom(found: string, before: string, given: string): string {
  return looksRandom(given) ? `${before}[REDACTED]` : found;
}
