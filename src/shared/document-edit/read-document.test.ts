import { describe, expect, it } from 'vitest';
import { pathAt, positionOf, readDocument, type Syntax } from './read-document.ts';

const yaml = `name: A
evaluators:
  - type: regex
    config: { pattern: "(", foo: 1 }
  - type: latency-budget
    config: {}
repeat: many
`;

function read(text: string, syntax: Syntax = 'yaml') {
  const document = readDocument(text, syntax);
  if (!document.isReadable) throw new Error(document.message);
  return document;
}

describe('a place in the text', () => {
  it('belongs to the innermost value that stands there', () => {
    const document = read(yaml);
    const at = (line: number, column: number) => pathAt(document, { line, column }).join('.');
    expect([at(1, 7), at(3, 11), at(4, 24), at(4, 29), at(6, 13), at(7, 9)]).toEqual([
      'name',
      'evaluators.0.type',
      'evaluators.0.config.pattern',
      'evaluators.0.config.foo',
      'evaluators.1.config',
      'repeat',
    ]);
  });

  it('belongs to the whole where nothing stands there', () => {
    expect(pathAt(read(yaml), { line: 99, column: 1 })).toEqual([]);
    expect(pathAt(read('# only a comment\n'), { line: 1, column: 3 })).toEqual([]);
  });

  it('is the same in JSON, whatever its comments hold', () => {
    const json = '{\n  // "name": "x"\n  "name": "a", /* { */ "list": [1, "two"]\n}';
    expect(pathAt(read(json, 'json'), { line: 3, column: 37 })).toEqual(['list', 1]);
  });
});

describe('a value', () => {
  it('has a place, or that of what holds it', () => {
    const document = read(yaml);
    expect(positionOf(document, ['evaluators', 0, 'config', 'pattern'])).toEqual({ line: 4, column: 24 });
    expect(positionOf(document, ['evaluators', 1, 'config', 'maxMs'])).toEqual({ line: 6, column: 13 });
  });
});
