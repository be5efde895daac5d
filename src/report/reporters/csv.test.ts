import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withVisibleMarks } from '../../shared/text.ts';
import { hostileTexts, rendered, type TrialChanges } from '../../testing/support/rendered.ts';
import { csvReporter, harmlessCell } from './csv.ts';

type Row = Record<string, string>;

async function rowsOf(...trials: readonly TrialChanges[]): Promise<Row[]> {
  return parse(await rendered(csvReporter, trials), { columns: true, record_delimiter: '\r\n' });
}

describe('the CSV report', () => {
  it('names the channels that were not observed completely', async () => {
    const coverage = {
      files: { state: 'none' as const },
      'tool-calls': { state: 'partial' as const, reasons: ['cut'] },
    };
    const rows = await rowsOf({ coverage }, {});
    expect(rows.map((row) => row.not_observed)).toEqual(['tool-calls partial; files none', '']);
  });

  it('has a row for each trial, and a column for every metric of any trial', async () => {
    const rows = await rowsOf(
      { metrics: { duration: 1.5, 'tokens, all': -3 }, variant: { agent: 'codex', model: 'm', guidance: 'terse' } },
      { metrics: { other: 1e-7 }, repeat: 2, outcome: 'fail', usage: null },
    );
    expect(rows[0]).toMatchObject({
      run_id: 'r-1',
      scenario: 'sample',
      file: 'sample.yaml',
      case: 'case-0',
      agent: 'codex',
      model: 'm',
      guidance: 'terse',
      connector: '',
      repeat: '1',
      outcome: 'pass',
      reason: 'because',
      started_at: '2023-11-14T22:13:20.000Z',
      duration_ms: '1.25',
      cost_usd: '0.25',
      input_tokens: '10',
      'metric.duration': '1.5',
      'metric.tokens, all': '-3',
      'metric.other': '',
    });
    expect(rows[1]).toMatchObject({
      repeat: '2',
      outcome: 'fail',
      input_tokens: '',
      'metric.duration': '',
      'metric.other': '1e-7',
    });
  });

  it('gives back every text that is not a formula with hidden characters named, and lets no formula begin a cell', async () => {
    const rows = await rowsOf(...hostileTexts.map((text) => ({ scenario: text, caseId: text, reason: text })));
    expect(rows).toHaveLength(hostileTexts.length);
    for (const [index, row] of rows.entries()) {
      const text = hostileTexts[index] ?? '';
      for (const cell of [row.scenario, row.case, row.reason]) expect(cell).not.toMatch(/^\s*[=+\-@]/);
      const visible = withVisibleMarks(text.replaceAll("'", '')).replace(/[\u0007\u001B]/g, '\uFFFD');
      expect(row.reason?.replaceAll("'", '')).toBe(visible);
    }
    expect(rows[5]?.reason).toBe('"quoted", and\\back');
    expect(rows[10]?.reason).toBe('⟨U+202E⟩right to left⟨U+200B⟩⟨U+FEFF⟩');
  });

  it('lets no formula begin a cell where another separator is assumed, either', () => {
    const texts = fc.string({ unit: fc.constantFrom(...'=+-@;,\t\r\n "\'a1.'), maxLength: 12 });
    fc.assert(
      fc.property(texts, (text) => {
        const cell = harmlessCell(text);
        if (cell === text && Number.isFinite(Number(text))) return;
        for (const piece of cell.split(/[;\t\r\n]/)) expect(piece).not.toMatch(/^\s*[=+\-@]/);
      }),
      { seed: 7, numRuns: 2_000 },
    );
  });

  it('leaves numbers numbers', () => {
    for (const number of ['-5', '+5', '-1.5e-7', '.5', '-0']) expect(harmlessCell(number)).toBe(number);
    expect(harmlessCell('half \uD800')).toBe('half \uFFFD');
    expect(['-5+1', '-', '+a', '=5', '-1.5.2'].map(harmlessCell)).toEqual(["'-5+1", "'-", "'+a", "'=5", "'-1.5.2"]);
  });

  it('keeps the figures of more metrics than a spreadsheet has columns for', async () => {
    const metrics = Object.fromEntries(Array.from({ length: 1_002 }, (_, index) => [`m${index}`, index]));
    const [first, second] = await rowsOf({ metrics }, { metrics: { m1: 5 } });
    expect(JSON.parse(first?.more_figures ?? '')).toEqual({ 'metric.m1000': 1_000, 'metric.m1001': 1_001 });
    expect(second).toMatchObject({ 'metric.m1': '5', more_figures: '' });
  });

  it('has a head and nothing else for a run without trials', async () => {
    const text = await rendered(csvReporter, []);
    expect(text.split('\r\n')).toEqual([expect.stringMatching(/^run_id,trial_id,scenario,/), '']);
  });
});
