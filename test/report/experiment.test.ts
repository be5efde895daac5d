import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ended, startAssay } from '../../src/testing/support/assay.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/**
 * Two agents. A question says how each answers it: `old:yes new:no` always, `~` now right and now wrong, `broken` not at
 * all.
 */
const agents = `
const asked = new Map();
const answer = (who) => async ({ messages }) => {
  const text = messages.at(-1).content;
  const [, how] = text.match(new RegExp(who + ':(\\\\S+)')) ?? [];
  if (how === 'broken') throw new Error('out of order');
  const count = (asked.get(who + text) ?? 0) + 1;
  asked.set(who + text, count);
  if (text.includes('slow')) await new Promise((resolve) => setTimeout(resolve, 30));
  return how === '~' ? (count % 2 === 0 ? 'yes' : 'no') : how;
};
export const old = answer('old');
export const fresh = answer('new');
export const third = answer('third');
`;

const config = {
  connectors: Object.fromEntries(
    ['old', 'fresh', 'third'].map((name) => [
      name,
      { type: 'module', config: { module: './agents.mjs', export: name } },
    ]),
  ),
};

function project(questions: readonly string[], settings: object = {}): Promise<string> {
  const scenario = {
    name: 'Ask',
    dataset: './questions.jsonl',
    messages: [{ role: 'user', content: '{{question}}' }],
    evaluators: [{ type: 'contains', config: { text: 'yes' } }],
  };
  const rows = questions.map((how, index) => JSON.stringify({ question: `${index} ${how}` }));
  return temporaryFolder({
    'agents.mjs': agents,
    'assay.config.json': JSON.stringify({ ...config, ...settings }),
    'ask.json': JSON.stringify(scenario),
    'questions.jsonl': rows.join('\n'),
  });
}

const times = (count: number, how: string): string[] => Array.from({ length: count }, () => how);
const twoAgents = ['--by', 'connector', '--connector', 'old,fresh'];

async function experiment(cwd: string, ...args: string[]) {
  const result = await assayInProcess(['experiment', 'ask.json', '--json', ...args], { cwd });
  return { ...result, document: result.stdout === '' ? undefined : JSON.parse(result.stdout) };
}

interface StoredTrial {
  readonly caseId: string;
  readonly variant: { readonly connector: string };
  readonly repeat: number;
}

function trialsOf(document: { readonly trials: readonly StoredTrial[] }, caseId: string, connector: string): number[] {
  const found = document.trials.filter((trial) => trial.caseId === caseId && trial.variant.connector === connector);
  return found.map(({ repeat }) => repeat).sort((a, b) => a - b);
}

describe('an experiment', () => {
  it('ends as soon as one variant is better, and counts no trial that was not needed', async () => {
    const cwd = await project([...times(12, 'old:no new:yes'), ...times(8, 'old:yes new:yes')]);
    const { exitCode, document } = await experiment(cwd, ...twoAgents);
    expect(exitCode).toBe(0);
    expect(document.experiment).toMatchObject({
      by: 'connector',
      reference: 'old',
      rounds: [2, 2, 2, 2, 2],
      maxTrials: 400,
      ending: 'decided',
    });
    const [look] = document.experiment.looks;
    expect(look).toMatchObject({ round: 1, trials: 80, arms: [{ arm: 'fresh', answer: 'better', difference: 0.6 }] });
    expect(look.arms[0].interval.low).toBeGreaterThan(0);
    expect(document.totals).toEqual({ planned: 80, pass: 56, fail: 24, error: 0, skipped: 0, notRun: 0 });
    const shown = await assayInProcess(['show', 'latest'], { cwd });
    expect(shown.stdout).toMatch(/fresh: better than old: pass rate 40 % → 100 % \(\+60 points, 9\d\.\d+ % interval/);
    expect(shown.stdout).toContain('decided in round 1 of 5, after 80 of at most 400 trials');
  });

  it('is not stopped by failures where the config limits them, as it compares those that fail', async () => {
    const questions = [...times(12, 'old:no new:yes'), ...times(8, 'old:yes new:yes')];
    const { exitCode, document } = await experiment(await project(questions, { stopAfterFailures: 1 }), ...twoAgents);
    expect(exitCode).toBe(0);
    expect(document.totals).toMatchObject({ planned: 80, fail: 24, notRun: 0 });
  });

  it('lets settled cases rest, and says what would decide it when its plan is used up', async () => {
    const cwd = await project([
      ...times(4, 'old:~ new:~'),
      ...times(3, 'old:no new:yes'),
      ...times(9, 'old:yes new:yes'),
    ]);
    const { exitCode, document, stderr } = await experiment(cwd, ...twoAgents, '--smallest', 'pass-rate=0.02');
    expect(exitCode).toBe(3);
    expect(document.experiment.ending).toBe('plan-used-up');
    expect(document.experiment.looks).toHaveLength(5);
    const levels = document.experiment.looks.map(({ level }: { level: number }) => level);
    expect(levels).toEqual([...levels].sort((a, b) => a - b));
    expect(levels.at(-1)).toBeLessThan(0.05);
    // From the third round on a settled case has one trial of two, which stands for both.
    expect(trialsOf(document, 'row-16', 'old')).toEqual([1, 2, 3, 4, 5, 7, 9]);
    expect(trialsOf(document, 'row-1', 'fresh')).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(document.totals.planned).toBe(2 * (4 * 10 + 12 * 7));
    expect(document.experiment.looks.at(-1).arms[0].trialsToDecide).toBeGreaterThan(0);
    expect(stderr).toContain('round 4 of 5: fresh: not decided: pass rate');
    const compared = await assayInProcess(['compare', 'latest', '--by', 'connector'], { cwd });
    expect(compared.stdout).toContain('A was run in 5 rounds and compared after each');
  });

  it('compares every variant with the reference, and goes on with those that are not decided', async () => {
    const cwd = await project(times(14, 'old:yes new:no third:~'));
    const connectors = ['--by', 'connector', '--connector', 'fresh,old,third', '--reference', 'old'];
    const { document } = await experiment(cwd, ...connectors, '--smallest', 'pass-rate=0.4');
    const [first] = document.experiment.looks;
    expect(first.arms.map(({ arm }: { arm: string }) => arm)).toEqual(['fresh', 'third']);
    expect(first.arms[0].answer).toBe('worse');
    const rounds = new Set(trialsOf(document, 'row-1', 'fresh'));
    const others = new Set(trialsOf(document, 'row-1', 'third'));
    expect(document.experiment.looks.length === 1 || rounds.size < others.size).toBe(true);
    expect((await experiment(cwd, ...connectors, '--fail-on', 'worse')).exitCode).toBe(1);
  });

  it('goes on after an interruption as if nothing had happened', async () => {
    const questions = [...times(4, 'old:no new:yes'), ...times(12, 'old:yes new:yes')];
    const [cwd, other] = [await project(questions), await project(questions)];
    const child = startAssay(['experiment', 'ask.json', ...twoAgents, '--concurrency', '1'], { cwd });
    onTestFinished(() => void child.kill('SIGKILL'));
    const done = ended(child);
    for (let printed = ''; !printed.includes('round 2 of'); ) printed += (await once(child.stderr ?? child, 'data'))[0];
    child.kill('SIGINT');
    const interrupted = await done;
    expect(interrupted.exitCode).toBe(130);
    expect(interrupted.stderr).toContain('assay experiment --resume r-');
    const resumed = await experiment(cwd, '--resume', 'latest');
    const whole = await experiment(other, ...twoAgents);
    expect(resumed.document.experiment).toEqual(whole.document.experiment);
    expect(resumed.document.totals).toEqual(whole.document.totals);
    expect(resumed.exitCode).toBe(whole.exitCode);
  });

  it('stops after the first round where nothing can be compared', async () => {
    const { exitCode, document } = await experiment(await project(times(8, 'old:yes new:broken')), ...twoAgents);
    expect(exitCode).toBe(3);
    expect(document.experiment).toMatchObject({ ending: 'nothing-to-compare', looks: [{ round: 1, arms: [] }] });
    expect(document.totals.planned).toBe(32);
  });

  it('names a variant that was never judged, and is not called decided', async () => {
    const cwd = await project(times(12, 'old:no new:yes third:broken'));
    const connectors = ['--by', 'connector', '--connector', 'old,fresh,third'];
    const { exitCode, document } = await experiment(cwd, ...connectors);
    expect(exitCode).toBe(3);
    expect(document.experiment).toMatchObject({
      ending: 'nothing-to-compare',
      reason: 'No case was judged under both "old" and "third".',
    });
    expect(document.experiment.looks.at(-1).arms).toMatchObject([{ arm: 'fresh', answer: 'better' }]);
  });

  it('is not what resumes a plain run, and its question is not changed by a resumption', async () => {
    const cwd = await project(times(4, 'old:yes new:yes'));
    await assayInProcess(['run', 'ask.json', '--connector', 'old,fresh'], { cwd });
    const plain = await experiment(cwd, '--resume', 'latest');
    expect(plain.exitCode).toBe(2);
    expect(plain.stderr).toContain('is not an experiment');
    const changed = await experiment(cwd, '--resume', 'latest', '--metric', 'tokens');
    expect(changed.exitCode).toBe(2);
    expect(changed.stderr).toContain('--metric cannot be changed when an experiment is resumed');
  });

  it('names the figure that no trial has', async () => {
    const cwd = await project(times(8, 'old:yes new:yes'));
    const { exitCode, document } = await experiment(cwd, ...twoAgents, '--metric', 'words');
    expect(exitCode).toBe(3);
    expect(document.experiment).toMatchObject({
      ending: 'nothing-to-compare',
      reason: 'No case has the figure words under both "old" and "fresh".',
    });
  });

  it('keeps the unit, the smallest difference that matters and the ratio of typical trials with each look', async () => {
    const cwd = await project(times(8, 'old:yes new:yes'));
    const limits = ['--max-trials', '16'];
    const { document: rate } = await experiment(cwd, ...twoAgents, ...limits);
    expect(rate.experiment.looks[0].arms[0]).toMatchObject({ unit: 'share', smallestDifference: 0.05, typical: null });
    const { document: time } = await experiment(cwd, ...twoAgents, ...limits, '--metric', 'duration-ms');
    const { unit, typical } = time.experiment.looks[0].arms[0];
    expect(unit).toBe('ms');
    expect(typical.interval.low).toBeLessThan(typical.ratio);
    expect(typical.interval.high).toBeGreaterThan(typical.ratio);
  });

  it('answers for one case on that case alone', async () => {
    const { exitCode, document } = await experiment(await project(['old:no new:yes']), ...twoAgents);
    expect(exitCode).toBe(0);
    expect(document.experiment.looks.at(-1).arms[0]).toMatchObject({ answer: 'better', isOnTheseCases: true });
  });

  it('says that more trials of one case do not help where it ends alike each time', async () => {
    const cwd = await project(['old:yes new:yes']);
    const { stderr } = await assayInProcess(
      ['experiment', 'ask.json', ...twoAgents, '--max-trials', '8', '--reporter', 'json', '-o', 'out'],
      { cwd },
    );
    expect(stderr).toContain('so few cases show only large differences among themselves: add cases');
    expect(stderr).not.toContain('would decide it');
  });

  it.each([
    [['--connector', 'old,fresh'], 'needs --by'],
    [['--by', 'connector', '--connector', 'old'], 'only one variant by connector'],
    [[...twoAgents, '--reference', 'odl'], 'There is no connector "odl"'],
    [[...twoAgents, '--max-trials', '7'], 'One round has 8 trials, more than the limit of 7'],
    [[...twoAgents, '--metric', 'pass-rate,tokens'], 'One figure decides'],
    [[...twoAgents, '--by', 'persona'], 'only one variant by persona'],
    [[...twoAgents, '--distributed'], 'each round depends on the results before it'],
  ])('refuses %j before anything runs', async (args, message) => {
    const cwd = await project(times(4, 'old:yes new:yes'));
    const { exitCode, stderr } = await experiment(cwd, ...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect(JSON.parse((await assayInProcess(['runs', '--json'], { cwd })).stdout)).toEqual([]);
  });
});

describe('assay run', () => {
  it('continues an experiment, and ends as the experiment does, although trials failed', async () => {
    const cwd = await project([...times(12, 'old:no new:yes'), ...times(8, 'old:yes new:yes')]);
    const args = ['--connector', 'fresh,old', '--by', 'connector', '--fail-on', 'worse'];
    expect((await experiment(cwd, ...args)).exitCode).toBe(1);
    expect((await assayInProcess(['run', '--resume', 'latest'], { cwd })).exitCode).toBe(0);
  });
});

function judgedIn({ stdout }: { readonly stdout: string }): number {
  const [run] = JSON.parse(stdout || '[]') as { readonly totals: { readonly pass: number; readonly fail: number } }[];
  return run ? run.totals.pass + run.totals.fail : 0;
}

describe('a run that was compared before its end', () => {
  it('is compared with a warning when it is complete', async () => {
    const cwd = await project(times(40, 'slow old:yes new:no'));
    const args = ['run', 'ask.json', '--connector', 'old,fresh', '--concurrency', '1'];
    const child = startAssay(args, { cwd });
    onTestFinished(() => void child.kill('SIGKILL'));
    const done = ended(child);
    // Variants come in an order by chance: both must have a trial.
    await expect.poll(async () => judgedIn(await assayInProcess(['runs', '--json'], { cwd }))).toBeGreaterThan(1);
    child.kill('SIGINT');
    expect((await done).exitCode).toBe(130);
    const early = await assayInProcess(['compare', 'latest', '--by', 'connector'], { cwd });
    expect(early.stdout).toContain('A is interrupted');
    expect(early.stdout).not.toContain('extended after that');
    await assayInProcess(['run', '--resume', 'latest'], { cwd });
    const late = await assayInProcess(['compare', 'latest', '--by', 'connector'], { cwd });
    expect(late.stdout).toMatch(/A was compared with \d+ of 80 trials and extended after that/);
  });
});
