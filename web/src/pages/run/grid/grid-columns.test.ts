import { describe, expect, it } from 'vitest';
import type { Grid, GridRow } from '../../../../../src/entry/server/api/grid.ts';
import { allColumns, chosenColumns, gridLines, variablesIn, writtenColumns } from './grid-columns.ts';

const arm = (model: string): GridRow['arms'][number] => ({
  variant: { model },
  trials: [],
  answer: null,
  reason: '',
  trialId: 't',
  evaluators: {},
  metrics: {},
  durationMs: 1,
  costUsd: 0,
});
const row = (caseId: string, models = ['a']): GridRow => ({
  scenario: 's',
  file: 'f',
  caseId,
  input: null,
  expected: null,
  metadata: {},
  arms: models.map(arm),
});
const page = (items: readonly GridRow[], evaluators: string[] = [], metrics: string[] = []): Grid => ({
  items: [...items],
  next: null,
  total: null,
  cases: 1,
  unsearched: 0,
  columns: { evaluators, metrics, metadata: [] },
});
const keys = (columns: readonly { key: string }[]): string[] => columns.map(({ key }) => key);

describe('columns of the grid', () => {
  it('are those of all loaded pages, and at first only those that say something', () => {
    const all = allColumns([page([], ['a', 'b'], ['x']), page([], ['b', 'c,d'])]);
    expect(keys(all)).toContain('e:c,d');
    expect(keys(chosenColumns(all, [row('1')]))).toEqual([
      ...['input', 'answer', 'e:a', 'e:b', 'e:c,d', 'm:x', 'duration', 'label'],
    ]);
    expect(keys(chosenColumns(all, [row('1', ['a', 'b'])]))).toContain('variant');
  });

  it('are one for each variable of the inputs, where all cases have a few', () => {
    const of = (...inputs: readonly string[]) => {
      const rows = inputs.map((input, index) => ({ ...row(String(index)), input }));
      return keys(chosenColumns(allColumns([page(rows)]), rows)).filter((key) => /^(?:v:|input)/.test(key));
    };
    expect(of('{"town":"Oslo","order":1}', '{"town":"Rome"}')).toEqual(['v:town', 'v:order']);
    expect(of('{"town":"Oslo"}', 'a text')).toEqual(['input']);
    expect(of('{"a":1,"b":2,"c":3,"d":4}')).toEqual(['input']);
    expect(variablesIn('{"id":12345678901234567890,"list":[1]}')).toEqual({ id: '12345678901234567890', list: '[1]' });
    expect(variablesIn('{"cut":"in the mid …')).toEqual({});
  });

  it('survive the address, whatever their names', () => {
    const all = allColumns([page([], ['c,d', '50%2C'])]);
    const wanted = ['answer', 'e:c,d', 'e:50%2C'];
    expect(keys(chosenColumns(all, [], writtenColumns(wanted)))).toEqual(wanted);
  });
});

describe('lines of the grid', () => {
  it('are one for each variant of a case, and each case once', () => {
    const lines = gridLines([page([row('1', ['a', 'b'])]), page([row('1', ['a', 'b']), row('2')])]);
    expect(lines.map((line) => [line.row.caseId, line.arm.variant.model, line.isFirst])).toEqual([
      ['1', 'a', true],
      ['1', 'b', false],
      ['2', 'a', true],
    ]);
  });
});
