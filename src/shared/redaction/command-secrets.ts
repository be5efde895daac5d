import { looksRandom } from './assigned-secrets.ts';

const space = String.raw`(?:\s|\\+[nrt])+`;
const opening = String.raw`\\*["']?`;
const value = String.raw`([^\s"'\\$<{*[][^\s"'\\]{2,})`;
/** The rest of a command on the same line, up to the option. */
const upTo = (option: string): string => String.raw`\b[^\n|;]{0,300}?[ \t]${option}`;

/** Commands that take a password at a fixed place, and files with words before it. */
const placed = [
  `curl${upTo('(?:-u|--user|--proxy-user)[ =]?')}${opening}[^\\s:"'\\\\]{1,64}:`,
  `(?:mysql(?:dump|admin|import)?|mariadb(?:-dump)?)${upTo('-p')}`,
  `sshpass[ \\t]+-p[ \\t]*${opening}`,
  `redis-cli${upTo('(?:-a|--pass)')}[ \\t]+${opening}`,
  `docker[ \\t]+login${upTo('-p')}[ \\t]+${opening}`,
  `ldap(?:search|modify|add|whoami)${upTo('-w')}[ \\t]+${opening}`,
  `-pass(?:in|out)?[ \\t]+pass:`,
  `login${space}[^\\s\\\\]{1,100}${space}password${space}`,
].map((before) => new RegExp(`(${before.startsWith('-') ? '' : '\\b'}${before})${value}`, 'gi'));

const oneTimePassword = /(otpauth:(?:\\*\/){2}[^\s"']{1,300}?[?&]secret=)([A-Za-z2-7=]{8,})/gi;
const cookieHeader = /(cookie\\*["']?[ \t]*[:=][ \t]*\\*["']?)([^\n"'\\]{8,})/gi;
const cookiePair = /([A-Za-z0-9_.-]{1,64}=)([^;\s]{8,})/g;
const sessionCookie =
  /((?:connect\.sid|PHPSESSID|JSESSIONID|ASP\.NET_SessionId|[a-z]+_session|__(?:Secure|Host)-[\w.-]{1,40})=)([\w%.+/=-]{16,})/g;

const mayHoldPlaced = /curl|mysql|mariadb|sshpass|redis-cli|docker|ldap|pass:|password/i;
const isExample = /^(?:pass(?:word)?|pwd|test|token|secret|changeme|changeit|x+|your.*|\.{3}.*|…)$/i;

/** Takes out passwords that stand in a fixed place of a command, and values of cookies and one-time passwords. */
export function redactCommands(text: string): string {
  let clean = text;
  if (mayHoldPlaced.test(clean))
    for (const pattern of placed)
      clean = clean.replace(pattern, (found, before, given) => (isExample.test(given) ? found : `${before}[REDACTED]`));
  if (clean.includes('otpauth:')) clean = clean.replace(oneTimePassword, '$1[REDACTED]');
  clean = clean.replace(cookieHeader, (_, name, pairs) => name + pairs.replace(cookiePair, redactRandom));
  return clean.replace(sessionCookie, redactRandom);
}

function redactRandom(found: string, before: string, given: string): string {
  return looksRandom(given) ? `${before}[REDACTED]` : found;
}
