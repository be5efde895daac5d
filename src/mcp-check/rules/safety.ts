import { looksRandom } from '../../shared/redaction/assigned-secrets.ts';
import { redactPatterns } from '../../shared/redaction/secret-patterns.ts';
import type { ListedTool } from '../definitions/listed-server.ts';
import type { Rule } from '../definitions/rule.ts';
import { argumentsOf, flattened } from '../definitions/tool-arguments.ts';

/** In the order of the report. */
export const safetyRules: readonly Rule[] = [
  {
    id: 'secret-in-definition',
    severity: 'error',
    summary: 'A definition seems to contain a secret',
    why: 'Definitions go to every client and every provider of models.',
    fix: 'Take it out, make it invalid, and read it from the environment of the server instead.',
    checkText: (text) => {
      const clean = redactPatterns(text);
      const at = placeOfSecret(text, clean);
      if (at === undefined) return undefined;
      const around = clean.slice(Math.max(0, at - secretExcerpt), at + secretExcerpt / 2);
      return `There is what looks like a key or a password: "${around}"`;
    },
  },
  {
    id: 'machine-path-in-definition',
    severity: 'warning',
    summary: 'A definition contains a path of the machine it was written on',
    why: 'Models use it as it stands, on machines without such a folder, and it reveals the author.',
    fix: 'Use a relative path or an example such as `/path/to/file`; compute defaults when the server runs.',
    checkText: (text) => {
      const found = [...text.matchAll(home)].find(([, owner = '']) => !placeholderOwners.has(owner.toLowerCase()));
      return found && `There is the path \`${found[0]}\`.`;
    },
  },
  {
    id: 'invisible-characters',
    severity: 'error',
    summary: 'A definition contains invisible characters',
    why: 'Models read text that reviewers cannot see: this is how instructions are hidden.',
    fix: 'Remove the characters.',
    checkText: (text) => {
      const [match] = text.matchAll(invisibleText);
      if (!match) return undefined;
      const code = match[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
      const before = text.slice(Math.max(0, match.index - 30), match.index);
      return `There is a U+${code} after "${before}".`;
    },
  },
  {
    id: 'injection-like-text',
    severity: 'warning',
    summary: 'A description reads like an attempt to steer the model',
    why: 'Clients and scanners refuse such servers, and models follow such text whatever the user wanted.',
    fix: 'Describe what the tool does; leave it to the client and the user what the model may do and say.',
    checkText: (text, { tools }) => {
      const beginning = text.slice(0, mostCharacters);
      return orderIn(beginning) ?? encodedText(beginning) ?? paddedText(beginning) ?? shadowing(beginning, tools);
    },
  },
];

const secretExcerpt = 60;

/** Where the first value was taken out that nobody writes as an example: `pass` and `123456` are examples. */
function placeOfSecret(text: string, clean: string): number | undefined {
  let inText = 0;
  let inClean = 0;
  for (const { 0: mark, index } of clean.matchAll(/\[REDACTED[^\]]*\]/g)) {
    const start = inText + index - inClean;
    inClean = index + mark.length;
    const [following = ''] = clean.slice(inClean).split('[REDACTED', 1);
    inText = following === '' ? text.length : text.indexOf(following, start);
    if (inText < 0 || looksRandom(text.slice(start, inText))) return index;
  }
  return undefined;
}

const home = /(?<![\w.])(?:\/home\/|\/Users\/|[A-Za-z]:\\{1,2}Users\\{1,2})([A-Za-z0-9._-]+)/g;
const placeholderOwners = new Set(
  'user username users you your yourname your-name your_name me name example someone alice bob john jane jdoe johndoe foo bar test demo node ubuntu runner app public shared default'.split(
    ' ',
  ),
);

/** A text in which paths of a home folder are those of an example. */
export function homePaths(text: string): string {
  return text.replace(home, (path: string, owner: string) =>
    placeholderOwners.has(owner.toLowerCase()) ? path : path.replace(owner, 'user'),
  );
}

/** Marks of direction, zero-width characters and tags; the joiner between letters of emoji is none of them. */
export const invisibleText =
  /[\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\u{E0000}-\u{E007F}]|[\u0000-\u0008\u000B\u000C\u000E-\u001F]/gu;

const suspicious: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,30}\b(?:previous|prior|above|earlier|other|all|any|system)\b[^.\n]{0,20}\b(?:instructions?|prompts?|rules|messages|guidelines)\b/i,
  /\b(?:do not|don't|never|without)\b[^.\n]{0,20}\b(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|reveal(?:ing)?|notify(?:ing)?|show(?:ing)?|alert(?:ing)?)\b[^.\n]{0,25}\bthe user\b/i,
  // To leave a question out is guidance; to leave the consent out is not.
  /\b(?:do not|don't|never|without)\b[^.\n]{0,20}\bask(?:ing)?\b[^.\n]{0,25}\bthe user\b[^.\n]{0,20}\b(?:permission|confirmation|consent|approval|confirm|approve|allow|first)\b/i,
  /<\s*\/?\s*(?:important|system|instructions?|secret|hidden|admin)\s*>/i,
  /\b(?:before|instead of) (?:using|calling|invoking) (?:any|all|every) other tools?\b/i,
  /\b(?:your|the) system prompt\b/i,
  /\byou are now\b[^.\n]{0,40}\b(?:mode|assistant|agent|admin)\b/i,
  /<!--[\s\S]{0,2000}?-->/,
];
const injectionExcerpt = 120;
/** Longer text is covered by the length rule. */
const mostCharacters = 50_000;

function orderIn(text: string): string | undefined {
  const found = suspicious.map((pattern) => pattern.exec(text)?.[0]).find((match) => match !== undefined);
  return found === undefined ? undefined : `"${found.slice(0, injectionExcerpt)}"`;
}

const encoded = /(?<![\w+/=])[A-Za-z0-9+/]{32,}={0,2}(?![\w+/=])/g;
const sentenceLike = /^[\s\x20-\x7E\u00A0-\u024F]+$/;
const fewestEncodedWords = 4;

/** Text in Base64, which people do not read and models do. */
function encodedText(text: string): string | undefined {
  for (const [run] of text.matchAll(encoded)) {
    const decoded = Buffer.from(run, 'base64').toString('utf8');
    const words = decoded.split(/\s+/).filter((word) => /^[\p{L}'’-]{2,}[.,:;!?]?$/u.test(word));
    if (sentenceLike.test(decoded) && words.length >= fewestEncodedWords)
      return `Base64 that reads "${decoded.slice(0, injectionExcerpt)}"`;
  }
  return undefined;
}

const mostBlanks = 60;
const mostEmptyLines = 15;

/** Text behind so much white space that a reviewer does not see it. */
function paddedText(text: string): string | undefined {
  for (const { 0: blank, index } of text.matchAll(/\s+/g)) {
    const after = text.slice(index + blank.length, index + blank.length + injectionExcerpt);
    const lines = blank.split('\n');
    const isLong = lines.length > mostEmptyLines || lines.some((line) => line.length >= mostBlanks);
    if (isLong && after !== '') return `Behind ${blank.length} characters of white space: "${after}"`;
  }
  return undefined;
}

const otherTool =
  /\b(?:when(?:ever)?|if|before|after|instead of|while) (?:\w{1,20} ){0,3}?(?:us(?:e|ing)|call(?:ing|ed)?|invok(?:e|ing)) (?:the )?(?:tool )?[`"']?([A-Za-z][\w.-]{0,63})([`"']? tool\b)?/gi;
const notNames = new Set('this that the other another any each a an same mcp next previous your'.split(' '));

/** Descriptions write `status_callback` of an argument `StatusCallback`. */
function plainName(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
}

/** By the list of tools: a server may have thousands of tools, and as many texts. */
const namesByTools = new WeakMap<readonly ListedTool[], ReadonlySet<string>>();

function argumentNames(tools: readonly ListedTool[]): ReadonlySet<string> {
  const names =
    namesByTools.get(tools) ??
    new Set(tools.flatMap((tool) => flattened(argumentsOf(tool)).map(({ name }) => plainName(name))));
  namesByTools.set(tools, names);
  return names;
}

/** Orders about a tool that the server does not have: they would change how another server is used. */
function shadowing(text: string, own: readonly ListedTool[]): string | undefined {
  for (const [whole, named = '', tool] of text.matchAll(otherTool)) {
    const name = named.replace(/[.-]{1,64}$/, '');
    const isName = tool !== undefined || /[_.-]/.test(name);
    const isOwn = own.some((tool) => tool.name === name) || argumentNames(own).has(plainName(name));
    if (isName && !isOwn && !notNames.has(name.toLowerCase()))
      return `"${whole.slice(0, injectionExcerpt)}" is about \`${name}\`, which this server does not have.`;
  }
  return undefined;
}
