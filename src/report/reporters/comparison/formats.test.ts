import { describe, expect, it } from 'vitest';
import { recordsOf, sideSource } from '../../../testing/fakes/compare/compared-sides.ts';
import { joinedPieces } from '../../../testing/support/joined-pieces.ts';
import { compareCollected, compareSides } from '../../compare/compare-sides.ts';
import type { Comparison, ComparisonOfRows } from '../../compare/comparison.ts';
import { collectSide } from '../../compare/side-collector.ts';
import { documentPieces } from '../documents.ts';

const written = (content: ComparisonOfRows, format = 'console') =>
  joinedPieces(documentPieces({ name: 'comparison', content }, format, { color: false }));

const long = 'a name that is very long, longer than any column of a table on a terminal can be, and then some more';

async function worse(): Promise<Comparison> {
  const cases = (signs: string) =>
    Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`${index} ${long}`, signs]));
  const side = (signs: string, size: number) =>
    recordsOf(cases(signs), ({ repeat, outcome }) => ({
      metrics: { [long]: size + repeat },
      reason: `${long} | \u001b[31mred\u001b[0m <b>bold</b>`,
      gates: [{ gate_type: long, passed: outcome === 'pass', message: long }],
    }));
  return compareSides(sideSource(long, side('+++++', 1_234_567)), sideSource('after', side('-----', 7_654_321)));
}

describe('a comparison on a terminal', () => {
  it('begins with the answer', async () => {
    const [first] = (await written(await worse())).split('\n');
    expect(first).toMatch(/^On these 12 tasks, B is worse: pass rate 100 % → 0 %; 12 cases broke/);
  });

  it('fits 80 columns, whatever things are called', async () => {
    const text = await written(await worse());
    const wide = text.split('\n').filter((line) => line.length > 80 && !line.includes('assay diff'));
    expect(wide).toEqual([]);
    expect(text).not.toContain('\u001b');
  });

  it('says of an incomparable pair what differs, and nothing else', async () => {
    const records = recordsOf({ one: '+' });
    const other = sideSource('b', records, { run: { scenarios: [{ name: 'sample', contentHash: 'other' }] } });
    const text = await written(await compareSides(sideSource('a', records), other));
    expect(text).toContain('! 1 scenario changed between the runs: sample');
    expect(text).not.toContain('pass-rate');
  });

  it('says what would decide it', async () => {
    const comparison = await compareSides(
      sideSource('a', recordsOf({ one: '+' })),
      sideSource('b', recordsOf({ one: '-' })),
    );
    expect((await written(comparison)).replaceAll(/\s+/g, ' ')).toContain(
      ' - For tasks like these, 163 cases x 1 repeat would show a difference of 5 points, the smallest that matters (−100 points seen), 4 times in 5: ',
    );
  });
});

describe('a comparison as Markdown', () => {
  it('shows foreign text as it is', async () => {
    const markdown = await written(await worse(), 'markdown');
    expect(markdown).toContain('- **broke**: 5/5 → 0/5, sample › 0 a name');
    expect(markdown).not.toContain('<b>bold');
    expect(markdown).toContain('\\<b\\>bold');
    expect(markdown.split('\n').filter((line) => line.startsWith('- **broke**'))).toHaveLength(12);
    for (const row of markdown.split('\n').filter((line) => line.startsWith('| a name')))
      expect(row.match(/(?<!\\)\|/g)).toHaveLength(5);
  });
});

describe('the list of formats', () => {
  it('writes a comparison of changed cases as `JSON.stringify` does, in pieces', async () => {
    const sideOf = (endings: Record<string, string>) => collectSide(sideSource('side', recordsOf(endings)));
    const [a, b] = [
      await sideOf({ one: '++', two: '--', three: '+' }),
      await sideOf({ one: '+-', two: '++', four: '-' }),
    ];
    for (const content of [compareCollected(a, b), compareCollected(a, a), await worse()])
      expect(await written(content, 'json')).toBe(`${JSON.stringify(content, null, 2)}\n`);
  });
});
