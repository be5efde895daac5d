import { describe, expect, it } from 'vitest';
import { evaluatorPlaces, isUsable, kindOfScenario } from './scenario-kind.ts';

describe('a scenario file', () => {
  it('is known by the keys that only its kind has', () => {
    expect(kindOfScenario({ name: 'a', call: {} })).toBe('tool');
    expect(kindOfScenario({ name: 'a', target: {}, task: {} })).toBe('cli-tool');
    expect(kindOfScenario({ name: 'a', connector: 'x' })).toBe('conversation');
    expect(kindOfScenario({ server: {} })).toBe('mcp-server');
    expect(kindOfScenario(null)).toBe('tool');
  });

  it('has its evaluators where its kind has them', () => {
    expect(evaluatorPlaces('cli-tool', { gates: [] }).map(({ path }) => path)).toEqual([['gates'], ['evaluators']]);
    expect(evaluatorPlaces('cli-tool', {}).map(({ path }) => path)).toEqual([['evaluation', 'gates'], ['evaluators']]);
    expect(evaluatorPlaces('mcp-server', { workflows: [{ name: 'Shopping' }] })).toEqual([
      { path: ['workflows', 0, 'evaluators'], title: 'Evaluators of Shopping', isOfGates: false },
    ]);
  });

  it('offers only evaluators that find what they need', () => {
    const [gates, evaluators] = evaluatorPlaces('cli-tool', {});
    const gate = { needs: ['workspace'], isGate: true };
    const judge = { needs: ['judge'], isGate: false };
    const ofAnswer = { needs: ['call-answer'], isGate: false };
    if (gates === undefined || evaluators === undefined) throw new Error('no places');
    expect([isUsable(gate, 'cli-tool', gates), isUsable(gate, 'cli-tool', evaluators)]).toEqual([true, false]);
    expect([isUsable(judge, 'cli-tool', evaluators), isUsable(ofAnswer, 'cli-tool', evaluators)]).toEqual([
      true,
      false,
    ]);
    expect(isUsable(gate, 'conversation', { ...evaluators })).toBe(false);
  });
});
