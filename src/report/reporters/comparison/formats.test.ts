import { describe, expect, it } from 'vitest';
import { recordsOf, sideSource } from '../../../testing/fakes/compare/compared-sides.ts';
import { compareSides } from '../../compare/compare-sides.ts';
import type { Comparison } from '../../compare/comparison.ts';
import { comparisonText } from './console.ts';
import { comparisonFormats } from './index.ts';
import { comparisonMarkdown } from './markdown.ts';

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
    const [first] = comparisonText(await worse(), { color: false }).split('\n');
    expect(first).toMatch(/^On these 12 tasks, B is worse: pass rate 100 % → 0 %; 12 cases broke/);
  });

  it('fits 80 columns, whatever things are called', async () => {
    const text = comparisonText(await worse(), { color: false });
    const wide = text.split('\n').filter((line) => line.length > 80 && !line.includes('assay diff'));
    expect(wide).toEqual([]);
    expect(text).not.toContain('\u001b');
  });

  it('says of an incomparable pair what differs, and nothing else', async () => {
    const records = recordsOf({ one: '+' });
    const other = sideSource('b', records, { run: { scenarios: [{ name: 'sample', contentHash: 'other' }] } });
    const text = comparisonText(await compareSides(sideSource('a', records), other), { color: false });
    expect(text).toContain('! 1 scenario changed between the runs: sample');
    expect(text).not.toContain('pass-rate');
  });

  it('says what would decide it', async () => {
    const comparison = await compareSides(
      sideSource('a', recordsOf({ one: '+' })),
      sideSource('b', recordsOf({ one: '-' })),
    );
    expect(comparisonText(comparison, { color: false }).replaceAll(/\s+/g, ' ')).toContain(
      ' - For tasks like these, 163 cases x 1 repeat would show a difference of 5 points 4 times in 5: ',
    );
  });
});

describe('a comparison as Markdown', () => {
  it('shows foreign text as it is', async () => {
    const markdown = comparisonMarkdown(await worse());
    expect(markdown).toContain('| broke | 5/5 → 0/5 |');
    expect(markdown).not.toContain('<b>bold');
    expect(markdown).toContain('\\<b\\>bold');
    const rows = markdown.split('\n').filter((line) => line.startsWith('| broke'));
    expect(rows).toHaveLength(12);
    for (const row of rows) expect(row.match(/(?<!\\)\|/g)).toHaveLength(6);
  });
});

describe('the list of formats', () => {
  it('writes the JSON document as it is', async () => {
    const comparison = await worse();
    const json = await comparisonFormats.find(({ name }) => name === 'json')?.load();
    expect(JSON.parse(json?.(comparison, { color: false }) ?? '')).toEqual(JSON.parse(JSON.stringify(comparison)));
  });
});
