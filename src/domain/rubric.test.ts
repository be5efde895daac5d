import { describe, expect, it } from 'vitest';
import { rubricSchema } from './rubric.ts';

function problemsOf(weights: readonly number[]): string[] {
  const criteria = weights.map((weight, index) => ({ id: `c${index}`, weight, description: 'something' }));
  return rubricSchema.safeParse({ criteria }).error?.issues.map(({ message }) => message) ?? [];
}

describe('rubricSchema', () => {
  it('reads a rubric with its output section and drops unknown keys', () => {
    const rubric = {
      criteria: [{ id: 'a', weight: 1, description: 'All of it' }],
      output: { format: 'json', require_fields: ['scores', 'weighted_score', 'confidence', 'issues', 'highlights'] },
      author: 'Ann',
    };
    const { author: _author, ...kept } = rubric;
    expect(rubricSchema.parse(rubric)).toEqual(kept);
  });

  it.each([[[0.3, 0.4, 0.3]], [[0.33, 0.33, 0.33]], [[0.5, 0.51]], [[1]]])('takes the weights %j', (weights) => {
    expect(problemsOf(weights)).toEqual([]);
  });

  it.each([
    { weights: [0.3, 0.4], sum: '0.7' },
    { weights: [0.5, 0.52], sum: '1.02' },
    { weights: [0], sum: '0' },
    { weights: [1, 1], sum: '2' },
  ])('refuses weights that sum to $sum', ({ weights, sum }) => {
    expect(problemsOf(weights)).toEqual([`Rubric criterion weights must sum to 1.0, got ${sum}`]);
  });

  it.each([
    { criteria: [] },
    {
      criteria: [
        { id: 'a', weight: -1, description: 'x' },
        { id: 'b', weight: 2, description: 'x' },
      ],
    },
    {
      criteria: [
        { id: 'a', weight: 0.5, description: 'x' },
        { id: 'a', weight: 0.5, description: 'y' },
      ],
    },
    { criteria: [{ id: '__proto__', weight: 1, description: 'x' }] },
    { criteria: [{ id: 'a', weight: 1 }] },
    { criteria: [{ id: 'a', weight: 1, description: 'x' }], output: { require_fields: ['mood'] } },
  ])('refuses %j', (rubric) => {
    expect(rubricSchema.safeParse(rubric).success).toBe(false);
  });
});
