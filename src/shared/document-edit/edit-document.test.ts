import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { repetitions } from '../../testing/support/repetitions.ts';
import { changedValue, type DocumentChange } from './document-change.ts';
import { editDocument } from './edit-document.ts';
import { readDocument, type Syntax } from './read-document.ts';

const scenario = `# What this file is for
name: Search orders # unique

# How the tool is called
call: { module: ./tool.ts,   export: search }
tags: [ smoke,slow ]
task:
  prompt: |
    First line
    second line
evaluators:
- type: regex
  config: { pattern: 'a''b' }   # quoted
  # about the next one
- type: latency-budget
  config:
      maxMs:   12
# The end
repeat: "2"
`;

function edit(text: string, change: DocumentChange, syntax: Syntax = 'yaml', keyOrder?: readonly string[]) {
  return editDocument(text, syntax, change, keyOrder);
}

function changedLines(before: string, after: string | undefined): { gone: string[]; added: string[] } {
  const old = before.split('\n');
  const now = (after ?? '').split('\n');
  return { gone: old.filter((line) => !now.includes(line)), added: now.filter((line) => !old.includes(line)) };
}

describe('a text or number in YAML', () => {
  it('is replaced and nothing else', () => {
    const edited = edit(scenario, { kind: 'set', path: ['name'], value: 'Find: orders' });
    expect(changedLines(scenario, edited)).toEqual({
      gone: ['name: Search orders # unique'],
      added: ['name: "Find: orders" # unique'],
    });
  });

  it('keeps its quotes, and gets some where it must have them', () => {
    expect(edit(scenario, { kind: 'set', path: ['repeat'], value: '3' })).toContain('repeat: "3"');
    expect(edit(scenario, { kind: 'set', path: ['repeat'], value: 3 })).toContain('repeat: 3');
    const pattern: DocumentChange = { kind: 'set', path: ['evaluators', 0, 'config', 'pattern'], value: 'x, y}' };
    expect(edit(scenario, pattern)).toContain("config: { pattern: 'x, y}' }   # quoted");
  });

  it('of several lines stays a block of lines', () => {
    const edited = edit(scenario, { kind: 'set', path: ['task', 'prompt'], value: 'First line\n# no comment\n' });
    expect(edited).toContain('prompt: |\n    First line\n    # no comment\nevaluators:');
    expect(edited).toContain('tags: [ smoke,slow ]');
  });
});

describe('lists in YAML', () => {
  it('take an item at the end, and leave the other keys as they were typed', () => {
    const value = { type: 'duration' };
    const edited = edit(scenario, { kind: 'insert', path: ['evaluators'], index: 2, value });
    expect(edited).toContain('- type: duration');
    expect(edited).toContain('call: { module: ./tool.ts,   export: search }');
    expect(edited).toContain('# about the next one');
    expect(edited).toContain('# The end\nrepeat: "2"');
  });

  it('are made where there are none', () => {
    const value = { type: 'duration', config: {} };
    const edited = edit('name: A\nrepeat: 2\n', { kind: 'insert', path: ['evaluators'], index: 0, value }, 'yaml', [
      'name',
      'evaluators',
      'repeat',
    ]);
    expect(edited).toBe('name: A\nevaluators:\n  - type: duration\n    config: {}\nrepeat: 2\n');
  });

  it('lose and move items, each with its comment', () => {
    const removed = edit(scenario, { kind: 'remove', path: ['evaluators', 0] });
    expect(removed).not.toContain('regex');
    const swapped = edit(scenario, { kind: 'move', path: ['evaluators'], from: 1, to: 0 });
    expect(swapped?.indexOf('latency-budget')).toBeLessThan(swapped?.indexOf('regex') ?? -1);
    expect(swapped).toContain('# quoted');
  });

  it('on one line stay on one line', () => {
    expect(edit(scenario, { kind: 'insert', path: ['tags'], index: 2, value: 'new' })).toContain(
      'tags: [ smoke,slow, new ]',
    );
    expect(edit('tags: [a]\n', { kind: 'remove', path: ['tags', 0] })).toBe('tags: []\n');
    expect(edit('tags: []\n', { kind: 'insert', path: ['tags'], index: 0, value: 'a' })).toBe('tags: [a]\n');
  });
});

describe('the rest of a file', () => {
  it('keeps its line ends, its blank lines and the comments beside what goes', () => {
    const lines = 'a: 1\r\nb:\r\n  - x\r\n';
    expect(edit(lines, { kind: 'insert', path: ['b'], index: 1, value: 'y' })).toBe('a: 1\r\nb:\r\n  - x\r\n  - y\r\n');
    expect(edit('a:\nb: 1\n', { kind: 'set', path: ['a', 'x'], value: 1 })).toBe('a:\n  x: 1\nb: 1\n');
    expect(edit('a: 1\n\nb: 2\n', { kind: 'set', path: ['a'], value: { x: 1 } })).toBe('a:\n  x: 1\n\nb: 2\n');
    const flow = 'a: [\n  1, # one\n  2, # two\n]\n';
    expect(edit(flow, { kind: 'remove', path: ['a', 1] })).toBe('a: [\n  1, # one\n   # two\n]\n');
  });
});

describe('JSON with comments', () => {
  const json = `{
  // who is talked to
  "connector": { "type": "http", "baseUrl": "http://a" }, /* local, for now */
  "evaluators": [
    // Assertions
    { "type": "regex", "config": { "pattern": "BK-\\\\d" } }, // first, of all
    { "type": "duration" } // last
  ]
}
`;
  it('keeps every comment when values change, come, move and go', () => {
    const set = edit(json, { kind: 'set', path: ['connector', 'baseUrl'], value: 'http://b' }, 'json');
    expect(set).toBe(json.replace('http://a', 'http://b'));
    const added = edit(
      json,
      { kind: 'insert', path: ['evaluators'], index: 2, value: { type: 'x', config: {} } },
      'json',
    );
    expect(added).toContain('{ "type": "duration" },\n    { "type": "x", "config": {} } // last');
    const swapped = edit(json, { kind: 'move', path: ['evaluators'], from: 1, to: 0 }, 'json');
    expect(swapped).toContain('    { "type": "duration" }, // first, of all');
    const first = edit(json, { kind: 'remove', path: ['evaluators', 0] }, 'json');
    expect(first).toContain('// Assertions');
    const last = edit(json, { kind: 'remove', path: ['evaluators', 1] }, 'json');
    expect(last).toContain('// first, of all');
    expect(readDocument(last ?? '', 'json')).toMatchObject({ isReadable: true });
    const named = edit(json, { kind: 'set', path: ['name'], value: 'A "b"' }, 'json');
    expect(named).toContain('"name": "A \\"b\\""');
  });
});

describe('an empty file', () => {
  it('gets its first key after its comments', () => {
    expect(edit('', { kind: 'set', path: ['name'], value: 'A' })).toBe('name: A\n');
    expect(edit('# hello\n', { kind: 'set', path: ['a', 'b'], value: 1 })).toBe('# hello\na:\n  b: 1\n');
    expect(edit('', { kind: 'set', path: ['name'], value: 'A' }, 'json')).toBe('{\n  "name": "A"\n}\n');
  });
});

describe('a file that cannot be read', () => {
  it('is not edited, and says where it breaks', () => {
    expect(edit('a: [1', { kind: 'set', path: ['a'], value: 1 })).toBeUndefined();
    expect(readDocument('name: A\ncall: { module: x\n', 'yaml')).toMatchObject({
      isReadable: false,
      position: { line: 3, column: 1 },
    });
  });

  it('leaves aliases whole', () => {
    const text = 'a: &one { x: 1 }\nb: *one\nc: [*one]\n';
    const edited = edit(text, { kind: 'set', path: ['b', 'x'], value: 2 });
    expect(edited && readDocument(edited, 'yaml')).toMatchObject({
      value: { a: { x: 1 }, b: { x: 2 }, c: [{ x: 1 }] },
    });
  });
});

const word = fc.constantFrom('a', 'b b', '- c', 'd: e', '#f', "g'h", '{i', '"j', 'k\nl', '', 'true', '1', '~', '*m');
const scalar = fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null));
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('x', 'y', 'z w', 'k:'), tie('tree'), { maxKeys: 3 }),
  ),
}));
const start = fc.dictionary(fc.constantFrom('name', 'list', 'map', 'other'), tree, { minKeys: 1, maxKeys: 4 });
const changes: fc.Arbitrary<DocumentChange> = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), path: paths(), value: tree }),
  fc.record({ kind: fc.constant('remove' as const), path: paths() }),
  fc.record({ kind: fc.constant('insert' as const), path: fc.constant(['list']), index: fc.constant(0), value: tree }),
  fc.record({ kind: fc.constant('move' as const), path: fc.constant(['list']), from: fc.nat(2), to: fc.nat(2) }),
);

function paths() {
  const key = fc.constantFrom('name', 'list', 'map', 'other');
  return fc
    .tuple(key, fc.array(fc.constantFrom('x', 'y', 'z w'), { maxLength: 2 }))
    .map(([first, rest]) => [first, ...rest]);
}

describe('whatever is edited', () => {
  it('holds the requested value, in YAML of both styles and in JSON', () => {
    const written: readonly [Syntax, (value: unknown) => string][] = [
      ['yaml', (value) => `# top\n${stringify(value)}# bottom\n`],
      ['yaml', (value) => stringify(value, { collectionStyle: 'flow' })],
      ['json', (value) => `// top\n${JSON.stringify(value, null, 2)}\n`],
    ];
    const all = fc.tuple(fc.constantFrom(...written), start, fc.array(changes, { minLength: 1, maxLength: 4 }));
    fc.assert(
      fc.property(all, ([[syntax, write], value, edits]) => {
        let text = write(value);
        let expected: unknown = value;
        for (const change of edits) {
          const isMoveOfNothing = change.kind === 'move' && !Array.isArray(value.list);
          if (isMoveOfNothing) continue;
          const edited = editDocument(text, syntax, change);
          if (edited === undefined) continue;
          expected = changedValue(expected, change);
          text = edited;
          const read = readDocument(text, syntax);
          expect(read.isReadable && (read.value ?? {})).toEqual(expected);
          if (write === written[0]?.[1]) expect(text).toContain('# top');
        }
      }),
      { seed: 8, numRuns: repetitions({ usual: 30, inFull: 150 }) },
    );
  });
});
