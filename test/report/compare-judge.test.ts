import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ScriptSource, startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { pairwiseTexts } from '../../src/report/compare/judged-pairs.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { reportDocumentIn } from '../../src/testing/support/reported-figures.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const caseNames = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

function answering(text: string): string {
  return `export const answer = () => ({ text: ${JSON.stringify(text)} });\n`;
}

/** Two stored runs of the same cases: A answers Lyon, B answers Paris. */
async function twoRuns(): Promise<string> {
  const scenario = {
    name: 'Capital',
    call: { module: './tool.mjs', export: 'answer' },
    passCriteria: ['result.text.length > 0'],
    cases: caseNames.map((name) => ({ name, input: { question: `What is the capital of France? (${name})` } })),
  };
  const folder = await temporaryFolder({ 's.json': JSON.stringify(scenario), 'tool.mjs': answering('It is Lyon.') });
  expect((await assay(['run', 's.json'], { cwd: folder })).exitCode).toBe(0);
  await writeFile(join(folder, 'tool.mjs'), answering('It is Paris.'));
  expect((await assay(['run', 's.json'], { cwd: folder })).exitCode).toBe(0);
  return folder;
}

function preference(better: string, event: string, quote: string) {
  return { reply: { json: { reasoning: 'named', evidence: [{ event, quote }], better } } };
}

const prefersParis: ScriptSource['rules'] = [
  { when: { last: '/"event":"x-e2".*Paris/' }, ...preference('X', 'x-e2', 'Paris') },
  { when: { last: '/"event":"y-e2".*Paris/' }, ...preference('Y', 'y-e2', 'Paris') },
];
/** No case of eight prefers Lyon, and two prefer neither. */
const prefersParisInSix: ScriptSource['rules'] = [
  { when: { last: '/France. .[gh]./' }, reply: { json: { reasoning: 'alike', evidence: [], better: 'tie' } } },
  ...prefersParis,
];
const prefersTheFirst: ScriptSource['rules'] = [
  { when: { last: '/"event":"x-e2".*Paris/' }, ...preference('X', 'x-e2', 'Paris') },
  { when: { last: '/"event":"x-e2".*Lyon/' }, ...preference('X', 'x-e2', 'Lyon') },
];
const inventsQuotes: ScriptSource['rules'] = [{ ...preference('X', 'x-e2', 'It is Marseille') }];

async function compared(
  rules: ScriptSource['rules'],
  flags: readonly string[],
  env: Record<string, string> = {},
  runs = twoRuns(),
  judge = 'openai/gpt-4o-mini',
  port = 0,
) {
  const folder = await runs;
  await using model = await startScriptedModel({ rules }, { port });
  const args = ['compare', 'latest~1', 'latest', '--judge', '--judge-model', judge, ...flags];
  const result = await assay(args, { cwd: folder, env: { OPENAI_API_KEY: 'sk-test', ...model.environment, ...env } });
  return { ...result, folder, calls: model.log().length, port: Number(new URL(model.url).port) };
}

describe('compare --judge', () => {
  it('counts the cases that a side wins in both orders, with an interval and the cost', async () => {
    const { stdout, stderr, exitCode, calls } = await compared(prefersParis, ['--json']);
    expect(exitCode, stderr).toBe(0);
    const { judged } = JSON.parse(stdout);
    expect(judged).toMatchObject({ cases: 8, winsA: 0, winsB: 8, ties: 0, notJudged: 0, shareB: 1, answer: 'better' });
    expect(judged.interval.low).toBeGreaterThan(0.5);
    expect(judged.costUsd).toBeGreaterThan(0);
    expect(calls).toBe(16);
  });

  it('compares preferences as one more figure, and the places as two sides', async () => {
    const { stdout } = await compared(prefersParis, ['--json']);
    const { metrics, judged } = JSON.parse(stdout);
    expect(metrics.map(({ name }: { name: string }) => name).slice(0, 2)).toEqual(['pass-rate', 'judge-preference']);
    expect(metrics[1]).toMatchObject({ meanA: 0, meanB: 1, cases: 8, answer: 'better' });
    expect(judged.positionBias).toMatchObject({ first: 8, second: 8, ties: 0, shareFirst: 0.5, answer: 'not-found' });
    const quotes = [{ side: 'b', event: 'e2', quote: 'Paris', isVerified: true }];
    expect(judged.pairs[0].orders).toEqual([
      { first: 'a', preferred: 'b', reason: 'named', quotes },
      { first: 'b', preferred: 'b', reason: 'named', quotes },
    ]);
  });

  it('gives one answer: that of the figure, whichever figures are listed', async () => {
    const runs = twoRuns();
    for (const [rules, metric] of [
      [prefersParis, []],
      [prefersParisInSix, []],
      [prefersParisInSix, ['--metric', 'judge-preference']],
      [prefersTheFirst, []],
    ] as const) {
      await rm(join(await runs, '.assay', 'judged-pairs'), { recursive: true, force: true });
      const { metrics, judged } = JSON.parse((await compared(rules, ['--json', ...metric], {}, runs)).stdout);
      const figure = metrics.find(({ name }: { name: string }) => name === 'judge-preference');
      expect(judged).toMatchObject({ answer: figure.answer, shareB: figure.meanB, pValue: figure.adjustedP });
      expect(judged.interval.low).toBeCloseTo((1 + figure.interval.low) / 2, 9);
      expect(judged.interval.high).toBeCloseTo((1 + figure.interval.high) / 2, 9);
    }
    await rm(join(await runs, '.assay', 'judged-pairs'), { recursive: true });
    const flags = ['--json', '--metric', 'duration-ms'];
    const { judged } = JSON.parse((await compared(prefersParis, flags, {}, runs)).stdout);
    expect(judged).toMatchObject({ answer: 'better', shareB: 1 });
  });

  it('lets the preference decide the exit code where it is the question', async () => {
    const flags = ['--metric', 'judge-preference', '--fail-on', 'not-better'];
    expect((await compared(prefersParis, flags)).exitCode).toBe(0);
    const undecided = await compared(prefersTheFirst, flags);
    expect(undecided.exitCode).toBe(1);
    expect(undecided.stdout.replace(/\s+/g, ' ')).toContain(
      'Position bias: the judge prefers the attempt shown first: the first place gets 100 % (50 % without bias,',
    );
  });

  it('says so on the terminal, in Markdown and on the page', async () => {
    const flags = ['--format', 'console,markdown,html', '-o', 'out'];
    const { stdout, folder } = await compared(prefersParis, flags);
    expect(stdout.replace(/\s+/g, ' ')).toContain('The judge prefers B: B wins 8, A wins 0');
    expect(await readFile(join(folder, 'out', 'comparison.md'), 'utf8')).toContain('## Answers side by side');
    const { comparison } = reportDocumentIn(await readFile(join(folder, 'out', 'comparison.html'), 'utf8'));
    expect(comparison?.judged && pairwiseTexts(comparison.judged)[0]).toContain('B wins 8, A wins 0');
  });

  it('takes a preference for a place for a tie', async () => {
    const { stdout } = await compared(prefersTheFirst, ['--json']);
    expect(JSON.parse(stdout).judged).toMatchObject({
      winsA: 0,
      winsB: 0,
      ties: 8,
      orderDependent: 8,
      shareB: 0.5,
      positionBias: { first: 16, second: 0, shareFirst: 1, answer: 'prefers-first' },
    });
  });

  it('judges nothing on invented quotes, and exits with 3', async () => {
    const { stdout, exitCode } = await compared(inventsQuotes, ['--json']);
    expect(JSON.parse(stdout).judged).toMatchObject({ winsA: 0, winsB: 0, notJudged: 8, positionBias: null });
    expect(JSON.parse(stdout).metrics.map(({ name }: { name: string }) => name)).not.toContain('judge-preference');
    expect(JSON.parse(stdout).judged.pairs[0].reason).toContain('"It is Marseille" (event x-e2) is not in the trace');
    expect(exitCode).toBe(3);
  });

  it('makes no call for pairs that the same judge compared before', async () => {
    const runs = twoRuns();
    const judgeAt = (port: number) => compared(prefersParis, ['--json'], {}, runs, 'openai/gpt-4o-mini', port);
    const first = await judgeAt(0);
    const second = await judgeAt(first.port);
    expect([first.calls, second.calls]).toEqual([16, 0]);
    expect(JSON.parse(second.stdout).judged).toMatchObject({ winsB: 8, answer: 'better', costUsd: 0 });
    const other = await compared(prefersParis, ['--json'], {}, runs, 'openai/gpt-4o');
    expect(other.calls).toBe(16);
    // A model of the same name on another server is another judge.
    expect((await judgeAt(0)).calls).toBe(16);
  });

  it('needs a key, and keeps to the spending limit', async () => {
    const unkeyed = await compared(prefersParis, ['--json'], { OPENAI_API_KEY: '' });
    expect(unkeyed).toMatchObject({ exitCode: 3, calls: 0 });
    expect(JSON.parse(unkeyed.stdout).judged).toMatchObject({ notJudged: 8, winsB: 0 });
    const limited = await compared(prefersParis, ['--json', '--max-usd', '0.0000001']);
    expect(limited).toMatchObject({ exitCode: 3, calls: 0 });
  });
});
