import { describe, expect, it } from 'vitest';
import { armsIn, emptyRunForm, partsOf, runFormProblems, runWish, trialsInFiles, usualFiles } from './run-form.ts';
import { basisText, planText } from './run-plan.tsx';

const ended = (outcome: 'pass' | 'fail' | 'error', startedAt = 10) => ({
  ...{ runId: 'r', trialId: 't', outcome, startedAt },
  marks: [],
});

describe('the files of a new run', () => {
  const calm = { file: 'calm.yaml', changedAt: 5, last: ended('pass') };
  const failed = { file: 'failed.yaml', changedAt: 5, last: ended('fail') };
  const odd = { file: 'odd.yaml', changedAt: null, last: ended('error') };
  const changed = { file: 'changed.yaml', changedAt: 11, last: ended('pass') };
  const fresh = { file: 'fresh.yaml', changedAt: 5, last: null };

  it('are those that did not pass last, were changed since, or never ran', () => {
    const found = usualFiles([calm, failed, odd, changed, fresh]);
    expect(found).toEqual(['changed.yaml', 'failed.yaml', 'fresh.yaml', 'odd.yaml']);
    expect(usualFiles([calm, { ...calm, last: ended('fail') }, { ...calm, file: 'b' }])).toEqual(['calm.yaml']);
  });

  it('are all where that is true of all or of none', () => {
    expect(usualFiles([calm])).toEqual([]);
    expect(usualFiles([fresh, failed])).toEqual([]);
    expect(usualFiles([])).toEqual([]);
  });

  it('have their trials counted at once', () => {
    const scenarios = [
      { name: 'a', file: 'a.yaml', tags: ['x'], trials: 3 },
      { name: 'b', file: 'b.yaml', tags: [], trials: 25_000 },
    ];
    expect(trialsInFiles(scenarios, {})).toBe(25_003);
    expect(trialsInFiles(scenarios, { paths: ['a.yaml'] })).toBe(3);
    expect(trialsInFiles(scenarios, { tags: ['x'] })).toBe(3);
    expect(trialsInFiles(scenarios, { scenario: 'b' })).toBe(25_000);
  });
});

describe('the form of a run', () => {
  it('asks for what the config says where nothing was typed', () => {
    expect(runWish(emptyRunForm)).toEqual({});
  });

  it('asks for what was typed', () => {
    const chosen = { paths: ['a.yaml', 'b'], tags: ['quick'], models: ' gpt-4o, ,o3 ' };
    const form = { ...emptyRunForm, ...chosen, repeat: 3, name: ' n ', judge: false };
    const models = ['gpt-4o', 'o3'];
    expect(runWish(form)).toEqual({ ...chosen, models, repeat: 3, name: 'n', judge: false });
  });

  it('says at the field what is wrong', () => {
    expect(runFormProblems({ ...emptyRunForm, repeat: 0, concurrency: 1.5, maxUsd: -1 })).toEqual({
      repeat: 'A whole number from 1 to 10,000',
      concurrency: 'A whole number from 1 to 1,000',
      maxUsd: 'A number from 0 to 1,000,000',
    });
    expect(runFormProblems({ ...emptyRunForm, repeat: 5 })).toEqual({});
  });
});

describe('who takes part in a run', () => {
  const scenarios = [
    { file: 'talk.yaml', tags: ['slow'], target: 'conversation' },
    { file: 'call.yaml', tags: ['quick'], target: 'command' },
    { file: 'task.yaml', tags: [], target: 'cli-tool' },
  ];

  it('follows from the chosen scenarios', () => {
    expect(partsOf(scenarios, {})).toEqual({ hasAgents: true, hasConnectors: true, hasModels: true });
    expect(partsOf(scenarios, { tags: ['quick'] })).toEqual({
      hasAgents: false,
      hasConnectors: false,
      hasModels: false,
    });
    expect(partsOf(scenarios, { paths: ['talk.yaml'] })).toMatchObject({ hasAgents: false, hasConnectors: true });
  });
});

describe('the variants that a run can be restricted to', () => {
  const scenarios = [
    { file: 'a.yaml', tags: ['quick'], arms: { guidance: ['v1', 'v2'], skills: ['with'] } },
    { file: 'b.yaml', tags: [], arms: { guidance: ['v2', 'v3'] } },
  ];

  it('are those of the chosen scenarios, where there is a choice', () => {
    expect(armsIn(scenarios, {})).toEqual([{ part: 'guidance', names: ['v1', 'v2', 'v3'] }]);
    expect(armsIn(scenarios, { tags: ['quick'] })).toEqual([{ part: 'guidance', names: ['v1', 'v2'] }]);
    expect(armsIn([], {})).toEqual([]);
  });

  it('are in the request where some were chosen', () => {
    const form = { ...emptyRunForm, arms: { guidance: ['v1'], skills: [] } };
    expect(runWish(form)).toEqual({ arms: { guidance: ['v1'] } });
  });
});

describe('the plan of a run', () => {
  const plan = {
    ...{ scenarios: 2, cases: 4, trials: 12, reused: 0, costUsd: 0.12, isCostLowerBound: false, durationMs: 90_000 },
    ...{ earlierTrials: 24, variantCount: 1, variants: [] },
  };

  it('never shows what is unknown as nothing', () => {
    expect(planText(plan)).toBe('of 4 cases in 2 scenarios; cost: about $0.12; time: about 1 min 30 s');
    const unknown = { ...plan, costUsd: null, durationMs: null, earlierTrials: 0 };
    expect(planText(unknown)).toBe('of 4 cases in 2 scenarios; cost: unknown; time: unknown');
    expect(planText({ ...plan, costUsd: 0, isCostLowerBound: true })).toContain('cost: unknown');
    expect(planText({ ...plan, costUsd: 0 })).toContain('cost: none');
    expect(planText({ ...plan, isCostLowerBound: true })).toContain('cost: at least $0.12');
    expect(basisText(unknown)).toBe('Nothing of this was run before, so its time is unknown.');
  });
});
