import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../../domain/trace.ts';
import { ask, contextOf } from '../../../../testing/fakes/score/conversation.ts';
import { toolHealth } from './tool-health.ts';

const byEngine = { at: 0, seenBy: 'engine' } as const;
const died = { code: 'MCP_SERVER_DIED', blame: 'target', message: 'The server died.', hint: 'Look at it.' } as const;

/** Trace of the test with that index and this answer of its tool. */
function tested(index: number, answer: object, more: object = {}): TraceEvent[] {
  const callId = `test-${index + 1}-1`;
  const figures = { attempts: 1, latencyMs: 12, totalMs: 30, timedOut: false, callId, fault: null };
  return [
    { type: 'tool-result', ...byEngine, callId, durationMs: 12, ...answer },
    { type: 'mcp-test', ...byEngine, index, kind: 'tool', name: 'x', ...figures, ...more },
  ];
}

const result = (text: string) => ({ result: { content: [{ type: 'text', text }] } });

async function judged(tests: readonly object[], trace: readonly TraceEvent[], kind = 'tool') {
  const context = contextOf(trace);
  const input = kind === 'tool' ? { kind, suite: { name: 's', tests } } : { kind, suite: { name: 's', ...tests[0] } };
  const trial = { ...context.trial, case: { ...context.trial.case, input } };
  return ask(toolHealth, {}, { ...context, trial });
}

const add = { name: 'add', args: {}, expectedResult: 5 };

describe('tool-health', () => {
  it('passes when every test does, with the time of the attempt that decided and of all', async () => {
    const answer = await judged([add], tested(0, result('5'), { attempts: 3 }));
    expect(answer).toMatchObject({ state: 'pass', value: 1, reason: 'The test passed' });
    expect(answer.findings?.toolHealth).toEqual([
      {
        testName: 'add test',
        toolName: 'add',
        kind: 'tool',
        state: 'pass',
        passed: true,
        score: 1,
        latency: 12,
        totalLatency: 30,
        retryCount: 2,
        details: expect.stringContaining('Answered as expected in 12 ms, 3 attempts in 30 ms: 5'),
      },
    ]);
  });

  it('names the first tests that fail, and how many more there are', async () => {
    const tests = Array.from({ length: 5 }, (_, index) => ({ ...add, description: `no. ${index}` }));
    const answer = await judged(
      tests,
      tests.flatMap((_, index) => tested(index, result('6'))),
    );
    expect(answer).toMatchObject({ state: 'fail', value: 0 });
    expect('reason' in answer && answer.reason).toMatch(/^5 of 5 tests failed: "no\. 0": .*"no\. 2": .*; and 2 more$/);
  });

  it('cannot judge what the server kept from being judged', async () => {
    const trace = [...tested(0, result('5')), ...tested(1, { error: { message: 'gone' } }, { fault: died })];
    const answer = await judged([add, add], trace);
    expect(answer).toMatchObject({ state: 'error', error: { code: 'MCP_SERVER_DIED', hint: 'Look at it.' } });
    expect(answer.findings?.toolHealth?.map(({ state }) => state)).toEqual(['pass', 'error']);
  });

  it('never passes a test that is not on record', async () => {
    const answer = await judged([add, add], tested(0, result('5')));
    expect(answer).toMatchObject({ state: 'error', error: { message: expect.stringContaining('was not run') } });
  });

  const unobserved = /^(?:NOT_OBSERVED|CRITERION_UNUSABLE)$/;
  const named = { name: 'x' };
  const calling = { ...named, tool: 'ask' };
  const completed = { ...named, argument: { name: 'a', value: '' } };
  const client = { clientId: 'c', clientSecret: 's' };
  it.each([
    ['tool', 'tests', add],
    ['tool', 'tests', { ...add, expectedResult: undefined, expectedError: 'no' }],
    ['tool', 'tests', { ...add, expectedResult: undefined, cancelAfterMs: 5 }],
    ['resource', 'discoveryTests', named],
    ['resource', 'tests', { ...named, uri: 'file:///a' }],
    ['resource', 'templateTests', { ...named, template: 'file:///{a}' }],
    ['resource', 'subscriptionTests', { ...named, resourceUri: 'file:///a', expectUpdates: false }],
    ['resource', 'completionTests', { ...completed, template: 'file:///{a}' }],
    ['prompt', 'discoveryTests', named],
    ['prompt', 'tests', named],
    ['prompt', 'argumentTests', { ...named, validArgs: { a: '1' } }],
    ['prompt', 'securityTests', { ...named, maliciousInputs: ['x'], expectRejection: true }],
    ['prompt', 'completionTests', { ...completed, promptName: 'p' }],
    ['sampling', 'capabilityTests', named],
    ['sampling', 'requestTests', calling],
    ['sampling', 'requestTests', { ...calling, expectUserApproval: false }],
    ['sampling', 'performanceTests', { ...calling, concurrentRequests: 2 }],
    ['sampling', 'securityTests', { ...calling, unauthorizedRequests: [{ messages: [] }] }],
    [
      'sampling',
      'contentTests',
      { ...calling, testCases: [{ contentType: 'text', input: 'x', expectedHandling: 'reject' }] },
    ],
    ['sampling', 'workflowTests', { ...calling, steps: [{ expectedOutcome: 'x' }] }],
    ['elicitation', 'requestTests', { ...calling, respond: { action: 'decline' } }],
    ['oauth2', 'clientCredentialsTests', { ...named, client }],
  ])('never judges a test without the answer on record: %s %s', async (kind, key, spec) => {
    const [, ended] = tested(0, {}, { kind: kind === 'oauth2' ? 'oauth' : kind, callId: null });
    const answer = await judged(kind === 'tool' ? [spec] : [{ [key]: [spec] }], ended ? [ended] : [], kind);
    expect(answer).toMatchObject({ state: 'error', error: { code: expect.stringMatching(unobserved) } });
  });

  it('never judges a call whose result is not on record', async () => {
    const [, ended] = tested(0, {});
    const answer = await judged([{ ...add, expectedResult: undefined }], ended ? [ended] : []);
    expect(answer).toMatchObject({ state: 'error', error: { code: 'NOT_OBSERVED' } });
  });

  it('never passes a subscription whose updates were not counted', async () => {
    const exchange = { direction: 'to-server', method: 'resources/subscribe', params: {}, durationMs: 1 } as const;
    const trace: TraceEvent[] = [
      { type: 'mcp-exchange', ...byEngine, test: 0, ...exchange, result: {} },
      ...tested(0, {}, { kind: 'resource', callId: null }),
    ];
    const spec = { ...named, resourceUri: 'file:///a', expectUpdates: false };
    const answer = await judged([{ subscriptionTests: [spec] }], trace, 'resource');
    expect(answer).toMatchObject({ state: 'error', error: { code: 'NOT_OBSERVED' } });
  });

  it('cannot judge by a pattern that is none', async () => {
    const exchange = { direction: 'to-server', method: 'prompts/get', params: {}, durationMs: 1, result: {} } as const;
    const trace: TraceEvent[] = [
      { type: 'mcp-exchange', ...byEngine, test: 0, ...exchange },
      ...tested(0, {}, { kind: 'prompt', callId: null }),
    ];
    const answer = await judged([{ tests: [{ name: 'p', expectedPatterns: ['('] }] }], trace, 'prompt');
    expect(answer).toMatchObject({ state: 'error', error: { code: 'CRITERION_UNUSABLE' } });
  });
});
