import { describe, expect, it } from 'vitest';
import { mergedProblems } from './field-problems.ts';

const config = ['evaluators', 0, 'config'];

describe('problems of a form and of the server', () => {
  it('about the same place use the words of the server', () => {
    const own = [{ path: [...config, 'maxMs'], message: 'This is a number' }];
    const reported = [{ path: [...config, 'maxMs'], message: 'must be a number, not text' }];
    expect(mergedProblems(own, reported)).toEqual(reported);
  });

  it('about something missing stand at its field, not at its group', () => {
    const own = [{ path: [...config, 'maxMs'], message: 'This is required' }];
    expect(mergedProblems(own, [{ path: config, message: 'maxMs is missing' }])).toEqual(own);
  });

  it('about different places are all shown', () => {
    const own = [{ path: ['name'], message: 'This is required' }];
    const reported = [{ path: config, message: 'unknown' }];
    expect(mergedProblems(own, reported)).toEqual([...own, ...reported]);
  });
});
