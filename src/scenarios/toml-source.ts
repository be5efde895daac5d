import { parse, TomlError } from 'smol-toml';
import { ProblemsError } from '../domain/problem.ts';
import type { DataPath, ParsedSource } from './parsed-source.ts';

/** Parses TOML; the parser tells no positions of values, so keys are found by looking for them. */
export function parseTomlSource(file: string, text: string): ParsedSource {
  const rows = text.split('\n');
  const locate = (path: DataPath) => {
    const key = [...path].reverse().find((step) => typeof step === 'string');
    const line = key === undefined ? -1 : rows.findIndex((row) => mentionsKey(row, key));
    const column = line < 0 ? 1 : (rows[line]?.search(/\S/) ?? 0) + 1;
    return { file, line: Math.max(line, 0) + 1, column };
  };
  return {
    file,
    value: parseToml(),
    locate,
    locateKey: (path, key) => locate([...path, key]),
    locateInString: (path) => locate(path),
  };

  function parseToml(): unknown {
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      const message = error.message.split('\n')[0] ?? error.message;
      throw new ProblemsError([{ at: { file, line: error.line, column: error.column }, message }]);
    }
  }
}

function mentionsKey(row: string, key: string): boolean {
  const start = row.trimStart().replace(/^\[+/, '').replace(/^"/, '');
  return start.startsWith(key) && /^["\s.=\]]/.test(start.slice(key.length));
}
