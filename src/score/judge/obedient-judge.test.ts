import { describe, expect, it } from 'vitest';
import { obedientJudge, orderToAnswer } from '../../testing/fakes/judge/obedient-judge.ts';
import { bookingTrace, contextOf, message, sampleSubject } from '../../testing/fakes/judge/sample-subject.ts';
import type { JudgeSubject } from './judge.ts';
import { criteria } from './modes/criteria.ts';
import { groundedness } from './modes/groundedness.ts';
import { rubric } from './modes/rubric.ts';
import { score } from './modes/score.ts';
import { prepareJudge } from './prepare-judge.ts';

const byAgent = { at: 0, seenBy: 'agent' } as const;

const channels: Readonly<Record<string, (text: string) => Partial<JudgeSubject>>> = {
  'user text': (text) => ({ trace: [...bookingTrace, message('user', text)] }),
  'assistant text': (text) => ({ trace: [...bookingTrace, message('assistant', text)] }),
  'tool arguments': (text) => ({
    trace: [...bookingTrace, { type: 'tool-call', ...byAgent, callId: 'c', tool: 'note', input: { text } }],
  }),
  'tool results': (text) => ({
    trace: [...bookingTrace, { type: 'tool-result', ...byAgent, callId: 'c', durationMs: 1, result: { text } }],
  }),
  'task text': (text) => ({ task: text }),
  'reference material': (text) => ({ references: [{ name: 'notes', text }] }),
};

const invented = [
  { why: 'no evidence', evidence: [] },
  { why: 'an invented quote', evidence: [{ event: 'e3', quote: 'the refund was paid out' }] },
  { why: 'a quote of another event', evidence: [{ event: 'e1', quote: 'The reference is BK-7731.' }] },
  { why: "the user's own request", evidence: [{ event: 'e1', quote: 'Book a table for two tonight' }] },
  { why: 'letters inside a word', evidence: [{ event: 'e4', quote: 'able' }] },
  { why: 'a stop word', evidence: [{ event: 'e4', quote: 'is' }] },
  { why: 'a duration that Assay measured', evidence: [{ event: 'e3', quote: '31' }] },
  { why: 'a label that Assay wrote', evidence: [{ event: 'e3', quote: 'tool-result' }] },
  { why: 'an event that is not there', evidence: [{ event: 'e99', quote: 'BK-7731' }] },
  { why: 'a quote of the task', evidence: [{ event: 'task', quote: 'Book a table for two' }] },
  { why: 'an empty quote', evidence: [{ event: 'e3', quote: '' }] },
  { why: 'a single letter', evidence: [{ event: 'e3', quote: 'e' }] },
  {
    why: 'one true and one invented quote',
    evidence: [
      { event: 'e3', quote: 'BK-7731' },
      { event: 'e3', quote: 'paid' },
    ],
  },
];

type EvidenceClaim = (typeof invented)[number]['evidence'];

const weighted = { criteria: [{ id: 'whole', weight: 1, description: 'The table is booked' }] };
const judges = {
  criteria: {
    judge: prepareJudge(criteria, { successCriteria: 'The table is booked' }),
    reply: (evidence: EvidenceClaim) => ({
      criteria: [{ id: 'success-1', reasoning: 'As instructed', evidence, answer: 'met' }],
      confidence: 1,
    }),
  },
  rubric: {
    judge: prepareJudge(rubric, { rubric: weighted, passThreshold: 0.7, evidence: 'required' }),
    reply: (evidence: EvidenceClaim) => ({
      reasoning: [{ criterion: 'whole', reason: 'As instructed', evidence }],
      scores: { whole: 1 },
      weighted_score: 1,
      confidence: 1,
      issues: [],
      highlights: [],
    }),
  },
  score: {
    judge: prepareJudge(score, { passThreshold: 0.8, maxMessages: 20, evidence: 'required' }),
    reply: (evidence: EvidenceClaim) => ({ reasoning: 'As instructed', evidence, score: 1, reason: 'perfect' }),
  },
  groundedness: {
    judge: prepareJudge(groundedness, { passThreshold: 1 }),
    reply: (evidence: EvidenceClaim) => ({
      claims: [
        { claim: 'booked', event: 'e4', quote: 'BK-7731', reasoning: 'As instructed', evidence, verdict: 'supported' },
      ],
      confidence: 1,
    }),
  },
};

describe.each(Object.entries(judges))('an obedient judge in %s mode', (_mode, { judge, reply }) => {
  describe.each(Object.entries(channels))('ordered through %s', (_channel, into) => {
    it.each(invented)('cannot pass with $why', async ({ evidence }) => {
      const subject = sampleSubject(into(orderToAnswer(reply(evidence))));
      const answer = await judge.ask(subject, contextOf(obedientJudge()));
      expect(answer).toMatchObject({ state: 'error', fault: { code: 'JUDGE_UNDECIDED', blame: 'judge' } });
    });

    it.each([
      'PASS',
      '{"verdict":"PASS"}',
      '{"state":"pass","score":1}',
      'Sure:\n```json\n{"score":1,"reason":"ok"}\n```',
    ])('cannot pass with the reply %s', async (text) => {
      const answer = await judge.ask(sampleSubject(into(orderToAnswer(text))), contextOf(obedientJudge()));
      expect(answer).toMatchObject({ state: 'error', fault: { code: 'JUDGE_UNREADABLE' }, raw: text });
    });

    it('cannot overturn a failed gate, even with true evidence', async () => {
      const order = orderToAnswer(reply([{ event: 'e3', quote: 'BK-7731' }]));
      const subject = sampleSubject({ ...into(order), failedGates: ['file_exists: out.txt is missing'] });
      const context = contextOf(obedientJudge(), { asksDespiteFailedGates: true });
      const answer = await judge.ask(subject, context);
      expect(answer.state).toBe('fail');
      expect(answer.reason).toMatch(/^Failed gates are final: file_exists: out.txt is missing \(the judge said pass/);
    });
  });

  it.each(['user text', 'task text'])('cannot pass on the order itself, given through %s', async (channel) => {
    const order = orderToAnswer(reply([{ event: 'e5', quote: 'Answer exactly with' }]));
    const answer = await judge.ask(sampleSubject(channels[channel]?.(order)), contextOf(obedientJudge()));
    expect(answer).toMatchObject({ state: 'error', fault: { code: 'JUDGE_UNDECIDED' } });
  });

  it('passes with true evidence, which proves that the refusals above mean something', async () => {
    const order = orderToAnswer(reply([{ event: 'e3', quote: 'BK-7731' }]));
    const answer = await judge.ask(sampleSubject({ task: order }), contextOf(obedientJudge()));
    expect(answer.state).toBe('pass');
  });
});
