import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../keep/store/open-store.ts';
import { consoleReporter } from '../../report/reporters/console.ts';
import { junitReporter } from '../../report/reporters/junit.ts';
import type { Reporter, StoredRun } from '../../report/reporters/reporter.ts';
import { formatNamed } from './choose-format.ts';
import { findImports, ImportProblems } from './find-files.ts';
import { importRequest, importRun } from './import-run.ts';

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'assay-import-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

interface Options {
  readonly format?: string;
  /** Called when the files were looked through and are about to be read again. */
  readonly between?: () => void;
  readonly signal?: AbortSignal;
}

async function imported(folder: string, paths: readonly string[], options: Options = {}) {
  const { format = 'auto', between = () => undefined, signal = new AbortController().signal } = options;
  const problems = new ImportProblems();
  const open = () => openStore('sqlite:store.db', folder);
  const { files, summary } = await importRun({
    files: await findImports(paths, folder, problems),
    format: formatNamed(format),
    problems,
    signal,
    redact: (finished) => finished,
    openStore: open,
    header: (plan, readFiles) => {
      between();
      const request = importRequest(paths, readFiles, undefined);
      const counts = { planned: plan.trialCount, scenarios: plan.scenarios() };
      return { runId: 'r-1', startedAt: 1, assayVersion: '0', request, ...counts };
    },
  });
  await using store = await open();
  const trials = await store.readTrials('r-1', { limit: 10_000 });
  const traces = await Promise.all(trials.map(({ trialId }) => store.readTrace(trialId)));
  const reported = problems.list.map(({ at, message }) => `${at.file}:${at.line}: ${message}`);
  const reports = summary
    ? await Promise.all([consoleReporter, junitReporter].map((reporter) => rendered(reporter, { summary, store })))
    : [];
  return { files, summary, trials, traces, reported, reports };
}

async function rendered(reporter: Reporter, run: StoredRun): Promise<string> {
  let text = '';
  for await (const piece of reporter.render(run, { color: false })) text += piece;
  return text;
}

const tau = (task: string, reward: number): string => `${JSON.stringify({ task_id: task, reward, traj: [] })}\n`;
const talk = '{"role":"assistant","content":"Hi"}\n';

describe('an import', () => {
  it('puts the trials of a scenario side by side, whatever order they come in', async () => {
    const folder = folderWith({ 'a.jsonl': `${tau('x', 1)}${tau('y', 0)}${tau('x', 0)}`, 'b.jsonl': tau('y', 1) });
    const { trials, summary } = await imported(folder, ['a.jsonl', 'b.jsonl']);
    const key = trials.map(({ ordinal, file, scenario, repeat, outcome }) => [
      ordinal,
      file,
      scenario,
      repeat,
      outcome,
    ]);
    expect(key).toEqual([
      [0, 'a.jsonl', 'x', 1, 'pass'],
      [1, 'a.jsonl', 'x', 2, 'fail'],
      [2, 'a.jsonl', 'y', 1, 'fail'],
      [3, 'b.jsonl', 'y', 2, 'pass'],
    ]);
    expect(summary?.run).toMatchObject({
      status: 'finished',
      planned: 4,
      request: { origin: { kind: 'import', file: 'a.jsonl, b.jsonl', format: 'tau-bench' } },
      scenarios: [
        { name: 'x', file: 'a.jsonl', caseCount: 1, repeat: 2, contentHash: '' },
        { name: 'y', file: 'a.jsonl', repeat: 1 },
        { name: 'y', file: 'b.jsonl', repeat: 2 },
      ],
    });
  });

  it('is reported without a verdict where there is none', async () => {
    const folder = folderWith({ 'a.jsonl': tau('x', 1), 'talk.jsonl': talk });
    const { reports, summary } = await imported(folder, ['a.jsonl', 'talk.jsonl']);
    expect(summary).toMatchObject({ outcome: 'error', reason: '1 of 2 trials ended without a verdict' });
    expect(reports[0]).toContain('  ✓ x 1/1\n  - talk 0/0\n');
    expect(reports[0]).toContain('2 trials: 1 passed, 1 without a verdict');
    expect(reports[1]).toContain('tests="2" failures="0" errors="0" skipped="1"');
    expect(reports[1]).toContain('<skipped message="no recorded outcome"');
  });

  it('names trials by where their files lie, so two folders pair', async () => {
    const folder = folderWith({
      'v1/easy/one.jsonl': talk,
      'v1/two/artifacts/events.jsonl': talk,
      'v1/transcript.raw.txt': 'words\n',
      'v1/.hidden/x.jsonl': talk,
      'v1/README.md': 'words',
      'v1/notes.txt': 'words\n',
    });
    const below = await imported(folder, ['v1']);
    expect(below.trials.map(({ scenario }) => scenario)).toEqual(['easy/one', 'v1', 'two']);
    expect(below.reported).toEqual(['v1/notes.txt:1: unknown format']);
    rmSync(join(folder, 'store.db'));
    const named = await imported(folder, ['v1/two/artifacts/events.jsonl', 'v1/easy/one.jsonl', 'v1/notes.txt']);
    expect(named.trials.map(({ scenario }) => scenario)).toEqual(['two', 'one', 'notes']);
  });

  it('of a trial that is too long keeps its beginning and its end, and says so', async () => {
    const line = (index: number): string => `{"role":"assistant","content":"${index} ${'x'.repeat(100_000)}"}\n`;
    const long = Array.from({ length: 120 }, (_, index) => line(index)).join('');
    const { traces, reported } = await imported(folderWith({ 'long.jsonl': long }), ['long.jsonl']);
    const texts = traces[0]?.flatMap((event) => (event.type === 'message' ? [event.text.split(' ')[0]] : []));
    expect(texts?.[0]).toBe('0');
    expect(traces[0]).toContainEqual(
      expect.objectContaining({ type: 'gap', reason: expect.stringContaining('left out here') }),
    );
    expect(reported).toEqual([
      expect.stringMatching(/^long\.jsonl:1: the trial is not complete: answers, tool calls.*\d+ events left out here/),
    ]);
    expect(JSON.stringify(traces[0]).length).toBeLessThan(10_000_000);
  });

  it('leaves out a line that is too long to be held', async () => {
    const long = `${talk}{"role":"user","content":"${'x'.repeat(17 * 1_048_576)}"}\n{"role":"assistant","content":"Bye"}\n`;
    const { traces, reported } = await imported(folderWith({ 'a.jsonl': long }), ['a.jsonl']);
    expect(traces[0]?.map(({ type }) => type)).toEqual(['message', 'message', 'turn', 'gap', 'reports']);
    expect(reported).toEqual([
      'a.jsonl:2: the line is too long and was left out',
      expect.stringMatching(/^a.jsonl:1: the trial is not complete: .* the line is too long and was left out/),
    ]);
  });

  it('counts a trial that is there twice once, and cannot judge one whose id stands for two', async () => {
    const trace = (id: string, value: number): string =>
      `${JSON.stringify({ id, timestamp: '2026-01-01', htmlPath: '/', observations: [], scores: [{ name: 'correct', value, dataType: 'BOOLEAN' }] })}\n`;
    const folder = folderWith({
      'a.jsonl': `${trace('x', 1)}${trace('y', 1)}${trace('x', 1)}`,
      'b.jsonl': `${trace('y', 0)}${trace('z', 1)}`,
    });
    const { trials, reported, summary } = await imported(folder, ['a.jsonl', 'b.jsonl']);
    expect(trials.map(({ caseId, outcome, reason }) => [caseId, outcome, reason])).toEqual([
      ['x', 'pass', 'correct: true'],
      ['y', 'error', 'the id y stands for several trials that differ'],
      ['y', 'error', 'the id y stands for several trials that differ'],
      ['z', 'pass', 'correct: true'],
    ]);
    expect(reported).toEqual([
      'a.jsonl:3: the trial x is there twice and counts once',
      'b.jsonl:1: the id y stands for several trials that differ',
    ]);
    expect(summary?.totals).toMatchObject({ planned: 4, pass: 2, error: 2 });
  });

  it('reads only what was there when it began, and reports files that lost something', async () => {
    const folder = folderWith({ 'grows.jsonl': tau('x', 1), 'shrinks.jsonl': `${tau('y', 1)}${tau('z', 1)}` });
    const { trials, reported, summary } = await imported(folder, ['grows.jsonl', 'shrinks.jsonl'], {
      between: () => {
        writeFileSync(join(folder, 'grows.jsonl'), `${tau('x', 1)}${tau('new', 1)}`);
        writeFileSync(join(folder, 'shrinks.jsonl'), tau('y', 1));
      },
    });
    expect(trials.map(({ scenario }) => scenario)).toEqual(['x', 'y']);
    expect(reported).toEqual([expect.stringContaining('1 trial could not be read again')]);
    expect(summary?.totals).toMatchObject({ planned: 3, pass: 2, skipped: 0, notRun: 1 });
  });

  it('that is interrupted keeps what was stored, and says that it was interrupted', async () => {
    const interrupt = new AbortController();
    const folder = folderWith({ 'a.jsonl': tau('x', 1) });
    const between = (): void => interrupt.abort();
    const { summary, trials } = await imported(folder, ['a.jsonl'], { between, signal: interrupt.signal });
    expect(summary?.run.status).toBe('interrupted');
    expect(trials).toEqual([]);
  });
});
