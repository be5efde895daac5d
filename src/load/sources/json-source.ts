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
import { mayBeDeeperThan, parseJson } from '../../shared/json.ts';
import { shorten } from '../../shared/text.ts';
import { isSuspicious, offsetInJson } from './json-measure.ts';
import { type DataPath, LineIndex, offsetInString, type ParsedSource } from './parsed-source.ts';
import { duplicateKey, mostLevels, tooDeepMessage } from './refused-data.ts';

type Words = Pick<Problem, 'message' | 'hint'>;

const wordsByCode: Readonly<Record<string, Words>> = {
  ValueExpected: { message: 'a value is missing' },
  PropertyNameExpected: { message: 'a key in double quotes is missing' },
  ColonExpected: { message: 'a `:` is missing between the key and its value' },
  CommaExpected: { message: 'a `,` is missing before this' },
  CloseBraceExpected: { message: 'a closing `}` is missing' },
  CloseBracketExpected: { message: 'a closing `]` is missing' },
  EndOfFileExpected: {
    message: 'unexpected text after the end of the data',
    hint: 'Put several values in a list.',
  },
  UnexpectedEndOfString: { message: 'the quote is not closed on this line' },
  UnexpectedEndOfComment: { message: 'the comment is not closed' },
  UnexpectedEndOfNumber: { message: 'the number is incomplete' },
  InvalidUnicode: { message: '`\\u` must be followed by four hexadecimal digits' },
  InvalidEscapeCharacter: {
    message: 'unknown escape sequence',
    hint: 'Write `\\\\` for a backslash.',
  },
  InvalidCharacter: { message: 'tab or control character in text', hint: 'Write `\\t` for a tab.' },
};

/** Message for a syntax error; `text` is the unexpected part. */
function jsonSyntaxWords(code: string, text: string): Words {
  if (code !== 'InvalidSymbol') return wordsByCode[code] ?? { message: 'invalid JSON' };
  if (text.startsWith("'")) return { message: 'single quotes are not valid in JSON', hint: 'Use double quotes.' };
  return {
    message: `\`${shorten(text, 40)}\` is not valid JSON`,
    hint: 'Put keys and texts in double quotes; other values are numbers, true, false and null.',
  };
}

/** Positions that are found by reading the text again; a tree of it is worth its price for more of them. */
const mostReadings = 8;

/** Parses JSON that begins at a line of a file; comments and trailing commas are accepted. */
export function parseJsonSource(file: string, text: string, firstLine = 1): ParsedSource {
  const lines = new LineIndex(text, firstLine);
  const at = (offset: number): FilePosition => lines.position(file, offset);
  const plain = plainValue(text);
  let located = 0;
  let root: Node | undefined;
  const tree = (): Node => {
    root ??= parseRoot(text, at);
    return root;
  };
  const find = (path: DataPath): Node => nodeAt(tree(), path);
  return {
    file,
    value: plain === undefined ? checkedValue(tree(), at) : plain.value,
    locate: (path) => {
      const isFoundByReading = plain !== undefined && root === undefined && ++located <= mostReadings;
      return at(isFoundByReading ? offsetInJson(text, path) : find(path).offset);
    },
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

/**
 * The value of a text in which there is nothing to report: positions are then needed only for what its readers find.
 * The two parsers differ in what they make of the key `__proto__` and of a byte order mark.
 */
function plainValue(text: string): { readonly value: unknown } | undefined {
  if (/^\uFEFF|__proto__|\\u005f/i.test(text)) return undefined;
  const value = parseJson(text);
  return value === undefined || isSuspicious(text, value) ? undefined : { value };
}

function checkedValue(root: Node, at: (offset: number) => FilePosition): unknown {
  const duplicates = duplicateKeys(root, at);
  if (duplicates.length > 0) throw new ProblemsError(duplicates);
  return getNodeValue(root);
}

function parseRoot(text: string, at: (offset: number) => FilePosition): Node {
  const deepOffset = mayBeDeeperThan(text, mostLevels) ? tooDeepOffset(text) : undefined;
  if (deepOffset !== undefined) throw new ProblemsError([{ at: at(deepOffset), message: tooDeepMessage }]);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (root && !first) return root;
  if (!first || text.trim() === '') throw new ProblemsError([{ at: at(0), message: 'the file is empty' }]);
  const unexpected = text.slice(first.offset, first.offset + first.length);
  throw new ProblemsError([{ at: at(first.offset), ...jsonSyntaxWords(printParseErrorCode(first.error), unexpected) }]);
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

function duplicateKeys(node: Node, at: (offset: number) => FilePosition): ReturnType<typeof duplicateKey>[] {
  const offsets = new Map<string, number>();
  return (node.children ?? []).flatMap((child) => {
    if (node.type !== 'object') return duplicateKeys(child, at);
    const [key, value] = child.children ?? [];
    const name = String(key?.value);
    const first = offsets.get(name);
    if (first === undefined) offsets.set(name, child.offset);
    const here = first === undefined ? [] : [duplicateKey(name, at(child.offset), at(first))];
    return value ? [...here, ...duplicateKeys(value, at)] : here;
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
