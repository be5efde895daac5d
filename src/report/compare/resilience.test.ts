import { describe, expect, it } from 'vitest';
import { ResilienceTally } from './resilience.ts';

type Trial = Parameters<ResilienceTally['add']>[0];

const trial = (faults: string, outcome: Trial['outcome'], more: Partial<Trial> = {}): Trial => ({
  file: 'a.yaml',
  scenario: 'Orders',
  caseId: 'one',
  variant: { agent: 'good', faults },
  outcome,
  cachedFrom: null,
  ...more,
});

const broken = (tool: string, message?: string): Pick<Trial, 'brokenCalls'> => ({
  brokenCalls: [{ border: 'mcp', server: 'shop', tool, fault: 'error', calls: 1, ...(message && { message }) }],
});

function tablesOf(trials: readonly Trial[]) {
  const tally = new ResilienceTally();
  for (const one of trials) tally.add(one);
  return tally.tables();
}

describe('the resilience table', () => {
  it('has the trials in which calls of a tool were broken beside the same cases without faults', () => {
    const [table] = tablesOf([
      trial('none', 'pass'),
      trial('none', 'fail', { caseId: 'other' }),
      trial('down', 'pass', broken('find')),
      trial('down', 'fail', broken('find')),
      trial('down', 'error', broken('find')),
      trial('down', 'pass', broken('add')),
    ]);
    expect(table?.rows.map(({ tool }) => tool)).toEqual(['shop › find', 'shop › add']);
    expect(table?.rows[0]).toMatchObject({
      faultFree: { rate: 1, trials: 1 },
      cells: [{ set: 'down', faults: ['error'], rate: { rate: 0.5, trials: 2, passed: 1 }, unjudged: 1 }],
    });
  });

  it('counts neither trials in which no fault acted, nor reused ones, and has one table for each agent', () => {
    const tables = tablesOf([
      trial('down', 'pass'),
      trial('down', 'pass', { ...broken('find'), cachedFrom: 't-1' }),
      trial('down', 'fail', { ...broken('find'), variant: { agent: 'bad', faults: 'down' } }),
      trial('down', 'pass', { ...broken('find'), variant: { agent: 'good' } }),
    ]);
    expect(tables).toMatchObject([
      { variant: { agent: 'good' }, rows: [], unbroken: [{ set: 'down', trials: 1 }] },
      { variant: { agent: 'bad' }, rows: [{ cells: [{ rate: { rate: 0 } }] }], unbroken: [] },
    ]);
  });

  it('compares the texts of one fault, the best first, by trials that met one text only', () => {
    const [clear, vague] = [broken('find', 'Retry after 1 s'), broken('find', 'Error 17')];
    const both = { brokenCalls: [...(clear.brokenCalls ?? []), ...(vague.brokenCalls ?? [])] };
    const [table] = tablesOf([
      trial('vague', 'fail', vague),
      trial('clear', 'pass', clear),
      trial('both', 'pass', both),
      trial('other', 'pass', broken('add', 'Alone')),
    ]);
    expect(table?.wordings.map(({ message, rate }) => [message, rate.rate])).toEqual([
      ['Retry after 1 s', 1],
      ['Error 17', 0],
    ]);
  });
});
