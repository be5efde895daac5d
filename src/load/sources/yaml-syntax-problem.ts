import { type Document, type ErrorCode, isScalar, visit, type YAMLParseError } from 'yaml';
import type { Problem } from '../../domain/problem.ts';
import { tooDeepMessage } from './nesting.ts';
import type { At } from './yaml-document-problems.ts';

type Words = Pick<Problem, 'message' | 'hint'>;

/** The first syntax error of a document in the user's words; what follows it is mostly its echo. */
export function syntaxProblem(document: Document.Parsed | Document, text: string, at: At): Problem[] {
  const [first] = [...document.errors].sort((a, b) => a.pos[0] - b.pos[0]);
  if (!first) return [];
  const opening = /closing .quote/.test(first.message) ? openingQuote(document, first.pos[0]) : undefined;
  return [{ at: at(opening ?? first.pos[0]), ...wordsFor(first as YAMLParseError, text) }];
}

function wordsFor({ code, message, pos }: YAMLParseError, text: string): Words {
  const [first = message] = message.split('\n');
  if (/closing .quote/.test(first)) return { message: 'the quote that is opened here is not closed' };
  const bracket = /end with a (.)$/.exec(first)?.[1];
  if (bracket)
    return {
      message: `a closing \`${bracket}\` is missing before this`,
      hint: 'Close the bracket, or indent what belongs inside.',
    };
  const known = wordsByCode[code];
  if (known) return known;
  if (/followed by map values/.test(first)) return { message: 'a `:` is missing after this key' };
  const character = text[pos[0]] === '`' ? 'a back-tick' : `\`${text[pos[0]]}\``;
  if (code === 'BAD_SCALAR_START') return { message: `a value cannot start with ${character}`, hint: quoteIt };
  if (code === 'UNEXPECTED_TOKEN')
    return { message: `\`${restOfLine(text, pos[0])}\` is not expected here`, hint: lookAround };
  return { message: `this is not YAML: ${first.charAt(0).toLowerCase()}${first.slice(1)}` };
}

const quoteIt = 'Put the whole value in quotes.';
const lookAround = 'Look at the quotes, brackets and indentation just before it.';

const wordsByCode: Partial<Record<ErrorCode, Words>> = {
  TAB_AS_INDENT: { message: 'a tab cannot be used to indent', hint: 'Indent with spaces.' },
  MULTIPLE_DOCS: {
    message: 'a second document starts here, and a file holds only one',
    hint: 'Move it to a file of its own.',
  },
  BAD_INDENT: { message: 'the indentation does not fit what is around it', hint: lookAround },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'the indentation or a `: ` makes a mapping where none can be',
    hint: 'Line it up with its neighbours, or put the value in quotes.',
  },
  MULTILINE_IMPLICIT_KEY: {
    message: 'a `:` is missing on this line, or its indentation does not fit',
    hint: lookAround,
  },
  BAD_DQ_ESCAPE: {
    message: 'this escape is not known in double quotes',
    hint: 'Write `\\\\` for a backslash, or use single quotes.',
  },
  RESOURCE_EXHAUSTION: { message: tooDeepMessage },
  ALIAS_PROPS: { message: 'an alias cannot have an anchor or a tag' },
  MULTIPLE_ANCHORS: { message: 'a value can have only one anchor' },
  BAD_DIRECTIVE: { message: 'this directive is not known; files are read as YAML 1.2' },
};

function restOfLine(text: string, offset: number): string {
  const [line = ''] = text.slice(offset, offset + 40).split(/\r?\n/);
  return line.trim();
}

function openingQuote(document: Document, closingOffset: number): number | undefined {
  let found: number | undefined;
  visit(document, {
    Scalar(_key, node) {
      const start = node.range?.[0] ?? 0;
      if (isScalar(node) && node.type?.startsWith('QUOTE') && start < closingOffset) found = start;
    },
  });
  return found;
}
