import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../domain/outcome.ts';
import { finishedTrial } from '../../../testing/samples.ts';
import { storedRun } from '../../../testing/support/report-run.ts';
import { type DetailBudget, detailChunks, withShortTexts } from './detail-chunks.ts';
import type { ReportedDetail } from './report-document.ts';

/** Text that hardly gets smaller, to keep sizes predictable. */
function noise(seed: number, length: number): string {
  let state = seed + 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(97 + (state % 26));
  }).join('');
}

async function detailsOf(outcomes: readonly Outcome[], budget: DetailBudget): Promise<Map<number, ReportedDetail>> {
  const trials = outcomes.map((outcome, index) =>
    finishedTrial('r-report', index, { outcome, output: noise(index, 8_000) }),
  );
  await using run = await storedRun(trials);
  const details = new Map<number, ReportedDetail>();
  for await (const { ordinals, body } of detailChunks(run, budget)) {
    const lines = gunzipSync(Buffer.from(body, 'base64')).toString('utf8').split('\n');
    for (const [index, ordinal] of ordinals.entries()) details.set(ordinal, JSON.parse(lines[index] ?? ''));
  }
  return details;
}

describe('the details of a report', () => {
  const outcomes: readonly Outcome[] = Array.from({ length: 20 }, (_, index) => (index % 4 === 3 ? 'fail' : 'pass'));

  it('are all there when there is room', async () => {
    const details = await detailsOf(outcomes, { passingTraces: 1e9, passingRecords: 1e9 });
    expect(details.size).toBe(20);
    expect([...details.values()].every(({ trace }) => trace?.length === 3)).toBe(true);
  });

  it('keep the traces of everything that failed, whatever they take', async () => {
    const details = await detailsOf(outcomes, { passingTraces: 0, passingRecords: 1e9 });
    const failed = outcomes.flatMap((outcome, index) => (outcome === 'fail' ? [index] : []));
    expect(details.size).toBe(20);
    expect([...details].flatMap(([ordinal, { trace }]) => (trace ? [ordinal] : []))).toEqual(failed);
  });

  it('keep what passed as long as there is room, then its record, then nothing of it', async () => {
    const details = await detailsOf(outcomes, { passingTraces: 20_000, passingRecords: 21_000 });
    const passed = [...details.values()].filter(({ record }) => record.outcome === 'pass');
    const kept = { whole: passed.filter(({ trace }) => trace), record: passed.filter(({ trace }) => !trace) };
    expect(kept.whole.length).toBeGreaterThan(0);
    expect(kept.record.length).toBeGreaterThan(0);
    expect(passed.length).toBeLessThan(15);
    expect([...details.values()].filter(({ record }) => record.outcome === 'fail')).toHaveLength(5);
  });

  it('have very long texts cut in the middle, wherever they stand', () => {
    const long = `${'a'.repeat(100_000)}${'z'.repeat(100_000)}`;
    const { kept, nested } = withShortTexts({ kept: 'short', nested: [{ long }] });
    expect(kept).toBe('short');
    expect(nested[0]?.long).toMatch(/^a{32000} … 136000 characters left out … z{32000}$/);
  });
});
