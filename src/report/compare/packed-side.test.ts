import { deserialize, serialize } from 'node:v8';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TrialRecord } from '../../domain/record.ts';
import { recordsOf, sideSource } from '../../testing/fakes/compare/compared-sides.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import { compareCollected } from './compare-sides.ts';
import { packedSide, unpackedSide } from './packed-side.ts';
import { collectSide } from './side-collector.ts';

const judged: TrialRecord['judge'] = {
  state: 'pass',
  score: 0.75,
  model: 'm',
  mode: 'rubric',
  promptVersion: '1',
  rubricHash: 'r',
} as TrialRecord['judge'];

const endings = fc.dictionary(fc.constantFrom('one', 'two', 'three', 'four'), fc.stringMatching(/^[-+!o]{1,4}$/));

/** Records with figures that some trials lack, several variants, gates and judges. */
function recordsWith(cases: Readonly<Record<string, string>>, seed: number): TrialRecord[] {
  return recordsOf(cases, ({ ordinal, outcome }) => ({
    variant: (ordinal + seed) % 2 === 0 ? { agent: 'codex' } : { agent: 'claude' },
    durationMs: (ordinal + seed) % 5 === 0 ? null : 100 + ordinal * seed,
    metrics: ordinal % 3 === 0 ? { words: ordinal + seed } : {},
    gates: [{ gate_type: 'file_exists', passed: (ordinal + seed) % 3 > 0, message: '' }],
    judge: ordinal % 4 === 1 && outcome !== 'error' ? judged : null,
  }));
}

const everyOption = fc.constantFrom({}, { force: true, withDetails: true });

it('a side that went to another process compares as it did before', async () => {
  await fc.assert(
    fc.asyncProperty(endings, endings, fc.nat(20), everyOption, async (before, after, seed, options) => {
      const a = await collectSide(sideSource('before', recordsWith(before, seed)));
      const b = await collectSide(sideSource('after', recordsWith(after, seed + 1)));
      const sent = unpackedSide(deserialize(serialize(packedSide(a))));
      expect(sent.totals).toEqual(a.totals);
      expect(compareCollected(sent, b, options)).toEqual(compareCollected(a, b, options));
      expect(compareCollected(b, sent, options)).toEqual(compareCollected(b, a, options));
    }),
    { seed: 12, numRuns: repetitions({ usual: 20, inFull: 200 }) },
  );
});
