import { describe, expect, it } from 'vitest';
import { AssayError } from '../domain/errors.ts';
import type { Trace, TraceEventOf } from '../domain/trace.ts';
import type { Answer, How, Reads } from '../score/evaluators/evaluator.ts';
import { coveredAnswer, refusedByCoverage, refusedName, withRead } from './covered-answer.ts';

const by = { at: 0, seenBy: 'agent' } as const;

function turn(number: number, reports: TraceEventOf<'turn'>['reports'] = ['tool-calls']): Trace[number] {
  return { type: 'turn', ...by, number, messages: [], reports, latencyMs: 5 };
}

function gap(
  channel: TraceEventOf<'gap'>['channels'][number] = 'tool-calls',
  reason = 'a line was cut',
): Trace[number] {
  return { type: 'gap', ...by, channels: [channel], reason };
}

const traces = {
  complete: [turn(1)],
  partial: [gap(), turn(1)],
  none: [turn(1, [])],
} as const satisfies Readonly<Record<string, Trace>>;

const reads = (how: How, more: Partial<Reads> = {}): Reads => ({ channels: { 'tool-calls': how }, ...more });
const verdict = (state: 'pass' | 'fail'): Answer => ({ state, reason: 'counted', value: 1, metrics: { count: 1 } });

function stateOf(answer: Answer, how: How, coverage: keyof typeof traces): string {
  return coveredAnswer(answer, 'assertion', reads(how), traces[coverage]).state;
}

function messageOf(answer: Answer): string {
  return answer.state === 'error' ? answer.error.message : answer.state;
}

describe('an assertion', () => {
  // By how it reads the channel, then by its coverage: complete, partial, none.
  it.each<[How, 'pass' | 'fail', readonly string[]]>([
    ['presence', 'pass', ['pass', 'pass', 'pass']],
    ['presence', 'fail', ['fail', 'error', 'error']],
    ['absence', 'pass', ['pass', 'error', 'error']],
    ['absence', 'fail', ['fail', 'fail', 'error']],
    ['exact', 'pass', ['pass', 'error', 'error']],
    ['exact', 'fail', ['fail', 'error', 'error']],
  ])('of %s that would %s', (how, state, states) => {
    const found = (['complete', 'partial', 'none'] as const).map((each) => stateOf(verdict(state), how, each));
    expect(found).toEqual(states);
  });

  it('that says what it rests on is believed', () => {
    const onCall: Answer = { state: 'fail', reason: 'a call', restsOn: 'seen' };
    const onSilence: Answer = { state: 'fail', reason: 'no call', restsOn: 'silence' };
    expect([stateOf(onCall, 'exact', 'partial'), stateOf(onSilence, 'exact', 'partial')]).toEqual(['fail', 'error']);
    expect(stateOf({ ...onSilence, state: 'pass' }, 'presence', 'partial')).toBe('error');
  });

  it('says what was lost, and no more than three reasons', () => {
    const losses = ['one', 'two', 'three', 'four', 'five'].map((reason) => gap('tool-calls', reason));
    const answer = (count: number) =>
      messageOf(coveredAnswer(verdict('fail'), 'assertion', reads('exact'), [...losses.slice(0, count), turn(1)]));
    expect(answer(3)).toBe('Not all tool calls were observed: one; two; three.');
    expect(answer(5)).toBe('Not all tool calls were observed: one; two; three; and 2 more.');
  });

  it('that was skipped or broke stays so, with the loss that explains a missing figure', () => {
    const skipped: Answer = { state: 'skipped', reason: 'no key' };
    expect(coveredAnswer(skipped, 'assertion', reads('exact'), traces.none)).toBe(skipped);
    const missing: Answer = { state: 'error', error: new AssayError('NOT_OBSERVED', 'no figure') };
    expect(messageOf(coveredAnswer(missing, 'assertion', reads('exact'), traces.partial))).toBe(
      'Not all tool calls were observed: a line was cut.',
    );
    expect(messageOf(coveredAnswer(missing, 'assertion', reads('exact'), traces.complete))).toBe('no figure');
    const broken: Answer = { state: 'error', error: new AssayError('EVALUATOR_FAILED', 'it broke') };
    expect(messageOf(coveredAnswer(broken, 'assertion', reads('exact'), traces.partial))).toBe('it broke');
  });

  it('does not list a gate as passed that cannot be judged', () => {
    const gates = [{ gate_type: 'g', passed: true, message: 'fine' }];
    const answer: Answer = { state: 'pass', reason: 'fine', findings: { gates } };
    expect(coveredAnswer(answer, 'assertion', reads('exact'), traces.partial)).toMatchObject({
      ...{ state: 'error', findings: { gates: [{ gate_type: 'g', passed: false }] } },
    });
    expect(coveredAnswer(answer, 'assertion', reads('exact'), traces.complete)).toEqual(answer);
    const other: Answer = { state: 'pass', reason: 'fine', findings: {} };
    expect(coveredAnswer(other, 'assertion', reads('exact'), traces.partial)).toMatchObject({ findings: {} });
  });

  it('about the last answer only minds losses after the answer before', () => {
    const ofAnswer = reads('exact', { scope: 'answer' });
    const before = [gap(), turn(1), turn(2)];
    const within = [turn(1), gap(), turn(2)];
    const after = [turn(1), turn(2), gap()];
    expect(coveredAnswer(verdict('pass'), 'assertion', ofAnswer, before).state).toBe('pass');
    expect(coveredAnswer(verdict('pass'), 'assertion', ofAnswer, within).state).toBe('error');
    expect(coveredAnswer(verdict('pass'), 'assertion', reads('exact'), before).state).toBe('error');
    // An observation holds, unless the answer in which it was made need not be the last.
    const present = reads('presence', { scope: 'answer' });
    expect(coveredAnswer(verdict('pass'), 'assertion', present, within).state).toBe('pass');
    expect(coveredAnswer(verdict('pass'), 'assertion', present, after).state).toBe('error');
    expect(coveredAnswer(verdict('pass'), 'assertion', reads('presence'), after).state).toBe('pass');
  });

  it('that rests on calls which were not made is refused where they could have been made unseen', () => {
    const delegated: Trace = [
      { type: 'tool-call', ...by, callId: 'c', tool: 'task', input: {}, kind: 'delegate' },
      turn(1, ['tool-calls']),
    ];
    expect(messageOf(coveredAnswer(verdict('pass'), 'assertion', reads('absence'), delegated))).toContain('sub-agent');
    expect(coveredAnswer(verdict('pass'), 'assertion', { channels: { times: 'exact' } }, delegated).state).toBe('pass');
    // A call that was seen too often was seen, whatever a sub-agent did beside it.
    expect(coveredAnswer(verdict('fail'), 'assertion', reads('absence'), delegated).state).toBe('fail');
  });

  it('needs every channel that it reads, and says how to find a loss', () => {
    const both: Reads = { channels: { 'tool-calls': 'exact', usage: 'exact' } };
    const refused = coveredAnswer(verdict('pass'), 'assertion', both, traces.complete);
    expect(messageOf(refused)).toBe('Not all tokens were observed: the target does not report tokens.');
    const lost = coveredAnswer(verdict('pass'), 'assertion', reads('exact'), traces.partial);
    expect(lost.state === 'error' && lost.error.hint).toContain('assay show');
  });

  it('minds what was lost of a channel that need not be reported, and not that nothing reports it', () => {
    const more: Reads = { channels: {}, whereReported: { 'tool-calls': 'absence' } };
    expect(coveredAnswer(verdict('pass'), 'assertion', more, traces.none).state).toBe('pass');
    expect(coveredAnswer(verdict('pass'), 'assertion', more, traces.partial).state).toBe('error');
    expect(coveredAnswer(verdict('fail'), 'assertion', more, traces.partial).state).toBe('fail');
  });
});

describe('a metric', () => {
  const measured: Answer<'metric'> = { state: 'measured', value: 3, reason: '3 calls', metrics: { calls: 3 } };
  const metric = (answer: Answer<'metric'>, coverage: keyof typeof traces) =>
    coveredAnswer(answer, 'metric', reads('presence'), traces[coverage]);

  it('has no data where a part of it was lost', () => {
    expect(metric(measured, 'complete')).toBe(measured);
    expect(metric(measured, 'partial')).toEqual({
      ...{ state: 'no-data', reason: 'Not all tool calls were observed: a line was cut.', metrics: { calls: null } },
    });
    expect(metric(measured, 'none')).toMatchObject({ state: 'no-data' });
    const { metrics: _, ...single } = measured;
    expect(metric(single, 'partial')).toEqual({ state: 'no-data', reason: expect.any(String) });
  });

  it('without data keeps its reason, and one that voids its trial voids it', () => {
    const nothing: Answer<'metric'> = { state: 'no-data', reason: 'no calls', metrics: { calls: 0 } };
    expect(metric(nothing, 'partial')).toEqual({ state: 'no-data', reason: 'no calls', metrics: { calls: null } });
    const voids = new AssayError('NOT_OBSERVED', 'void');
    expect(metric({ ...measured, voids } as never, 'partial')).toMatchObject({ state: 'no-data', voids });
  });
});

describe('before it is evaluated', () => {
  it('an exact reader is refused where its channel is not complete, and no other', () => {
    expect(refusedByCoverage(reads('exact'), traces.partial)?.code).toBe('NOT_OBSERVED');
    expect(refusedByCoverage(reads('exact'), traces.complete)).toBeUndefined();
    expect(refusedByCoverage(reads('absence'), traces.none)).toBeUndefined();
  });

  it('a name of a tool that nothing has is refused', () => {
    const listed: Trace = [
      { ...turn(1), tools: ['search'] } as never,
      { type: 'tool-call', ...by, callId: 'c', tool: 'search', input: {} },
    ];
    expect(refusedName({ channels: {} }, listed)).toBeUndefined();
    expect(refusedName({ channels: {}, tools: ['search'] }, listed)).toBeUndefined();
    const server = { type: 'mcp-server', ...by, label: 'docs', name: 'Docs', tools: [{ name: 'search' }] };
    const servers = [{ ...server, seenBy: 'recorder' } as never];
    expect(refusedName({ channels: {} }, servers)).toBeUndefined();
    expect(refusedName({ channels: {}, tools: ['docs/search'] }, servers)).toBeUndefined();
    expect(refusedName({ channels: {}, tools: ['docs/search', 'docs/find'] }, servers)?.message).toContain('docs/find');
  });

  it('of the channels that it may have read, those count that it read', () => {
    const may: Reads = { channels: { files: 'exact' }, whereRead: { usage: 'exact', cost: 'exact' } };
    expect(withRead(may, new Set(['usage'])).channels).toEqual({ files: 'exact', usage: 'exact' });
    expect(withRead(may, undefined)).toBe(may);
    const plain = reads('exact');
    expect(withRead(plain, new Set(['usage']))).toBe(plain);
  });
});
