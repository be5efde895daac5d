import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { FilePosition } from '../../domain/errors.ts';
import { type Problem, ProblemsError } from '../../domain/problem.ts';
import { type DataPath, LineIndex, offsetInString, type ParsedSource } from './parsed-source.ts';
import { mayBeTooDeep, mostLevels, repeatedKey, tooDeepMessage } from './refused-data.ts';

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
function jsonSyntaxWords(code: string, text: string): Words {
  if (code !== 'InvalidSymbol') return wordsByCode[code] ?? { message: 'this is not JSON' };
  if (text.startsWith("'")) return { message: 'single quotes are not JSON', hint: 'Use double quotes.' };
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return {
    message: `\`${shown}\` is not JSON`,
    hint: 'Keys and texts stand in double quotes; else only numbers, true, false and null.',
  };
}

/** Parses JSON that begins at a line of a file; comments and trailing commas are accepted. */
export function parseJsonSource(file: string, text: string, firstLine = 1): ParsedSource {
  const lines = new LineIndex(text, firstLine);
  const at = (offset: number): FilePosition => lines.position(file, offset);
  const root = parseRoot(text, at);
  const repeated = repeatedKeys(root, at);
  if (repeated.length > 0) throw new ProblemsError(repeated);
  const find = (path: DataPath): Node => nodeAt(root, path);
  return {
    file,
    value: getNodeValue(root),
    locate: (path) => at(find(path).offset),
    locateKey: (path, key) => {
      const property = find(path).children?.find((child) => child.children?.[0]?.value === key);
      return at(property?.offset ?? find(path).offset);
    },
    locateInString: (path, character) => {
      const node = find(path);
      return at(offsetInString(text, node.offset, String(node.value ?? ''), character));
    },
  };
}

function parseRoot(text: string, at: (offset: number) => FilePosition): Node {
  const deepOffset = mayBeTooDeep(text) ? tooDeepOffset(text) : undefined;
  if (deepOffset !== undefined) throw new ProblemsError([{ at: at(deepOffset), message: tooDeepMessage }]);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (root && !first) return root;
  if (!first || text.trim() === '') throw new ProblemsError([{ at: at(0), message: 'the file is empty' }]);
  const stumbledOver = text.slice(first.offset, first.offset + first.length);
  throw new ProblemsError([
    { at: at(first.offset), ...jsonSyntaxWords(printParseErrorCode(first.error), stumbledOver) },
  ]);
}

function tooDeepOffset(text: string): number | undefined {
  const scanner = createScanner(text, true);
  let level = 0;
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const first = text[scanner.getTokenOffset()];
    if (first === '[' || first === '{') level++;
    else if (first === ']' || first === '}') level--;
    if (level > mostLevels) return scanner.getTokenOffset();
  }
  return undefined;
}

function repeatedKeys(node: Node, at: (offset: number) => FilePosition): ReturnType<typeof repeatedKey>[] {
  const seen = new Map<string, number>();
  return (node.children ?? []).flatMap((child) => {
    if (node.type !== 'object') return repeatedKeys(child, at);
    const [key, value] = child.children ?? [];
    const name = String(key?.value);
    const first = seen.get(name);
    if (first === undefined) seen.set(name, child.offset);
    const here = first === undefined ? [] : [repeatedKey(name, at(child.offset), at(first))];
    return value ? [...here, ...repeatedKeys(value, at)] : here;
  });
}

function nodeAt(root: Node, path: DataPath): Node {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length).map(asSegment));
    if (node) return node;
  }
  return root;
}

function asSegment(step: PropertyKey): string | number {
  return typeof step === 'symbol' ? String(step) : step;
}
