import { describe, expect, it } from 'vitest';
import { mergedProblems } from './field-problems.ts';

const config = ['evaluators', 0, 'config'];

describe('problems of a form and of the server', () => {
  it('about the same place are told in the words of the server', () => {
    const own = [{ path: [...config, 'maxMs'], message: 'This is a number' }];
    const told = [{ path: [...config, 'maxMs'], message: 'must be a number, not text' }];
    expect(mergedProblems(own, told)).toEqual(told);
  });

  it('about something missing are told at its field, not at what should hold it', () => {
    const own = [{ path: [...config, 'maxMs'], message: 'This is needed' }];
    expect(mergedProblems(own, [{ path: config, message: 'maxMs is missing' }])).toEqual(own);
  });

  it('about different places are all told', () => {
    const own = [{ path: ['name'], message: 'This is needed' }];
    const told = [{ path: config, message: 'unknown' }];
    expect(mergedProblems(own, told)).toEqual([...own, ...told]);
  });
});
