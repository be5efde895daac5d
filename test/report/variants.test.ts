import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { frontText, rankText } from '../../src/report/compare/variants/variant-words.ts';
import { frontPicture } from '../../src/report/presentation/front-picture.ts';
import { airlineResults } from '../../src/testing/fakes/load/airline-results.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { reportDocumentIn } from '../../src/testing/support/reported-figures.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/** Three agents of different price; a question says how each answers it: `a:yes b:no`, or `a:broken` for not at all. */
const agents = `
const answer = (who, costUsd) => async ({ messages }) => {
  const [, how] = messages.at(-1).content.match(new RegExp(who + ':(\\\\S+)')) ?? [];
  if (how === 'broken') throw new Error('out of order');
  return { content: how, costUsd, tokenUsage: { input: 10, output: 1 } };
};
export const a = answer('a', 0.01);
export const b = answer('b', 0.02);
export const c = answer('c', 0.05);
`;

const connectors = Object.fromEntries(
  ['a', 'b', 'c'].map((name) => [name, { type: 'module', config: { module: './agents.mjs', export: name } }]),
);

function project(questions: readonly string[]): Promise<string> {
  const scenario = {
    name: 'Ask',
    dataset: './questions.jsonl',
    messages: [{ role: 'user', content: '{{question}}' }],
    evaluators: [{ type: 'contains', config: { text: 'yes' } }],
  };
  return temporaryFolder({
    'agents.mjs': agents,
    'assay.config.json': JSON.stringify({ connectors }),
    'ask.json': JSON.stringify(scenario),
    'questions.jsonl': questions.map((how, index) => JSON.stringify({ question: `${index} ${how}` })).join('\n'),
  });
}

const times = (count: number, how: string): string[] => Array.from({ length: count }, () => how);
const best = [...times(9, 'a:no b:yes c:no'), ...times(5, 'a:yes b:yes c:yes')];

async function ran(questions: readonly string[], names = 'a,b,c'): Promise<string> {
  const cwd = await project(questions);
  await assayInProcess(['run', 'ask.json', '--connector', names, '--repeat', '2', '--quiet'], { cwd });
  return cwd;
}

const compare = (cwd: string, ...args: string[]) =>
  assayInProcess(['compare', 'latest', '--by', 'connector', ...args], { cwd });

describe('assay compare with more than two variants', () => {
  it('puts all of them into one table', async () => {
    const cwd = await ran(best);
    const document = JSON.parse((await compare(cwd, '--json')).stdout);
    expect(document).toMatchObject({
      schema: 'assay.variants/1',
      by: 'connector',
      reference: 'a',
      question: 'pass-rate',
      best: { kind: 'one', labels: ['b'] },
    });
    const [first] = document.variants;
    expect(first).toMatchObject({ label: 'b', rank: { best: 1, worst: 1 }, trials: 28 });
    expect(first.perSuccess[0].name).toBe('cost-usd');
    expect(first.perSuccess[0].value).toBeCloseTo(0.02, 10);
    const c = document.variants.find(({ label }: { label: string }) => label === 'c');
    expect(c.perSuccess[0].value).toBeCloseTo((0.05 * 14) / 5, 10);
    expect(c.front[0]).toMatchObject({ against: 'cost-usd', isOnFront: false, certainlyDominatedBy: ['b'] });
    const text = (await compare(cwd)).stdout;
    expect(text.split('\n')[0]).toBe('b is the best of 3 variants by pass rate (error rate at most 5 %).');
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect((await compare(cwd, '--format', 'markdown')).stdout).toContain('| b | 1 | 100 % (');
  });

  it('takes another reference, and exits by its answers', async () => {
    const cwd = await ran(best);
    expect(JSON.parse((await compare(cwd, '--json', '--reference', 'b')).stdout).reference).toBe('b');
    expect((await compare(cwd, '--reference', 'b', '--fail-on', 'worse')).exitCode).toBe(1);
    expect((await compare(cwd, '--fail-on', 'worse')).exitCode).toBe(0);
    expect((await compare(cwd, '--fail-on', 'not-better')).exitCode).toBe(1);
    expect(JSON.parse((await compare(cwd, '--a', 'a', '--b', 'b', '--json')).stdout).schema).toBe('assay.compare/1');
  });

  it('writes the table and the data of the picture into the HTML page', async () => {
    const cwd = await ran(best);
    const { stderr } = await compare(cwd, '--format', 'html,markdown', '-o', 'out');
    expect(stderr).toContain('variants.html');
    const page = await readFile(join(cwd, 'out', 'variants.html'), 'utf8');
    const { variants } = reportDocumentIn(page);
    expect(variants?.summary).toBe('b is the best of 3 variants by pass rate (error rate at most 5 %).');
    expect(variants?.variants.map((row) => [row.label, rankText(row)])).toEqual([
      ['b', '1'],
      ['a', '2 to 3'],
      ['c', '2 to 3'],
    ]);
    const picture = variants && frontPicture(variants, 'cost-usd', 480, 300);
    expect(picture?.points.map(({ label }) => label)).toEqual(['b', 'a', 'c']);
    const places = variants?.variants.map(({ front }) => front.find(({ against }) => against === 'cost-usd'));
    expect(places?.map((place) => place && frontText(place))).toEqual([
      'on the front',
      'on the front',
      'dominated by b beyond chance',
    ]);
    expect(await readFile(join(cwd, 'out', 'variants.md'), 'utf8')).toContain('## Pareto front of quality');
  });

  it.each([
    { args: ['--reference', 'bb'], message: 'The run has no connector "bb".' },
    { args: ['--reference', 'b', '--a', 'a'], message: '--reference compares all variants' },
    { args: ['--judge', '--reference', 'b'], message: '--judge ranks all variants at once, without a reference.' },
    { args: ['--metric', 'pass-rat'], message: 'There is no figure "pass-rat".' },
  ])('refuses $args', async ({ args, message }) => {
    const { exitCode, stderr } = await compare(await ran(best), ...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  it('compares more than two runs in the same table, each named once', async () => {
    const cwd = await ran(times(14, 'a:no a2:yes'), 'a');
    await writeFile(join(cwd, 'agents.mjs'), agents.replace("answer('a',", "answer('a2',"));
    for (const _ of ['second', 'third']) {
      await assayInProcess(['run', 'ask.json', '--connector', 'a', '--repeat', '2', '--no-cache', '--quiet'], { cwd });
    }
    const runs = ['latest~2', 'latest~1', 'latest'];
    const { stdout, exitCode } = await assayInProcess(['compare', ...runs, '--json'], { cwd });
    const table = JSON.parse(stdout);
    expect([exitCode, table.by, table.variants.length]).toEqual([0, 'run', 3]);
    expect(table.variants.at(-1)).toMatchObject({ label: table.reference, rank: { best: 3, worst: 3 } });
    const failing = await assayInProcess(['compare', ...runs.toReversed(), '--fail-on', 'worse'], { cwd });
    expect(failing.exitCode).toBe(1);
    expect(failing.stdout).toContain('3 runs, reference:');
    const twice = await assayInProcess(['compare', 'latest', 'latest~1', 'latest'], { cwd });
    expect([twice.exitCode, twice.stderr]).toEqual([2, expect.stringContaining('was named twice')]);
  });

  it('ranks nothing where all end in errors, and keeps a variant that was never judged', async () => {
    const errors = await compare(await ran(times(8, 'a:broken b:broken c:broken')));
    expect(errors.exitCode).toBe(3);
    expect(errors.stdout).toContain('The variants cannot be ranked by pass rate.');
    const one = JSON.parse((await compare(await ran(times(8, 'a:yes b:yes c:broken')), '--json')).stdout);
    expect(one.variants.find(({ label }: { label: string }) => label === 'c')).toMatchObject({
      rank: null,
      unjudged: 16,
    });
    expect(one.best.labels).toEqual(['a', 'b']);
  });

  it('has the answers of an experiment that had several variants', async () => {
    const cwd = await project(best);
    const run = await assayInProcess(
      ['experiment', 'ask.json', '--json', '--by', 'connector', '--connector', 'a,b,c', '--reference', 'c'],
      { cwd },
    );
    const arms = new Map<string, { answer: string; difference: number }>();
    for (const look of JSON.parse(run.stdout).experiment.looks) for (const arm of look.arms) arms.set(arm.arm, arm);
    const { variants, reference } = JSON.parse((await compare(cwd, '--json')).stdout);
    expect(reference).toBe('c');
    for (const { label, differences } of variants) {
      const [metric] = differences;
      if (metric)
        expect(metric).toMatchObject({ answer: arms.get(label)?.answer, difference: arms.get(label)?.difference });
    }
    await assayInProcess(['report', 'latest', '--format', 'html', '-o', 'out'], { cwd });
    const { variants: table } = reportDocumentIn(await readFile(join(cwd, 'out', 'report.html'), 'utf8'));
    expect(table).toMatchObject({ by: 'connector', reference: 'c' });
  });
});

describe('trials that pass as often as those published of tau-bench for airline', () => {
  it('have pass^1 to pass^4 of 0.420, 0.273, 0.220 and 0.200', async () => {
    const cwd = await temporaryFolder({ 'airline.json': JSON.stringify(airlineResults()) });
    await assayInProcess(['import', 'airline.json'], { cwd });
    const { totals, repeats } = JSON.parse((await assayInProcess(['show', 'latest', '--json'], { cwd })).stdout);
    expect(totals).toMatchObject({ planned: 200, pass: 84, fail: 116 });
    const values = repeats.passOfK[0].passHatK.map(({ value }: { value: number }) => value.toFixed(3));
    expect(values).toEqual(['0.420', '0.273', '0.220', '0.200']);
    const shown = (await assayInProcess(['show', 'latest'], { cwd })).stdout;
    for (const [k, text] of [
      [1, '42 %'],
      [2, '27.3 %'],
      [3, '22 %'],
      [4, '20 %'],
    ]) {
      expect(shown).toMatch(new RegExp(`^ +${k} +[\\d.]+ % \\(.*\\) +${text} \\(`, 'm'));
    }
  });
});
