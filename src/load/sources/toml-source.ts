import { parse, TomlError } from 'smol-toml';
import { ProblemsError } from '../../domain/problem.ts';
import { LineIndex, type ParsedSource } from './parsed-source.ts';
import { TomlPositions } from './toml-positions.ts';

/** Parses TOML. */
export function parseTomlSource(file: string, text: string): ParsedSource {
  const value = parseToml(file, text);
  const lines = new LineIndex(text);
  const positions = new TomlPositions(text);
  return {
    file,
    value,
    locate: (path) => lines.position(file, positions.find(path).value),
    locateKey: (path, key) => lines.position(file, positions.find([...path, key]).key),
    locateInString: (path) => lines.position(file, positions.find(path).value),
  };
}

function parseToml(file: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ''] = error.message.split('\n');
    const reason = first.replace('Invalid TOML document: ', '');
    throw new ProblemsError([
      {
        at: { file, line: error.line, column: error.column },
        message: wordsFor[reason] ?? `this is not TOML: ${reason}`,
      },
    ]);
  }
}

const wordsFor: Readonly<Record<string, string>> = {
  'document contains excessively nested structures. aborting.': 'this is nested too deeply',
  'invalid value': 'this is not a value; texts stand in quotes',
  'trying to redefine an already defined table or value': 'this key or table is there twice',
  'control characters are not allowed in strings': 'the quote before this is not closed on its line',
  'illegal character in key': 'a `=` is missing after the key, or the key needs quotes',
  'unexpected end of key': 'a key is missing before `=`',
  'expected comma or end of structure': 'a `,` or a closing bracket is missing before this',
};
