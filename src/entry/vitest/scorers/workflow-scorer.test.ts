import { describe, expect, it } from 'vitest';
import { WorkflowScorer, type WorkflowScorerOptions } from './workflow-scorer.ts';

const messages = (count: number) => Array.from({ length: count }, () => ({ role: 'user', content: 'hello' }));

describe('WorkflowScorer', () => {
  it.each<[string, unknown, WorkflowScorerOptions, unknown, number]>([
    ['success with calls', { success: true, toolCalls: [] }, {}, undefined, 1],
    ['success without calls', { success: true }, {}, undefined, 0.8],
    ['failure', { success: false, toolCalls: [], messages: messages(5) }, {}, undefined, 0.2],
    ['it does not say', { toolCalls: [], messages: messages(5) }, {}, undefined, 0],
    ['an expected failure', { success: false, toolCalls: [] }, {}, { success: false }, 1],
    ['an unexpected success', { success: true, toolCalls: [] }, {}, { success: false }, 0.2],
    ['success is not required', { success: false, toolCalls: [] }, { requireSuccess: false }, undefined, 1],
    ['enough messages', { success: true, messages: messages(2) }, { checkMessages: true, minMessages: 2 }, {}, 0.8],
    ['half of them', { success: true, messages: messages(2) }, { checkMessages: true, minMessages: 4 }, {}, 0.7],
    ['one is enough', { success: true, messages: messages(1) }, { checkMessages: true }, {}, 0.8],
    ['no messages', { success: true, toolCalls: [] }, { checkMessages: true }, {}, 0.8],
    ['none are needed', { success: true, toolCalls: [] }, { checkMessages: true, minMessages: 0 }, {}, 1],
    ['no object', 'done', {}, undefined, 0],
    ['nothing', undefined, {}, undefined, 0],
  ])('%s', (_name, output, options, expected, score) => {
    expect(new WorkflowScorer(options).score(output, expected)).toBeCloseTo(score, 10);
  });

  it('explains', () => {
    expect(WorkflowScorer().explain({ success: false, messages: messages(1), toolCalls: ['add'] }, {})).toBe(
      'The workflow has success false, expected true; 1 message, tools called: [add]',
    );
    expect(WorkflowScorer().explain(null, {})).toBe('The output is not an object with the result of a workflow');
  });
});
