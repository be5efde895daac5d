import { describe, expect, it } from 'vitest';
import type { TrialRecord } from '../../../domain/record.ts';
import { displayWidth } from '../../../shared/display-width.ts';
import { seededRandom } from '../../../shared/seeded-random.ts';
import { recordsOf, sideSource } from '../../../testing/fakes/compare/compared-sides.ts';
import { joinedPieces } from '../../../testing/support/joined-pieces.ts';
import { compareSides } from '../../compare/compare-sides.ts';
import { documentPieces } from '../documents.ts';

interface Arm {
  readonly seed: number;
  readonly cases: number;
  readonly repeats: number;
  /** The case that never passes. */
  readonly broken?: number;
  readonly usd?: number;
  readonly first?: number;
  readonly connector?: string;
}

/** A suite of which some cases are flaky, with a cost, tokens and a duration for each trial. */
function recordsOfArm({ seed, cases, repeats, broken, usd = 0.002, first = 1, connector }: Arm): TrialRecord[] {
  const random = seededRandom(seed);
  const endings = Array.from({ length: cases }, (_, index) => {
    const isFlaky = index % 7 === 3;
    const sign = () => (index === broken || (isFlaky && random() < 0.4) ? '-' : '+');
    return [`row-${first + index}`, Array.from({ length: repeats }, sign).join('')] as const;
  });
  return recordsOf(Object.fromEntries(endings), () => ({
    costUsd: usd * (0.8 + 0.4 * random()),
    usage: { inputTokens: 800, outputTokens: Math.round(200 + 100 * random()) },
    durationMs: 30 * (0.5 + random()),
    ...(connector !== undefined && { variant: { connector } }),
  }));
}

async function screenOf(a: Arm, b: Arm): Promise<string> {
  const content = await compareSides(
    sideSource('r-20261118-110647-3ce7af', recordsOfArm(a)),
    sideSource('r-20261118-110658-699df3', recordsOfArm(b)),
  );
  return joinedPieces(documentPieces({ name: 'comparison', content }, 'console', { color: false }));
}

const twenty = { cases: 20, repeats: 5 };
const many = { cases: 200, repeats: 5 };
const one = { cases: 1, repeats: 3 };
const designs: Readonly<Record<string, readonly [Arm, Arm]>> = {
  'one case x 3': [
    { seed: 1, ...one },
    { seed: 2, ...one },
  ],
  '20 x 5': [
    { seed: 1, ...twenty, connector: 'before' },
    { seed: 2, ...twenty, connector: 'after', broken: 6 },
  ],
  '200 x 5': [
    { seed: 1, ...many },
    { seed: 2, ...many, broken: 6 },
  ],
  'two connectors': [
    { seed: 1, ...twenty, connector: 'before' },
    { seed: 3, ...twenty, connector: 'better', usd: 0.004 },
  ],
  'no case in common': [
    { seed: 1, ...twenty, connector: 'before' },
    { seed: 2, ...twenty, connector: 'better', first: 1_001 },
  ],
};

describe('a comparison', () => {
  it.each(Object.entries(designs))('takes one screen of 24 lines and 80 columns: %s', async (_, [a, b]) => {
    const text = await screenOf(a, b);
    const lines = text.trimEnd().split('\n');
    expect(lines.length, text).toBeLessThanOrEqual(24);
    expect(Math.max(...lines.map(displayWidth)), text).toBeLessThanOrEqual(80);
    expect(text).toMatch(/^(On (this task|these \d+ tasks), |Nothing can be compared: )/);
  });

  it('names the case that broke and the next command, and says how many cases it leaves out', async () => {
    const [a, b] = designs['200 x 5'] ?? [];
    const text = a && b ? await screenOf(a, b) : '';
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      'On these 200 tasks, B is worse: 1 case broke (sample › row-7: passed 5 of 5, now 0 of 5)',
    );
    expect(text).toMatch(/\n {2}broke {7}5\/5 → 0\/5, sample › row-7.*\n {6}assay diff t-row-7-1 t-row-7-1\n/);
    expect(text).toMatch(/\n {2}… and \d+ more cases; --json lists all\n/);
  });

  it('says beside the pass rate which other figure changed, and folds those that did not', async () => {
    const [a, b] = designs['two connectors'] ?? [];
    const words = (a && b ? await screenOf(a, b) : '').replaceAll(/\s+/g, ' ');
    expect(words).toMatch(/Also on these tasks: typical cost worse \(\$0\.00\d+ → \$0\.00\d+\)\./);
    expect(words).toMatch(/ no difference: tokens, typical 1,0\d\d → 1,0\d\d \([+−]?[\d.]+ %\) /);
    expect(words).toContain('1 other figure: not enough data (duration)');
  });
});
