import { describe, expect, it } from 'vitest';
import type { Scenario } from '../../domain/scenario.ts';
import { splitCases } from './case-families.ts';

function found(task: string, tags: readonly string[] = [], ci?: Scenario['ci']) {
  const scenario = { name: task, tags, ci } as unknown as Scenario;
  return { scenario, case: { caseId: 'task', input: task, expected: undefined, evaluators: [] } };
}

const tasks = ['Sort names', 'Paint walls', 'Count sheep', 'Bake bread', 'Write poems', 'Plant trees'].map((task) =>
  found(task),
);

describe('splitCases', () => {
  it('holds out the same share of the families for a seed, in whatever order the cases come', () => {
    const split = splitCases(tasks, 0.3, 7);
    expect(split.heldOut).toHaveLength(2);
    expect(split.training).toHaveLength(4);
    const heldOut = new Set(split.heldOut.map(({ scenario }) => scenario));
    expect(new Set(splitCases([...tasks].reverse(), 0.3, 7).heldOut.map(({ scenario }) => scenario))).toEqual(heldOut);
    const others = [1, 2, 3, 4, 5].map((seed) => splitCases(tasks, 0.3, seed).heldOut.map(({ scenario }) => scenario));
    expect(new Set(others.map((names) => names.join())).size).toBeGreaterThan(1);
  });

  it('never divides a family', () => {
    const near = [
      found('Add an entry for order 12 of Ann'),
      found('Add an entry for order 99 of Ann'),
      found('Add the entry for order 5 of Ann'),
    ];
    const tagged = [found('Feed the cat', ['family:pets']), found('Walk a dog', ['family:pets'])];
    for (let seed = 0; seed < 20; seed++) {
      const { training, heldOut } = splitCases([...near, ...tagged, ...tasks], 0.4, seed);
      const families = new Set(training.map(({ family }) => family));
      expect(heldOut.filter(({ family }) => families.has(family))).toEqual([]);
      expect(heldOut.length).toBeGreaterThan(0);
      const names = (part: typeof training) => part.filter(({ scenario }) => scenario.startsWith('Add ')).length;
      expect([names(training), names(heldOut)].sort()).toEqual([0, 3]);
    }
  });

  it('holds out what its file holds out, with the whole family', () => {
    const marked = [found('Feed the cat', ['family:pets'], { role: 'holdout' }), found('Walk a dog', ['family:pets'])];
    const single = found('Mend nets', [], { cases: { task: { role: 'holdout' } } });
    for (let seed = 0; seed < 20; seed++) {
      const { training, heldOut } = splitCases([...tasks, ...marked, single], 0.1, seed);
      expect(heldOut.map(({ scenario }) => scenario).sort()).toEqual(['Feed the cat', 'Mend nets', 'Walk a dog']);
      expect(training).toHaveLength(tasks.length);
    }
    expect(() => splitCases([...marked, single], 0.3, 1)).toThrow('none is left to learn from');
  });

  it('refuses cases of one family', () => {
    expect(() => splitCases([found('Feed 1 cat'), found('Feed 2 cat')], 0.3, 1)).toThrow('2 cases in one family');
  });
});
