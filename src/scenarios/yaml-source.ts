import { isMap, isScalar, isSeq, type Node, parseDocument } from 'yaml';
import { ProblemsError } from '../domain/problem.ts';
import { type DataPath, LineIndex, offsetInString, type ParsedSource } from './parsed-source.ts';

/** Parses YAML 1.2; aliases are capped so that a small file cannot become a large one. */
export function parseYamlSource(file: string, text: string): ParsedSource {
  const lines = new LineIndex(text);
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0) {
    throw new ProblemsError(
      document.errors.map((error) => ({ at: lines.position(file, error.pos[0]), message: firstLine(error.message) })),
    );
  }
  const find = (path: DataPath): Node | undefined => nodeAt(document.contents, path);
  return {
    file,
    value: toValue(),
    locate: (path) => lines.position(file, find(path)?.range?.[0] ?? 0),
    locateKey: (path, key) => lines.position(file, keyOffset(find(path), key)),
    locateInString: (path, character) => {
      const node = find(path);
      const start = node?.range?.[0] ?? 0;
      const value = isScalar(node) && typeof node.value === 'string' ? node.value : '';
      return lines.position(file, offsetInString(text, start, value, character));
    },
  };

  function toValue(): unknown {
    try {
      return document.toJS({ maxAliasCount: 100 });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new ProblemsError([{ at: { file, line: 1, column: 1 }, message: firstLine(message) }]);
    }
  }
}

function nodeAt(root: Node | null, path: DataPath): Node | undefined {
  let node: Node | undefined = root ?? undefined;
  for (const step of path) {
    const next: unknown = isMap(node) || isSeq(node) ? node.get(step, true) : undefined;
    if (next === undefined) return node;
    node = next as Node;
  }
  return node;
}

function keyOffset(node: Node | undefined, key: string): number {
  const pair = isMap(node) ? node.items.find((item) => isScalar(item.key) && item.key.value === key) : undefined;
  return (isScalar(pair?.key) ? pair.key.range?.[0] : node?.range?.[0]) ?? 0;
}

function firstLine(message: string): string {
  return message.split('\n')[0] ?? message;
}
