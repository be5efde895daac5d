import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  parseAllDocuments,
  parseDocument,
  Scalar,
  visit,
} from 'yaml';
import { type Problem, ProblemsError } from '../../domain/problem.ts';
import { mayBeDeeperThan } from '../../shared/json.ts';
import { type DataPath, LineIndex, offsetInString, type ParsedSource, valueAt } from './parsed-source.ts';
import { mostLevels, tooDeepMessage } from './refused-data.ts';
import { type At, documentProblems, syntaxProblem } from './yaml-problems.ts';
import { findRows } from './yaml-rows.ts';

/** Parses YAML 1.2 with merge keys; a small file cannot become a large one through aliases. */
export function parseYamlSource(file: string, text: string): ParsedSource {
  const lines = new LineIndex(text);
  const at: At = (offset) => lines.position(file, offset);
  const found = parsedAroundRows(text) ?? parsedWhole(text, at);
  const find = (path: DataPath): Place => found.find(path);
  return {
    file,
    value: found.value,
    locate: (path) => at(offsetOf(find(path), ({ node }) => node?.range?.[0] ?? 0)),
    locateKey: (path, key) => at(offsetOf(find(path), ({ node }) => keyOffset(node, key))),
    locateInString: (path, character) =>
      at(offsetOf(find(path), (place) => characterOffset(place.text, place.node, character))),
  };
}

/** A node, and the text that its offsets are places in. */
interface Place {
  readonly node: Node | undefined;
  readonly text: string;
  /** The offset in the file of an offset in that text. */
  inFile(offset: number): number;
}

function offsetOf(place: Place, inText: (place: Place) => number): number {
  return place.inFile(inText(place));
}

interface FoundData {
  readonly value: unknown;
  find(path: DataPath): Place;
}

function parsedWhole(text: string, at: At): FoundData {
  const several = severalDocuments(text, at);
  if (several) return several;
  const { document, problems } = parsed(text, at);
  refuse(problems);
  // The number of expanded nodes was limited; the parser's own limit counts uses, which does not limit the size.
  const value: unknown = document?.toJS({ maxAliasCount: -1 });
  return { value, find: (path) => ({ node: document && nodeAt(document, path), text, inFile: (offset) => offset }) };
}

const parseOptions = { prettyErrors: false, uniqueKeys: false, merge: true, logLevel: 'error' } as const;

/** A file with several documents is a list of them; undefined for a file with one. */
function severalDocuments(text: string, at: At): FoundData | undefined {
  if (!/^---/m.test(text) || nestingProblems(text, at).length > 0) return undefined;
  const isEmpty = ({ contents }: Document): boolean =>
    contents === null || (isScalar(contents) && contents.value === null);
  const documents = [...parseAllDocuments(text, parseOptions)].filter((document) => !isEmpty(document));
  if (documents.length < 2) return undefined;
  for (const document of documents) {
    const syntax = syntaxProblem(document, text, at);
    refuse(syntax.length > 0 ? syntax : documentProblems(document, text, at));
  }
  const nodeOf = ([index, ...path]: DataPath): Node | undefined => {
    const document = documents[Number(index ?? 0)];
    return document && nodeAt(document, path);
  };
  return {
    value: documents.map((document): unknown => document.toJS({ maxAliasCount: -1 })),
    find: (path) => ({ node: nodeOf(path), text, inFile: (offset) => offset }),
  };
}

/** The document, or the problems that it has; those of nesting are found without parsing it. */
function parsed(text: string, at: At): { readonly document?: Document; readonly problems: readonly Problem[] } {
  const nesting = nestingProblems(text, at);
  if (nesting.length > 0) return { problems: nesting };
  const document = parseDocument(text, parseOptions);
  const syntax = syntaxProblem(document, text, at);
  return { document, problems: syntax.length > 0 ? syntax : documentProblems(document, text, at) };
}

/** Stands for rows while the rest is parsed. */
const stand = 'assay-rows-of-this-list';

/**
 * A text with many rows: the rest is parsed with one item in their place, which must turn out to be an item of a list.
 * Undefined where the text has no rows, or a problem, whose words and place only the whole text gives.
 */
function parsedAroundRows(text: string): FoundData | undefined {
  const rows = findRows(text);
  if (!rows || text.includes(stand)) return undefined;
  const rest = `${text.slice(0, rows.from)}- ${stand}${text.slice(rows.to)}`;
  const { document, problems } = parsed(rest, (offset) => ({ file: '', line: 1, column: offset }));
  const place = problems.length > 0 || !document ? undefined : placeOfRows(document);
  if (!document || !place) return undefined;
  const value: unknown = document.toJS({ maxAliasCount: -1 });
  putRows(valueAt(value, place.list) as unknown[], place.index, rows.values);
  const shift = text.length - rest.length;
  const inFile = (offset: number): number => (offset > rows.from + 2 ? offset + shift : offset);
  return {
    value,
    find(path) {
      const { list, index } = place;
      const step = list.every((each, level) => path[level] === each) ? path[list.length] : undefined;
      const row = typeof step === 'number' ? step - index : -1;
      const start = rows.starts[row];
      if (start !== undefined) return inRow(text, start, path.slice(list.length + 1));
      const moved = row < 0 ? path : path.with(list.length, index + row - rows.values.length + 1);
      return { node: nodeAt(document, moved), text: rest, inFile };
    },
  };
}

function inRow(text: string, start: number, path: DataPath): Place {
  const end = text.indexOf('\n', start);
  const row = text.slice(start, end === -1 ? undefined : end);
  return { node: nodeAt(parseDocument(row), path), text: row, inFile: (offset) => start + offset };
}

/** Puts rows in the place of the item that stands for them. Items may be more than a call can have arguments. */
function putRows(list: unknown[], index: number, rows: readonly unknown[]): void {
  const after = list.splice(index).slice(1);
  for (const item of rows) list.push(item);
  for (const item of after) list.push(item);
}

/** The list that has the item for the rows; undefined where that is something else, such as a part of a text. */
function placeOfRows(document: Document): { readonly list: DataPath; readonly index: number } | undefined {
  let found: { readonly list: DataPath; readonly index: number } | undefined;
  visit(document, {
    Scalar(index, { value }, ancestors) {
      if (value !== stand || typeof index !== 'number' || !isSeq(ancestors.at(-1))) return undefined;
      found = { list: stepsTo(ancestors), index };
      return visit.BREAK;
    },
  });
  return found;
}

/** The steps from the document to the last of the nodes. */
function stepsTo(ancestors: readonly unknown[]): DataPath {
  return ancestors.flatMap((node, level): PropertyKey[] => {
    if (isPair(node)) return [isScalar(node.key) ? String(node.key.value) : ''];
    const next = ancestors[level + 1];
    return isSeq(node) && next !== undefined ? [node.items.indexOf(next)] : [];
  });
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new ProblemsError(problems);
}

/** Checked before parsing, because the parser is slow to run out of stack. */
function nestingProblems(text: string, at: At): Problem[] {
  const dashes = new RegExp(`^ *(?:[-?] +){${mostLevels}}`, 'm').exec(text);
  if (dashes) return [{ at: at(dashes.index + dashes[0].length), message: tooDeepMessage }];
  if (!mayBeDeeperThan(text, mostLevels)) return [];
  let offset = 0;
  let level = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') level++;
    else if (token === ']' || token === '}') level--;
    if (level > mostLevels) return [{ at: at(offset), message: tooDeepMessage }];
    // These control characters are marks of the lexer, which are not in the text.
    if (!/^[\u0002\u0018\u001F]$/.test(token)) offset += token.length;
  }
  return [];
}

function nodeAt(document: Document, path: DataPath): Node | undefined {
  let node: Node | undefined = document.contents ?? undefined;
  for (const step of path) {
    const around: Node | undefined = isAlias(node) ? node.resolve(document) : node;
    const next: unknown = isMap(around) || isSeq(around) ? around.get(step, true) : undefined;
    if (next === undefined) return node;
    node = next as Node;
  }
  return node;
}

function keyOffset(node: Node | undefined, key: string): number {
  const pair = isMap(node)
    ? node.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
    : undefined;
  return (isScalar(pair?.key) ? pair.key.range?.[0] : node?.range?.[0]) ?? 0;
}

function characterOffset(text: string, node: Node | undefined, character: number): number {
  const start = node?.range?.[0] ?? 0;
  if (!isScalar(node) || typeof node.value !== 'string') return start;
  if (node.type === Scalar.BLOCK_LITERAL) return offsetInBlock(text, start, node.value.slice(0, character - 1));
  return offsetInString(text, start, node.value, character);
}

/** In a `|` block each line of the value is a line of the text, moved in by the indentation of the first. */
function offsetInBlock(text: string, start: number, before: string): number {
  let lineStart = text.indexOf('\n', start) + 1;
  const indentation = text.slice(lineStart).search(/[^ ]/);
  const passed = before.split('\n');
  for (let line = 1; line < passed.length; line++) lineStart = text.indexOf('\n', lineStart) + 1;
  return lineStart + indentation + (passed.at(-1)?.length ?? 0);
}
