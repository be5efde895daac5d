import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { gateProblems } from './gate-problems.ts';
import { gates } from './index.ts';
import { oldGateMessage } from './old-gates.ts';

function suggested(value: unknown): unknown {
  const message = oldGateMessage(value, 'notes') ?? '';
  return parse(message.slice(message.indexOf('\n')));
}

describe('oldGateMessage', () => {
  it.each([
    [
      { type: 'min_notes', count: 3 },
      { type: 'command_json_path', command: 'notes list --format json', path: '$', assertion: 'len >= 3' },
    ],
    [
      { MinLinks: { count: 1 } },
      { type: 'command_json_path', command: 'notes export --format json', path: '$.links', assertion: 'len >= 1' },
    ],
    [
      { search_hit: { query: 'distributed systems' } },
      {
        type: 'command_output_contains',
        command: "notes search 'distributed systems'",
        substring: 'distributed systems',
      },
    ],
    [
      { type: 'NoteExists', id: 'n-1' },
      { type: 'command_succeeds', command: 'notes show n-1' },
    ],
    [{ note_exists: "it's" }, { type: 'command_succeeds', command: "notes show 'it'\\''s'" }],
    [{ note_exists: 'n-1' }, { type: 'command_succeeds', command: 'notes show n-1' }],
    [
      { type: 'tag_exists', tag: 'true' },
      { type: 'command_output_contains', command: 'notes list --format json', substring: 'true' },
    ],
    [
      { ContentContains: { id: 7, substring: "it's: #1" } },
      { type: 'command_output_contains', command: 'notes show 7', substring: "it's: #1" },
    ],
    [
      { type: 'link_exists', from: 'a', to: 'b "c"', link_type: 'rel' },
      {
        type: 'command_json_path',
        command: 'notes export --format json',
        path: '$.links[?@.from == "a" && @.to == "b \\"c\\"" && @.type == "rel"]',
        assertion: 'exists',
      },
    ],
    ['DoctorPasses', { type: 'command_succeeds', command: 'notes doctor' }],
    [{ type: 'doctor_passes' }, { type: 'command_succeeds', command: 'notes doctor' }],
    [{ DoctorPasses: null }, { type: 'command_succeeds', command: 'notes doctor' }],
  ])('%j', (old, gate) => {
    expect(suggested(old)).toEqual([gate]);
  });

  it('names the gate of old', () => {
    expect(oldGateMessage({ MinNotes: { count: 3 } }, 'notes')).toMatch(/^The gate MinNotes was removed/);
  });

  it.each([
    [{ type: 'file_exists', path: 'a' }],
    ['constructor'],
    [{ __proto__: null }],
    [null],
    [3],
    [{ MinNotes: 1, MinLinks: 2 }],
    [{ type: 'min_words' }],
  ])('has nothing to say of %j', (value) => {
    expect(oldGateMessage(value, 'notes')).toBeUndefined();
  });

  it('suggests gates that can be used, whatever the values', async () => {
    const schemas = new Map(gates.map(({ type, configSchema }) => [type, configSchema]));
    const type = fc.constantFrom(
      'min_notes',
      'SearchHit',
      'note_exists',
      'link_exists',
      'TagExists',
      'content_contains',
    );
    const word = fc.string({ unit: 'grapheme', minLength: 1 });
    const fields = fc.record({
      query: word,
      id: word,
      from: word,
      to: word,
      tag: word,
      substring: word,
      count: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(type, fields, async (name, given) => {
        const [gate] = suggested({ type: name, ...given }) as [{ type: string; substring?: string }];
        const { type: today, ...config } = gate;
        expect(schemas.get(today)?.safeParse(config).success).toBe(true);
        expect(await gateProblems({ type: today, config })).toEqual([]);
        if (name === 'content_contains') expect(gate.substring).toBe(given.substring);
      }),
      { seed: 8, numRuns: 300 },
    );
  });
});
