import { describe, expect, it } from 'vitest';
import { fieldProblems } from './field-problems.ts';
import type { FormField, GroupField } from './form-field.ts';
import { readForeignForm, readForm } from './read-form.ts';
import { branchOf, emptyValue } from './union-branch.ts';

function group(properties: Record<string, unknown>, required: readonly string[] = []): GroupField {
  const field = readForm({ type: 'object', properties, required, additionalProperties: false });
  if (field.kind !== 'group') throw new Error(`not a group but ${field.kind}`);
  return field;
}

function only(schema: Record<string, unknown>): FormField {
  return readForm(schema, 'It');
}

describe('a form read from a JSON Schema', () => {
  it('keeps the keys of the tools of others as they are written', () => {
    const schema = { type: 'object', properties: { sku: { type: 'string' }, maxMs: { type: 'number' } } };
    const labels = (field: FormField) =>
      field.kind === 'group' ? field.entries.map(({ field: inner }) => inner.label) : [];
    expect(labels(readForeignForm(schema))).toEqual(['sku', 'maxMs']);
    expect(labels(readForm(schema))).toEqual(['Sku', 'Max ms']);
  });

  it('has a field for every property, with its label, description, default and whether it is needed', () => {
    const { entries } = group(
      {
        maxMs: { type: 'number', exclusiveMinimum: 0, maximum: 10, description: 'the limit' },
        on_end: { type: 'boolean', default: true },
      },
      ['maxMs'],
    );
    expect(entries).toMatchObject([
      {
        key: 'maxMs',
        field: {
          kind: 'number',
          label: 'Max ms',
          description: 'the limit',
          isRequired: true,
          minimum: 0,
          isMinimumOutside: true,
          maximum: 10,
        },
      },
      { key: 'on_end', field: { kind: 'switch', label: 'On end', fallback: true, isRequired: false } },
    ]);
  });

  it('spells units, and names a shape without required keys', () => {
    const field = only({
      anyOf: [{ type: 'boolean' }, { type: 'object', properties: { maxGrowthKBPerCall: { type: 'number' } } }],
    });
    if (field.kind !== 'union') throw new Error(field.kind);
    expect(field.branches.map(({ label }) => label)).toEqual(['Yes or no', 'Settings']);
    expect(field.branches[1]?.field).toMatchObject({ entries: [{ field: { label: 'Max growth KB per call' } }] });
  });

  it('makes choices of enums, constants and unions of them', () => {
    const isolation = only({
      anyOf: [
        { type: 'string', enum: ['none', 'process'] },
        { type: 'string', const: 'auto' },
      ],
    });
    expect(isolation).toMatchObject({
      kind: 'choice',
      options: [{ value: 'none' }, { value: 'process' }, { value: 'auto' }],
    });
  });

  it('shows a text or several of them as two shapes of one value', () => {
    const text = only({ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }] });
    if (text.kind !== 'union') throw new Error(text.kind);
    expect(text.branches.map(({ label }) => label)).toEqual(['Text', 'Several']);
    expect([branchOf(text, 'a'), branchOf(text, ['a']), branchOf(text, undefined)]).toEqual([0, 1, 0]);
  });

  it('distinguishes maps by their constant, or by their required keys', () => {
    const server = only({
      oneOf: [
        {
          type: 'object',
          properties: { transport: { const: 'stdio' }, command: { type: 'string' } },
          required: ['transport', 'command'],
        },
        {
          type: 'object',
          properties: { transport: { const: 'sse' }, url: { type: 'string' } },
          required: ['transport', 'url'],
        },
      ],
    });
    if (server.kind !== 'union') throw new Error(server.kind);
    expect(server.branches.map(({ label }) => label)).toEqual(['stdio', 'sse']);
    expect(branchOf(server, { transport: 'sse', command: 'x' })).toBe(1);
    expect(server.branches[1] && emptyValue(server.branches[1].field)).toEqual({ transport: 'sse' });
    const call = only({
      anyOf: [
        { type: 'object', properties: { module: { type: 'string' } }, required: ['module'] },
        { type: 'object', properties: { url: { type: 'string' }, method: { type: 'string' } }, required: ['url'] },
      ],
    });
    if (call.kind !== 'union') throw new Error(call.kind);
    expect([branchOf(call, { module: 'x' }), branchOf(call, { url: 'x' })]).toEqual([0, 1]);
  });

  it('reads values by name, lists of groups and references', () => {
    expect(only({ type: 'object', additionalProperties: { type: 'string' } })).toMatchObject({
      kind: 'record',
      value: { kind: 'text' },
    });
    const list = {
      type: 'array',
      items: { $ref: '#/$defs/person' },
      $defs: { person: { type: 'object', properties: { name: { type: 'string' } } } },
    };
    expect(only(list)).toMatchObject({ kind: 'list', item: { kind: 'group', entries: [{ key: 'name' }] } });
  });

  it('leaves everything else to a YAML field, schemas that hold themselves too', () => {
    expect(only({}).kind).toBe('anything');
    expect(only({ type: 'array' }).kind).toBe('anything');
    expect(only({ type: 'object' }).kind).toBe('anything');
    const tree = readForm({
      $ref: '#/$defs/tree',
      $defs: { tree: { type: 'array', items: { $ref: '#/$defs/tree' } } },
    });
    expect(tree.kind).toBe('list');
  });
});

describe('what is wrong with a value', () => {
  const form = group(
    {
      pattern: { type: 'string', minLength: 1 },
      samples: { type: 'integer', minimum: 1, maximum: 25 },
      mode: { type: 'string', enum: ['a', 'b'] },
      tags: { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
    },
    ['pattern'],
  );

  it('is reported at its place', () => {
    const value = { samples: 26.5, mode: 'c', tags: ['x', ''], other: 1 };
    expect(fieldProblems(form, value).map(({ path, message }) => `${path.join('.')}: ${message}`)).toEqual([
      'pattern: This is required',
      'samples: This is a whole number',
      'mode: One of: a, b',
      'tags.1: This cannot be empty',
      'other: Unknown setting other',
    ]);
  });

  it('is nothing where all is well, and where a variable stands for a number', () => {
    expect(fieldProblems(form, { pattern: 'x', samples: '${SAMPLES}', tags: ['a'] })).toEqual([]);
  });
});
