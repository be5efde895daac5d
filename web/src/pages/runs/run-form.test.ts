import { describe, expect, it } from 'vitest';
import { emptyRunForm, runFormProblems, runWish } from './run-form.ts';

describe('the form of a run', () => {
  it('asks for what the config says where nothing was typed', () => {
    expect(runWish(emptyRunForm)).toEqual({});
  });

  it('asks for what was typed', () => {
    const form = { ...emptyRunForm, paths: ' a.yaml, ,b ', tags: 'quick', repeat: 3, name: ' n ', isJudged: false };
    expect(runWish(form)).toEqual({ paths: ['a.yaml', 'b'], tags: ['quick'], repeat: 3, name: 'n', judge: false });
  });

  it('says at the field what is wrong', () => {
    expect(runFormProblems({ ...emptyRunForm, repeat: 0, concurrency: 1.5, maxUsd: -1 })).toEqual({
      repeat: 'A whole number from 1 to 1,000',
      concurrency: 'A whole number from 1 to 1,000',
      maxUsd: 'More than 0',
    });
    expect(runFormProblems({ ...emptyRunForm, repeat: 5 })).toEqual({});
  });
});
