import { describe, expect, it } from 'vitest';
import { suiteCoverage, suiteInputSchema, suiteTests, testCallId, testOfCall } from './suite-tests.ts';

function listed(input: unknown): string[] {
  return suiteTests(suiteInputSchema.parse(input)).map(({ form, name, subject, unsupported }) =>
    [form, name, subject, unsupported].filter((part) => part !== undefined).join(' | '),
  );
}

describe('the tests of a suite', () => {
  it('of tools are called by their description', () => {
    const tests = [
      { name: 'add', args: {} },
      { name: 'add', args: {}, description: 'adds' },
    ];
    expect(listed({ kind: 'tool', suite: { name: 's', tests } })).toEqual([
      'tool | add test | add',
      'tool | adds | add',
    ]);
  });

  it('are taken from every list, under every name that the list has', () => {
    const read = { name: 'r', uri: 'a://b' };
    const suite = {
      name: 's',
      subscriptionTests: [{ name: 'u', resourceUri: 'a://b' }],
      templateTests: [{ name: 't', templateUri: 'a://{x}' }],
      resourceTests: [{ ...read, name: 'r2' }],
      tests: [read],
      discoveryTests: [{ name: 'd' }],
    };
    expect(listed({ kind: 'resource', suite })).toEqual([
      'resource-list | d | resources/list',
      'resource-read | r | a://b',
      'resource-read | r2 | a://b',
      'resource-template | t | a://{x}',
      'resource-subscription | u | a://b',
    ]);
  });

  it('that a client cannot do are not supported, and say so', () => {
    const suite = {
      name: 's',
      requestTests: [{ name: 'b', messages: [] }],
      securityTests: [
        { name: 'c', unauthorizedRequests: [{ messages: [] }] },
        { name: 'e', tool: 'ask', unauthorizedRequests: [] },
      ],
      contentTests: [{ name: 'f', tool: 'ask' }],
      workflowTests: [{ name: 'g', tool: 'ask', steps: [] }],
      performanceTests: [{ name: 'd', tool: 'ask', expectThrottling: true }],
    };
    expect(listed({ kind: 'sampling', suite })).toEqual([
      expect.stringMatching(/^sampling-request \| b \| sampling \| name the `tool` \(and its `args`\)/),
      'sampling-load | d | ask | `expectThrottling: true`',
      expect.stringMatching(/^sampling-security \| c \| sampling \| name the `tool`/),
      'sampling-security | e | ask | it has no `unauthorizedRequests`, `sensitiveDataTests` or `privacyTests`',
      'sampling-content | f | ask | it has no `testCases`',
      'sampling-workflow | g | ask | it has no `steps`',
    ]);
  });

  it.each([
    ['a misspelt list', 'prompt', { promptTest: [] }],
    ['an unknown key of a test', 'resource', { tests: [{ name: 'x', uri: 'a://b', expectMagic: true }] }],
    ['a template test without template', 'resource', { templateTests: [{ name: 'x' }] }],
    [
      'an answer that no user can give',
      'elicitation',
      { requestTests: [{ name: 'x', tool: 't', respond: { action: 'no' } }] },
    ],
  ])('cannot be read with %s', (_about, kind, suite) => {
    expect(suiteInputSchema.safeParse({ kind, suite: { name: 's', ...suite } }).success).toBe(false);
  });

  it('are known by the ids of their calls', () => {
    expect(testOfCall(testCallId(11, 3))).toBe(11);
    expect(testOfCall('t-1')).toBeUndefined();
  });

  it('have a coverage only where they are of tools', () => {
    const input = suiteInputSchema.parse({ kind: 'prompt', suite: { name: 's' } });
    expect(suiteCoverage(input, [{ name: 'add', sha256: '' }])).toBeUndefined();
  });
});
