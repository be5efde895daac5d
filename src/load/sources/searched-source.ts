import type { FilePosition } from '../../domain/errors.ts';
import { type DataPath, LineIndex, type ParsedSource } from './parsed-source.ts';

/** A source whose parser tells no positions: each key of a path is looked for after the one around it. */
export function searchedSource(file: string, text: string, value: unknown): ParsedSource {
  const lines = new LineIndex(text);
  const find = (path: DataPath): { readonly key: number; readonly value: number } => {
    let found = { key: 0, value: 0 };
    for (const step of path) {
      if (typeof step !== 'string') continue;
      const mention = mentionOf(step, text, found.value);
      if (!mention) break;
      found = mention;
    }
    return found;
  };
  const at = (offset: number): FilePosition => lines.position(file, offset);
  return {
    file,
    value,
    locate: (path) => at(find(path).value),
    locateKey: (path, key) => at(find([...path, key]).key),
    locateInString: (path) => at(find(path).value),
  };
}

/** `key = value`, `key: value` or `[key]`, where no comment begins before it on its line. */
function mentionOf(
  key: string,
  text: string,
  from: number,
): { readonly key: number; readonly value: number } | undefined {
  const name = key.replace(/[^\w]/g, '\\$&');
  const mention = new RegExp(`(?<=^|[{,\\[(\\s.])(["']?)${name}\\1(?:\\s*[:=]\\s*|\\s*\\]+)`, 'gm');
  mention.lastIndex = from;
  for (let match = mention.exec(text); match; match = mention.exec(text)) {
    const lineStart = text.lastIndexOf('\n', match.index) + 1;
    const isComment = /^\s*(?:#|\/\/|\*)/.test(text.slice(lineStart, match.index));
    if (!isComment) return { key: match.index, value: match.index + match[0].length };
  }
  return undefined;
}
