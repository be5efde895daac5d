import { describe, expect, it } from 'vitest';
import { toolSteps } from '../../../testing/fakes/compare/fake-steps.ts';
import { traceOf } from '../../../testing/fakes/score/fake-trace.ts';
import { stepsOf } from './steps.ts';
import { diffUsualSteps, UsualSteps } from './usual-steps.ts';

function usual(...trials: readonly (readonly string[])[]): UsualSteps {
  const steps = new UsualSteps();
  for (const lines of trials) steps.add(toolSteps(...lines));
  return steps;
}

describe('diffUsualSteps', () => {
  it('counts the repeats that have a step on each side, in the usual order', () => {
    const a = usual(['create a', 'list'], ['help', 'create a', 'list!1'], ['create a', 'list']);
    const b = usual(['create a', 'tag a'], ['create a!2', 'create a', 'tag a']);
    const rows = diffUsualSteps(a, b);
    expect(
      rows.map(({ status, label, time, a: ofA, b: ofB }) => [
        status,
        label,
        time,
        ofA.trials,
        ofA.failed,
        ofB.trials,
        ofB.failed,
      ]),
    ).toEqual([
      ['dropped', '$ tm help', 1, 1, 0, 0, 0],
      ['failed-now', '$ tm create a', 1, 3, 0, 2, 1],
      ['dropped', '$ tm list', 1, 3, 1, 0, 0],
      ['added', '$ tm create a', 2, 0, 0, 1, 0],
      ['added', '$ tm tag a', 1, 0, 0, 2, 0],
    ]);
    expect(rows[1]).toMatchObject({ a: { share: 1 }, b: { share: 1 } });
    expect(rows[0]?.a.share).toBeCloseTo(1 / 3);
  });

  it('finds no difference between a side and itself, and calls another share a change', () => {
    const side = usual(['create a', 'list!1'], ['list']);
    expect(diffUsualSteps(side, side).map(({ status }) => status)).toEqual(['same', 'same']);
    const rows = diffUsualSteps(side, usual(['create a', 'list!1'], ['create a', 'list']));
    expect(rows.map(({ status, label }) => [status, label])).toEqual([
      ['changed', '$ tm create a'],
      ['same', '$ tm list'],
    ]);
  });

  it('counts that something was said, whatever it was', () => {
    const message = (text: string) => {
      const steps = new UsualSteps();
      steps.add(stepsOf(traceOf({ type: 'message', role: 'assistant', text })));
      return steps;
    };
    expect(diffUsualSteps(message('Here you are.'), message('Done!'))).toMatchObject([
      { status: 'same', label: 'assistant message' },
    ]);
  });

  it('has nothing to say of sides without trials or steps', () => {
    expect(diffUsualSteps(new UsualSteps(), new UsualSteps())).toEqual([]);
    const rows = diffUsualSteps(new UsualSteps(), usual(['list']));
    expect(rows).toMatchObject([{ status: 'added', a: { trials: 0, share: 0 } }]);
  });

  it('keeps a bounded table, and counts what has no place in it', () => {
    const steps = new UsualSteps();
    const [one] = toolSteps('list');
    if (one) steps.add(Array.from({ length: 20_005 }, (_, index) => ({ ...one, key: `k${index}` })));
    expect([steps.tallies.size, steps.unlisted]).toEqual([20_000, 5]);
  });
});
