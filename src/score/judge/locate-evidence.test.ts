import { describe, expect, it } from 'vitest';
import type { JudgeResult } from '../../domain/judge-result.ts';
import type { Trace } from '../../domain/trace.ts';
import { locateEvidence } from './locate-evidence.ts';

const message = (text: string) => ({ type: 'message', role: 'assistant', text, at: 0, seenBy: 'agent' }) as const;
const usage = { type: 'usage', inputTokens: 1, outputTokens: 1, at: 0, seenBy: 'engine' } as const;
const whole: Trace = [usage, message('one'), usage, usage, message('two')];
const visible = whole.filter(({ type }) => type === 'message');
const quote = (event: string) => ({ event, quote: 'two', isVerified: true });
const answer: Omit<JudgeResult, 'criteria'> = {
  state: 'pass',
  mode: 'criteria',
  promptVersion: 'v1',
  reason: '',
  warnings: [],
  usage: { inputTokens: 0, outputTokens: 0 },
  costUsd: 0,
};
const criterion = { id: 'success-1', kind: 'success', text: '', answer: 'met', reason: '' } as const;

describe('evidence', () => {
  it('names events by their place in the whole trace, of which the judge saw a part', () => {
    const judged: JudgeResult = {
      ...answer,
      criteria: [{ ...criterion, evidence: [quote('e2'), quote('e1')] }],
      response: { score: 1, evidence: [quote('e2')] },
      panel: [{ ...answer, criteria: [{ ...criterion, evidence: [quote('e2')] }] }],
    };
    expect(locateEvidence(judged, visible, whole)).toMatchObject({
      criteria: [{ evidence: [{ event: 'e5' }, { event: 'e2' }] }],
      response: { evidence: [{ event: 'e5', quote: 'two' }] },
      panel: [{ criteria: [{ evidence: [{ event: 'e5' }] }] }],
    });
  });

  it('leaves alone what names no event, and everything when all was shown', () => {
    const judged: JudgeResult = { ...answer, criteria: [{ ...criterion, evidence: [quote('final'), quote('e9')] }] };
    expect(locateEvidence(judged, visible, whole)).toMatchObject({
      criteria: [{ evidence: [{ event: 'final' }, { event: 'e9' }] }],
    });
    expect(locateEvidence(judged, whole, whole)).toBe(judged);
  });
});
