import type { Problem } from '../../domain/problem.ts';

type Words = Pick<Problem, 'message' | 'hint'>;

const wordsByCode: Readonly<Record<string, Words>> = {
  ValueExpected: { message: 'a value is missing here' },
  PropertyNameExpected: { message: 'a key in double quotes is missing here' },
  ColonExpected: { message: 'a `:` is missing between the key and its value' },
  CommaExpected: { message: 'a `,` is missing before this' },
  CloseBraceExpected: { message: 'a closing `}` is missing' },
  CloseBracketExpected: { message: 'a closing `]` is missing' },
  EndOfFileExpected: {
    message: 'nothing may follow the end of the data',
    hint: 'A file holds one value; several belong in a list.',
  },
  UnexpectedEndOfString: { message: 'the quote that is opened here is not closed on its line' },
  UnexpectedEndOfComment: { message: 'the comment that is opened here is not closed' },
  UnexpectedEndOfNumber: { message: 'this number ends too early' },
  InvalidUnicode: { message: 'this text has a `\\u` that four hexadecimal digits do not follow' },
  InvalidEscapeCharacter: {
    message: 'this text has an escape that JSON does not know',
    hint: 'Write `\\\\` for a backslash.',
  },
  InvalidCharacter: { message: 'this text has a tab or control character', hint: 'Write `\\t` for a tab.' },
};

/** What is wrong with JSON, in the user's words; `text` is what the parser stumbled over. */
export function jsonSyntaxWords(code: string, text: string): Words {
  if (code !== 'InvalidSymbol') return wordsByCode[code] ?? { message: 'this is not JSON' };
  if (text.startsWith("'")) return { message: 'single quotes are not JSON', hint: 'Use double quotes.' };
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return {
    message: `\`${shown}\` is not JSON`,
    hint: 'Keys and texts stand in double quotes; else only numbers, true, false and null.',
  };
}
