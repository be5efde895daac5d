import { describe, expect, it } from 'vitest';
import type { ScenarioItem } from '../../../../src/entry/server/api/project.ts';
import { filteredScenarios, sortedScenarios } from './scenarios-page.tsx';

function item(name: string, more: Partial<ScenarioItem> = {}): ScenarioItem {
  return {
    name,
    file: `${name}.yaml`,
    description: '',
    target: 'module',
    tags: [],
    tier: 0,
    cases: 1,
    trials: 1,
    evaluators: [],
    arms: {},
    isEditable: true,
    changedAt: null,
    last: null,
    ...more,
  };
}

const booking = item('Booking', { tags: ['smoke'], target: 'conversation', trials: 9, evaluators: ['regex'] });
const search = item('Search', { description: 'finds orders' });
const all = [search, booking];

describe('the list of scenarios', () => {
  it('is filtered by words, tag and target', () => {
    expect(filteredScenarios(all, { text: 'FINDS search' })).toEqual([search]);
    expect(filteredScenarios(all, { text: 'regex', tag: 'smoke', target: 'conversation' })).toEqual([booking]);
    expect(filteredScenarios(all, { tag: 'slow' })).toEqual([]);
  });

  it('is in the chosen order', () => {
    expect(sortedScenarios(all, {})).toEqual([booking, search]);
    expect(sortedScenarios(all, { order: 'trials', direction: 'asc' })).toEqual([search, booking]);
    const ran = item('Z', { last: { runId: 'r', trialId: 't', outcome: 'pass', startedAt: 5, marks: [] } });
    expect(sortedScenarios([...all, ran], { order: 'last', direction: 'asc' })[0]).toBe(ran);
  });
});
