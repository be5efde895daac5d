import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { ProblemsError } from '../domain/problem.ts';
import { type DataPath, LineIndex, offsetInString, type ParsedSource } from './parsed-source.ts';

/** Parses JSON; comments and trailing commas are accepted. */
export function parseJsonSource(file: string, text: string): ParsedSource {
  const lines = new LineIndex(text);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (!root || errors.length > 0) {
    const first = errors[0];
    const message = first ? spacedWords(printParseErrorCode(first.error)) : 'the file is empty';
    throw new ProblemsError([{ at: lines.position(file, first?.offset ?? 0), message }]);
  }
  const find = (path: DataPath): Node => nodeAt(root, path);
  return {
    file,
    value: getNodeValue(root),
    locate: (path) => lines.position(file, find(path).offset),
    locateKey: (path, key) => {
      const property = find(path).children?.find((child) => child.children?.[0]?.value === key);
      return lines.position(file, property?.offset ?? find(path).offset);
    },
    locateInString: (path, character) => {
      const node = find(path);
      return lines.position(file, offsetInString(text, node.offset, String(node.value ?? ''), character));
    },
  };
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

/** `PropertyNameExpected` as `property name expected`. */
function spacedWords(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}
