import { describe, expect, it } from 'vitest';
import { emptyExperimentForm, experimentFormProblems, experimentWish, planWish } from './experiment-form.ts';

const form = { ...emptyExperimentForm, by: 'connector' as const };

describe('the form of an experiment', () => {
  it('asks for the usual where nothing but the part was chosen', () => {
    expect(experimentWish(form)).toEqual({ experiment: { by: 'connector', metric: 'pass-rate' } });
    expect(experimentWish(emptyExperimentForm)).toBeUndefined();
    expect(planWish(emptyExperimentForm)).toEqual({ experiment: {} });
  });

  it('asks for what was typed', () => {
    const typed = {
      ...form,
      ...{ paths: 'a.yaml', variants: ' old, fresh ', reference: '', metric: ' tokens ', smallest: '5 %' },
      ...{ direction: 'lower' as const, maxTrials: 40, maxUsd: 2, name: ' n ' },
    };
    expect(experimentWish(typed)).toEqual({
      paths: ['a.yaml'],
      connectors: ['old', 'fresh'],
      maxUsd: 2,
      name: 'n',
      experiment: {
        by: 'connector',
        metric: 'tokens',
        reference: '',
        smallest: { kind: 'relative', share: 0.05 },
        isHigherBetter: false,
        maxTrials: 40,
      },
    });
    expect(experimentWish({ ...typed, by: 'guidance' })).not.toHaveProperty('connectors');
  });

  it('says at the field what is wrong', () => {
    const wrong = { ...emptyExperimentForm, metric: ' ', smallest: '-1', maxTrials: 1.5, maxUsd: 0 };
    expect(Object.keys(experimentFormProblems(wrong))).toEqual(['by', 'metric', 'smallest', 'maxTrials', 'maxUsd']);
    expect(experimentFormProblems({ ...form, smallest: '0.02' })).toEqual({});
    expect(planWish({ ...form, maxTrials: 1.5 })).toEqual({ experiment: { by: 'connector' } });
  });
});
