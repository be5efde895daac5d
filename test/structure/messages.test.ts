import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Message, messagesIn, messagesOf } from '../../scripts/messages.mjs';
import { forbiddenWords } from './forbidden-words.ts';

const messages = messagesIn(fileURLToPath(new URL('../..', import.meta.url)));

/** Quotes, patterns and example data that are not our own sentences. */
const isQuoted = ({ path }: Message): boolean =>
  /mcp-check\/rules\/safety\.ts|judge\/evidence\.ts|assertions\/text\/refusal\.ts|conversation\/role-check\.ts|prove\/stand-ins\.ts|starters/.test(
    path,
  );

const ofKind = (...kinds: readonly string[]): Message[] => messages.filter(({ kind }) => kinds.includes(kind));

/** Places where a rule is broken, with the text. */
function breaking(list: readonly Message[], isBroken: (text: string, message: Message) => boolean): string[] {
  return list
    .filter((message) => !isQuoted(message) && isBroken(message.text, message))
    .map(({ path, line, kind, text }) => `${path}:${line} (${kind}): ${text}`);
}

/** A message without its values and without code in back-ticks. */
const proseOf = (text: string): string => text.replaceAll(/`[^`]*`|\{[^{}]*\}|"[^"]*"/g, '…');

const beginsAsSentence = /^[\p{Lu}\d`"'{<(-]|^(?:pass|http|stdin|stdout|tools\/)/u;
const endsAsSentence = /[.?…]$|[}`)]$|: .+$/u;

/** Verbs that a hint may begin with: a hint says what to do. */
const hintOpenings =
  /^(?:Add|Answer|Assert|Build|Call|Cancel|Change|Check|Choose|Close|Compare|Continue|Copy|Correct|Create|Declare|Define|Delete|Do|End|Export|Find|Fix|Follow|Free|Give|Indent|Install|Keep|Label|Leave|Let|List|Load|Look|Lower|Make|Map|Move|Name|Open|Paste|Print|Put|Raise|Read|Record|Recreate|Remove|Rename|Report|Restore|Return|Run|Save|Send|See|Serve|Set|Show|Start|Try|Update|Use|Wait|Write|Did you mean|Example:|Searched:|Known:|[{`])/;

/** Hints of the criteria language follow its message after a colon. */
const isInCriteria = ({ path }: Message): boolean => path.startsWith('src/score/criteria/');
/** On pages a hint describes a field. */
const isOnPage = ({ path }: Message): boolean => path.startsWith('web/');

describe('the list of messages', () => {
  it('has every kind', () => {
    expect(messages.length).toBeGreaterThan(4_000);
    for (const kind of ['error', 'hint', 'meaning', 'message', 'reason', 'describe', 'help', 'summary', 'page', 'why'])
      expect(ofKind(kind).length, kind).toBeGreaterThan(30);
  });

  it('has the place and the kind of each, and values by their names', () => {
    const source = [
      'function fail(file: string): never {',
      '  const message = `There is no file "' + '$' + '{file}".`;',
      "  throw new AssayError('FILE_NOT_FOUND', message, { hint: isKnown ? 'Check the path.' : 'Name a ' + 'file.' });",
      '}',
      'const view = <p title="Of a file">No file <b>' + '{file}</b> here.</p>;',
    ];
    expect(
      messagesOf(source.join('\n'), 'src/a.tsx').map(({ line, kind, text }) => `${line} ${kind}: ${text}`),
    ).toEqual([
      '2 error: There is no file "{file}".',
      '3 hint: Check the path.',
      '3 hint: Name a file.',
      '5 title: Of a file',
      '5 page: No file {file} here.',
    ]);
  });
});

describe('every message', () => {
  it.each([...forbiddenWords])('is free of %s', (pattern, instead) => {
    expect(
      breaking(messages, (text) => pattern.test(text)),
      instead,
    ).toEqual([]);
  });

  it.each([
    ['please', /\bplease\b/i],
    ['an exclamation mark', /\p{L}!(?:\s|$)/u],
    ['the first person', /\b(?:I|I'm|we|We|our|Our|my|My|us)\b(?!-)/],
    ['two spaces between words', /\p{L}[.,;:]? {2,}\p{L}/u],
    ['a space before a comma or a full stop', /\p{L} [.,;](?:\s|$)/u],
  ])('is free of %s', (_name, pattern) => {
    // Help has columns, and the text of an element has no values.
    const prose = messages.filter(({ kind }) => !['text', 'help', 'page'].includes(kind));
    expect(breaking(prose, (text) => pattern.test(proseOf(text)))).toEqual([]);
  });

  it('quotes a name after its noun with double quotes', () => {
    const singleQuoted =
      /\b(?:agent|case|connector|model|persona|profile|provider|run|scenario|server|tool|trial|variant|wording) [`']\{/;
    // Texts of earlier programs, which scripts of users look for, and Markdown.
    const isFixed = ({ path }: Message): boolean =>
      /formats\/agent-variants\.ts|reporters\/.*markdown\.ts|surfaces\/offered-tools\.ts/.test(path);
    expect(breaking(messages, (text, message) => singleQuoted.test(text) && !isFixed(message))).toEqual([]);
  });
});

describe('the message of an error', () => {
  it('is a sentence', () => {
    const isClause = (text: string): boolean => !beginsAsSentence.test(text) || !endsAsSentence.test(text);
    expect(breaking(ofKind('error'), isClause)).toEqual([]);
  });

  it('is at most 240 characters long', () => {
    expect(breaking(ofKind('error', 'message'), (text) => text.length > 240)).toEqual([]);
  });
});

describe('a hint', () => {
  const hints = ofKind('hint').filter((hint) => !isOnPage(hint) && !isInCriteria(hint));

  it('says what to do', () => {
    expect(breaking(hints, (text) => !hintOpenings.test(text))).toEqual([]);
  });

  it('is a sentence of at most 200 characters', () => {
    expect(breaking(hints, (text) => !endsAsSentence.test(text) || text.length > 200)).toEqual([]);
  });
});

describe('descriptions and help', () => {
  /** Names that keep their capital letter. */
  const properName =
    /^(?:\p{Lu}{2}|\p{Lu}\P{Lu}*\p{Lu}|Boolean|Examples?:|Exit codes?|Java|Docker|Go\b|Postgres|Node)/u;

  it('begin with a small letter and have no full stop', () => {
    const single = ofKind('describe', 'meaning').filter(({ text }) => !text.includes('. '));
    const isSentence = (text: string): boolean => (/^\p{Lu}/u.test(text) && !properName.test(text)) || /\.$/.test(text);
    expect(breaking(single, isSentence)).toEqual([]);
  });

  it('are at most 160 characters long', () => {
    expect(breaking(ofKind('describe', 'meaning'), (text) => text.length > 160)).toEqual([]);
  });
});
