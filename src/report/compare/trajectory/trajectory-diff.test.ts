import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toolSteps } from '../../../testing/fakes/compare/fake-steps.ts';
import { traceOf } from '../../../testing/fakes/score/fake-trace.ts';
import { repetitions } from '../../../testing/support/repetitions.ts';
import { type Step, stepsOf } from './steps.ts';
import { diffTrajectories, type RowStatus, type TrajectoryDiff } from './trajectory-diff.ts';

function rowTexts({ rows }: TrajectoryDiff): (string | undefined)[][] {
  return rows.map(({ status, a, b }) => [status, a?.label.replace('$ tm ', ''), b?.label.replace('$ tm ', '')]);
}

const mirrored: Readonly<Record<RowStatus, RowStatus>> = {
  same: 'same',
  changed: 'changed',
  added: 'dropped',
  dropped: 'added',
  'failed-now': 'mended',
  mended: 'failed-now',
};

/** Few different words, so repetitions and near matches are frequent. */
const trajectory = fc
  .array(
    fc.record({
      line: fc.constantFrom('create a', 'create b c', 'list', 'list --all', 'show 1', 'show 2', 'help', 'delete x y z'),
      code: fc.constantFrom(0, 0, 0, 2),
    }),
    { maxLength: 30 },
  )
  .map((lines) => toolSteps(...lines.map(({ line, code }) => `${line}!${code}`)));

describe('diffTrajectories', () => {
  it('finds what was added, dropped, changed, mended and fails now', () => {
    const before = toolSteps('doctor', 'add notes!2', 'create --title notes', 'list', 'export all csv', 'sync');
    const after = toolSteps('doctor', 'create --title notes', 'tag notes release', 'list!1', 'export all json');
    const diff = diffTrajectories(before, after);
    expect(rowTexts(diff)).toEqual([
      ['same', 'doctor', 'doctor'],
      ['dropped', 'add notes', undefined],
      ['same', 'create --title notes', 'create --title notes'],
      ['added', undefined, 'tag notes release'],
      ['failed-now', 'list', 'list'],
      ['dropped', 'export all csv', undefined],
      ['dropped', 'sync', undefined],
      ['added', undefined, 'export all json'],
    ]);
    expect(diff.counts).toEqual({ same: 2, changed: 0, added: 2, dropped: 3, 'failed-now': 1, mended: 0 });
    expect(diff.isWhole).toBe(true);
  });

  it('takes a command in another form for another command', () => {
    const diff = diffTrajectories(toolSteps('create Write notes!2'), toolSteps('create --title Write notes'));
    expect(diff.rows.map(({ status }) => status).sort()).toEqual(['added', 'dropped']);
  });

  it('puts what is message in other words at the same place beside each other, and never two tools', () => {
    const message = (text: string, tool: string) =>
      stepsOf(
        traceOf(
          { type: 'message', role: 'assistant', text },
          { type: 'tool-call', callId: '1', tool, input: { city: 'Ulm' } },
        ),
      );
    const { rows } = diffTrajectories(message('I look it up.', 'weather'), message('One moment please', 'forecast'));
    expect(rows.map(({ status }) => status)).toEqual(['changed', 'dropped', 'added']);
  });

  it('says nothing of how a step went when it is unknown', () => {
    const call = (answer: 'failed' | 'none') =>
      stepsOf(
        traceOf(
          { type: 'tool-call', callId: '1', tool: 'bash', input: {}, shellCommand: 'make' },
          ...(answer === 'none' ? [] : [{ type: 'tool-result', callId: '1', durationMs: 1, exitCode: 2 } as const]),
        ),
      );
    expect(diffTrajectories(call('none'), call('failed')).rows[0]?.status).toBe('same');
  });

  it('has nothing to say of nothing', () => {
    expect(diffTrajectories([], []).rows).toEqual([]);
    expect(diffTrajectories([], toolSteps('list')).counts).toMatchObject({ added: 1, same: 0 });
  });

  it('finds no difference between a trial and itself', () => {
    fc.assert(
      fc.property(trajectory, (steps) => {
        const { rows, counts } = diffTrajectories(steps, steps);
        expect(counts.same).toBe(rows.length);
        expect(rows.every(({ a, b }) => a === b)).toBe(true);
      }),
      { seed: 1, numRuns: repetitions({ usual: 40, inFull: 200 }) },
    );
  });

  it('keeps every step once and in order, and is mirrored when the sides are exchanged', () => {
    fc.assert(
      fc.property(trajectory, trajectory, (a, b) => {
        const diff = diffTrajectories(a, b);
        expect(diff.rows.flatMap((row) => row.a ?? [])).toEqual(a);
        expect(diff.rows.flatMap((row) => row.b ?? [])).toEqual(b);
        const pairs = (
          rows: TrajectoryDiff['rows'],
          side: 'a' | 'b',
          other: 'a' | 'b',
          status: (s: RowStatus) => RowStatus,
        ) => new Map(rows.flatMap((row) => (row[side] ? [[row[side], [row[other], status(row.status)]]] : [])));
        const back = diffTrajectories(b, a).rows;
        expect(pairs(back, 'b', 'a', (status) => mirrored[status])).toEqual(
          pairs(diff.rows, 'a', 'b', (status) => status),
        );
      }),
      { seed: 2, numRuns: repetitions({ usual: 40, inFull: 300 }) },
    );
  });

  it('puts as many equal steps together as can be in order', () => {
    fc.assert(
      fc.property(trajectory, trajectory, (a, b) => {
        const equal = diffTrajectories(a, b).rows.filter((row) => row.a && row.b && row.a.key === row.b.key);
        expect(equal.length).toBeGreaterThanOrEqual(longestCommon(a, b));
      }),
      { seed: 3, numRuns: repetitions({ usual: 40, inFull: 200 }) },
    );
  });
});

/** Straight from the definition. */
function longestCommon(a: readonly Step[], b: readonly Step[]): number {
  let previous = new Array<number>(b.length + 1).fill(0);
  for (const step of a) {
    const current = [0];
    for (const [index, other] of b.entries()) {
      const best = Math.max(previous[index + 1] ?? 0, current[index] ?? 0);
      current.push(step.key === other.key ? (previous[index] ?? 0) + 1 : best);
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

describe('long trajectories', () => {
  const long = (count: number, nameOf: (index: number) => string): Step[] =>
    Array.from({ length: count }, (_, index) => ({
      kind: 'command',
      subject: 'tm',
      key: `command tm ${nameOf(index)}`,
      label: nameOf(index),
      state: 'ok',
      detail: '',
      eventIndex: index,
    }));

  it('finds few differences in 50,000 steps of which each is there once', () => {
    const a = long(50_000, (index) => `step-${index}`);
    const b = [...a.slice(0, 10), ...long(3, (index) => `new-${index}`), ...a.slice(10, 40_000), ...a.slice(40_005)];
    const { counts, isWhole } = diffTrajectories(a, b);
    expect(counts).toMatchObject({ same: 49_995, added: 3, dropped: 5 });
    expect(isWhole).toBe(true);
  });

  it('aligns 50,000 steps of three words in pieces, and says so', () => {
    const words = ['list', 'show', 'create'];
    const a = long(50_000, (index) => words[(index * index) % 3] ?? '');
    const b = long(50_000, (index) => words[(index * 7 + (index >> 3)) % 3] ?? '');
    const { rows, counts, isWhole } = diffTrajectories(a, b);
    expect(isWhole).toBe(false);
    expect(rows.flatMap((row) => row.a ?? [])).toHaveLength(50_000);
    expect(rows.flatMap((row) => row.b ?? [])).toHaveLength(50_000);
    expect(counts.same).toBeGreaterThan(25_000);
  });

  it('is done with 50,000 steps that have nothing in common', () => {
    const a = long(50_000, (index) => `left ${index} of many`);
    const b = long(50_000, (index) => `right ${index} in other words`);
    const { counts } = diffTrajectories(a, b);
    expect(counts.same).toBe(0);
  });
});
