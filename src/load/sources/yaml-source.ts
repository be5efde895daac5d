import { type Document, isAlias, isMap, isScalar, isSeq, Lexer, type Node, parseDocument, Scalar } from 'yaml';
import { type Problem, ProblemsError } from '../../domain/problem.ts';
import { type DataPath, LineIndex, offsetInString, type ParsedSource } from './parsed-source.ts';
import { mayBeTooDeep, mostLevels, tooDeepMessage } from './refused-data.ts';
import { type At, documentProblems, syntaxProblem } from './yaml-problems.ts';

/** Parses YAML 1.2 with merge keys; a small file cannot become a large one through aliases. */
export function parseYamlSource(file: string, text: string): ParsedSource {
  const lines = new LineIndex(text);
  const at: At = (offset) => lines.position(file, offset);
  refuse(nestingProblems(text, at));
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false, merge: true, logLevel: 'error' });
  refuse(syntaxProblem(document, text, at));
  refuse(documentProblems(document, text, at));
  const find = (path: DataPath): Node | undefined => nodeAt(document, path);
  return {
    file,
    // The number of expanded nodes was limited above; the parser's own limit counts uses, which does not limit the size.
    value: document.toJS({ maxAliasCount: -1 }),
    locate: (path) => at(find(path)?.range?.[0] ?? 0),
    locateKey: (path, key) => at(keyOffset(find(path), key)),
    locateInString: (path, character) => at(characterOffset(text, find(path), character)),
  };
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new ProblemsError(problems);
}

/** Checked before parsing, because the parser is slow to run out of stack. */
function nestingProblems(text: string, at: At): Problem[] {
  const dashes = new RegExp(`^ *(?:[-?] +){${mostLevels}}`, 'm').exec(text);
  if (dashes) return [{ at: at(dashes.index + dashes[0].length), message: tooDeepMessage }];
  if (!mayBeTooDeep(text)) return [];
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
