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
import { ProblemsError } from '../../domain/problem.ts';
import { jsonSyntaxWords } from './json-syntax-words.ts';
import { mayBeTooDeep, mostLevels, tooDeepMessage } from './nesting.ts';
import { offsetInString } from './offset-in-string.ts';
import { type DataPath, LineIndex, type ParsedSource } from './parsed-source.ts';
import { repeatedKey } from './repeated-key.ts';

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
