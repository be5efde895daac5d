import { expect, it } from 'vitest';
import { variantParts } from '../../../domain/variant.ts';
import { tapeSchema } from './tape.ts';
import { tapeName } from './tape-folder.ts';

const trial = { scenario: 'Tasks', case: 'input', agent: 'mine', model: null, guidance: null, repeat: 1 };
const tape = {
  version: 1,
  agentVersion: null,
  recordedAt: '2026-01-01T00:00:00Z',
  callCount: 0,
  calls: [],
  exchanges: [],
};

it.each(variantParts)('two arms that differ in their %s have a recording each', (part) => {
  const arms = ['one', 'other'].map((name) => ({ ...trial, [part]: name }));
  expect(new Set(arms.map(tapeName)).size).toBe(2);
  for (const arm of arms) expect(tapeSchema.parse({ ...tape, trial: arm }).trial).toEqual(arm);
});
