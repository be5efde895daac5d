import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunHeader } from '../../src/domain/run.ts';
import type { Store } from '../../src/keep/store/store.ts';
import { finishedTrial, runHeader } from '../../src/testing/samples.ts';
import { assay } from '../../src/testing/support/assay.ts';
import { openProjectStore } from '../../src/testing/support/project-store.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

const trialCount = 10_000;
const outputPerTrial = 'x'.repeat(500);
const reasonPerTrial = 'because '.repeat(600);
/** The reasons alone are 48 MB, which would not fit beside the program. */
const heapMegabytes = 56;

/** A run of so many cases with one trial each. */
function finishedRun(runId: string, caseCount: number): RunHeader {
  const { scenarios, ...header } = runHeader(runId, {
    planned: caseCount,
    status: 'finished',
    finishedAt: 1_700_000_001_000,
  });
  return { ...header, scenarios: scenarios.map((scenario) => ({ ...scenario, caseCount })) };
}

async function fill(folder: string, caseOf: (ordinal: number) => string): Promise<void> {
  await writeFiles(folder, { 'assay.config.yaml': 'scenarios: []\n' });
  await using store = await openProjectStore(folder);
  await store.createRun(finishedRun('r-large', trialCount));
  for (let first = 0; first < trialCount; first += 500) {
    await store.saveTrials(
      Array.from({ length: 500 }, (_, index) => {
        const ordinal = first + index;
        const outcome = ordinal % 3 === 0 ? 'fail' : 'pass';
        const { trace, record } = finishedTrial('r-large', ordinal, { outcome, output: outputPerTrial });
        return { trace, record: { ...record, caseId: caseOf(ordinal), reason: `${ordinal} ${reasonPerTrial}` } };
      }),
    );
  }
}

const [few, many] = [10_000, 100_000];
/** Trials of each case in the runs with repeats. */
const repeats = 5;

/** Two finished runs of so many cases, of which a quarter changed. */
async function saveTwoRuns(store: Store, count: number): Promise<void> {
  for (const [runId, isPassed] of [
    [`r-a-${count}`, (ordinal: number) => ordinal % 4 > 0],
    [`r-b-${count}`, (ordinal: number) => ordinal % 8 > 0],
  ] as const) {
    await store.createRun(finishedRun(runId, count));
    for (let first = 0; first < count; first += 1_000) {
      const outcomeOf = (ordinal: number) => ({ outcome: isPassed(ordinal) ? 'pass' : 'fail', output: '' }) as const;
      const ordinals = Array.from({ length: 1_000 }, (_, index) => first + index);
      await store.saveTrials(ordinals.map((ordinal) => finishedTrial(runId, ordinal, outcomeOf(ordinal))));
    }
  }
}

/** A finished run of as many trials, five of each case, of which a tenth failed in some. */
async function saveRepeats(store: Store, count: number): Promise<void> {
  const { scenarios, ...header } = finishedRun(`r-c-${count}`, count / repeats);
  const repeated = scenarios.map((scenario) => ({ ...scenario, repeat: repeats }));
  await store.createRun({ ...header, planned: count, scenarios: repeated });
  for (let first = 0; first < count; first += 1_000) {
    const ordinals = Array.from({ length: 1_000 }, (_, index) => first + index);
    await store.saveTrials(
      ordinals.map((ordinal) => {
        const { trace, record } = finishedTrial(`r-c-${count}`, ordinal, {
          outcome: ordinal % 50 === 0 ? 'fail' : 'pass',
          output: '',
        });
        return {
          trace,
          record: { ...record, caseId: `case-${Math.floor(ordinal / repeats)}`, repeat: 1 + (ordinal % repeats) },
        };
      }),
    );
  }
}

/** Commands that read a whole run, and the bytes that each further trial may take. */
const commands: readonly (readonly [what: string, most: number, argsOf: (count: number) => string[]])[] = [
  ['compare', 800, (count) => ['compare', `r-a-${count}`, `r-b-${count}`, '--json']],
  ['baseline set', 400, (count) => ['baseline', 'set', `r-a-${count}`, '--name', `n${count}`]],
  ['baseline check', 800, (count) => ['baseline', 'check', `r-b-${count}`, '--name', `n${count}`]],
  ['CSV', 100, (count) => ['report', `r-a-${count}`, '--format', 'csv', '--output', 'out']],
  ...(['csv', 'json', 'markdown'] as const).map(
    (format) =>
      [
        `${format} of a run with repeats`,
        100,
        (count: number) => ['report', `r-c-${count}`, '--format', format, '--output', 'out'],
      ] as const,
  ),
  ['HTML', 2_000, (count) => ['report', `r-a-${count}`, '--format', 'html', '--output', 'out']],
];

const peakReport = fileURLToPath(new URL('../../bench/report-peak.mjs', import.meta.url));

/** The most memory that the program took, in bytes. */
async function peakOf(args: readonly string[], cwd: string): Promise<number> {
  const peakFile = join(cwd, 'peak.txt');
  const env = { NODE_OPTIONS: `--import=${peakReport} --max-old-space-size=200`, ASSAY_BENCH_PEAK: peakFile };
  expect([0, 1, 3]).toContain((await assay(args, { cwd, env })).exitCode);
  return 1_024 * Number(await readFile(peakFile, 'utf8'));
}

async function lineCount(path: string): Promise<number> {
  let count = 0;
  for await (const _line of createInterface({ input: createReadStream(path) })) count++;
  return count;
}

describe('a run ten times as large', () => {
  it('takes a few hundred bytes more for each trial, whatever is made of it', async () => {
    const folder = await temporaryFolder({ 'assay.config.yaml': 'scenarios: []\n' });
    await using store = await openProjectStore(folder);
    for (const count of [few, many]) {
      await saveTwoRuns(store, count);
      await saveRepeats(store, count);
    }
    for (const [what, most, argsOf] of commands) {
      const [small, large] = [await peakOf(argsOf(few), folder), await peakOf(argsOf(many), folder)];
      expect((large - small) / (many - few), what).toBeLessThan(most);
    }
  }, 900_000);
});

/** From what the program alone takes to more than all of the data needs. */
const heaps = [40, 44, 48, 56, 64, 80, 96, 128, 192, 512];

describe('names of cases that take more memory than the heap has', () => {
  let folder: string;
  // 20 MB on each side of a comparison.
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-test-'));
    await fill(folder, (ordinal) => `${ordinal} ${'long '.repeat(400)}`);
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([
    ['compare', ['compare', 'r-large', 'r-large', '--json']],
    ['HTML', ['report', 'r-large', '--format', 'html', '--output', 'out']],
    ['CSV', ['report', 'r-large', '--format', 'csv', '--output', 'out']],
  ])(
    'are an error with a hint, or the heap is large enough, and never the end of the process: %s',
    { timeout: 900_000 },
    async (_, args) => {
      const ends: [heap: number, code: number | null, error: string][] = [];
      for (const heap of heaps) {
        const env = { NODE_OPTIONS: `--max-old-space-size=${heap}` };
        const { exitCode, stderr } = await assay(args, { cwd: folder, env });
        ends.push([heap, exitCode, stderr]);
      }
      const refused = ends.filter(([, code]) => code !== 0);
      expect(
        refused.filter(([, , error]) => !/heap of \d+ MB is too small.*--max-old-space-size=\d+/s.test(error)),
      ).toEqual([]);
      expect(ends.at(-1)?.[1]).toBe(0);
    },
  );

  it('are compared without the reasons of their trials', { timeout: 300_000 }, async () => {
    const env = { NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}` };
    const compared = await assay(['compare', 'r-large', 'r-large', '--json'], { cwd: folder, env });
    expect(compared).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

describe('reports of many trials', () => {
  it('are written in the memory that reports of few trials take', { timeout: 300_000 }, async () => {
    const folder = await temporaryFolder();
    await fill(folder, (ordinal) => `case-${ordinal}`);
    const formats = 'csv,github,github-comment,github-annotations,sarif,otlp,atif';
    const result = await assay(['report', 'r-large', '--format', formats, '--output', 'out'], {
      cwd: folder,
      env: { NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}` },
    });
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await lineCount(join(folder, 'out/trials.csv'))).toBe(trialCount + 1);
    expect(await lineCount(join(folder, 'out/traces.jsonl'))).toBe(trialCount);
    const findings = JSON.parse(await readFile(join(folder, 'out/assay.sarif'), 'utf8')).runs[0].results;
    expect(findings).toHaveLength(Math.ceil(trialCount / 3));
  });
});
