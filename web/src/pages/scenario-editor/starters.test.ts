import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { kindOfScenario } from './scenario-kind.ts';
import { fileNameOf, starters, starterText } from './starters.ts';

describe('a new scenario', () => {
  it('is of the kind that was chosen, under the name that was typed', () => {
    for (const { kind } of starters) {
      const value: unknown = parse(starterText(kind, 'Yes: "no"'));
      expect(kindOfScenario(value)).toBe(kind);
      expect(value).toMatchObject({ name: 'Yes: "no"' });
    }
  });

  it('gets a file name from its own name', () => {
    expect([fileNameOf('Größe: 2 × 3'), fileNameOf('../../etc'), fileNameOf('???')]).toEqual([
      'gro-e-2-3.yaml',
      'etc.yaml',
      'scenario.yaml',
    ]);
  });
});
