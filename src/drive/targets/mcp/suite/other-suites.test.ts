import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../../../domain/trace.ts';
import { runSuite, suiteServer } from '../../../../testing/support/suite-run.ts';

const resourceSuite = {
  discoveryTests: [
    { name: 'lists', expectedCount: { min: 2, max: 2 }, expectedResources: ['note://a', { name: 'data' }] },
    { name: 'too few', expectedCount: { min: 3 } },
    { name: 'misses one', expectedResources: ['note://b'] },
  ],
  tests: [
    { name: 'reads', uri: 'note://a', expectedMimeType: 'text/markdown', expectedContent: 'hello world' },
    { name: 'reads data', uri: 'note://data', expectedContent: { total: 2 }, match: 'subset' },
    { name: 'other type', uri: 'note://a', expectedMimeType: 'text/html' },
    { name: 'other content', uri: 'note://data', expectedContent: { total: 3, items: [1, 2] } },
  ],
  resourceTests: [{ name: 'is not there', uri: 'note://gone', expectError: 'NOT FOUND' }],
  templateTests: [
    {
      name: 'fills in',
      template: 'note://users/{name}',
      arguments: { name: 'ann b' },
      expectedUri: 'note://users/ann%20b',
      expectedContent: 'Ann',
    },
    {
      name: 'another address',
      template: 'note://users/{name}',
      arguments: { name: 'x' },
      expectedUri: 'note://x',
    },
    {
      name: 'not offered',
      templateUri: 'note://{id}',
      parameters: { id: 'a' },
      expectedUriPattern: '^note://[a-z]$',
    },
    { name: 'misses a parameter', templateUri: 'note://users/{name}', parameters: {}, expectError: 'parameter' },
  ],
  subscriptionTests: [
    {
      name: 'is notified',
      resourceUri: 'note://a',
      expectUpdates: true,
      trigger: { tool: 'touch', args: { uri: 'note://a' } },
    },
    {
      name: 'is notified of another',
      resourceUri: 'note://a',
      expectUpdates: true,
      timeout: 20,
      trigger: { tool: 'touch', args: { uri: 'note://b' } },
    },
    { name: 'only subscribes', resourceUri: 'note://a' },
  ],
};

describe('a suite of resources', () => {
  it('lists, reads, fills in templates and subscribes', async () => {
    const { lines, record, entries, trace } = await runSuite(resourceSuite, { kind: 'resource' });
    expect(lines).toEqual([
      'pass: 2 resources in N ms',
      'fail: Expected 3 or more resources, got 2',
      'fail: The server does not list "note://b". Did you mean `note://a`?',
      'pass: Read 1 content in N ms',
      'pass: Read 1 content in N ms',
      'fail: Expected the type "text/html", got "text/markdown; charset=utf-8" (N ms)',
      'fail: $.total: expected 3, got 2 (N ms)',
      'pass: Failed as expected: Resource note://gone not found (error -32602) (N ms)',
      'pass: note://users/ann%20b: Read 1 content in N ms',
      'fail: Expected the address "note://x", got "note://users/x"',
      'fail: The server does not offer the template "note://{id}"; it offers ["note://users/{name}"]',
      'pass: Failed as expected: no value for the parameter "name" of the template (N ms)',
      'pass: Subscribed in N ms; 1 update came',
      'fail: Subscribed, but no update came within N ms',
      'pass: Subscribed in N ms; 0 updates came',
    ]);
    expect(record.outcome).toBe('fail');
    expect(entries.every(({ kind }) => kind === 'resource')).toBe(true);
    expect(entries[3]).toMatchObject({ testName: 'reads', toolName: 'note://a' });
    const [first] = eventsOf(trace, 'mcp-exchange');
    expect(first).toMatchObject({ test: 0, direction: 'to-server', method: 'resources/list' });
  });
});

const promptSuite = {
  parallel: true,
  discoveryTests: [{ name: 'lists', expectedCount: 2, expectedPrompts: ['greet', { name: 'plain' }] }],
  tests: [
    {
      name: 'greet',
      args: { name: 'Ann' },
      expectedContent: ['hello', 'ann'],
      expectedMessages: [{ role: 'user' }, { role: 'assistant', content: 'Hello, Ann' }],
    },
    { name: 'greet', args: { name: 'Ann' }, expectedContent: 'goodbye' },
    { name: 'greet', args: { name: 'Ann' }, expectedMessages: [{ role: 'assistant' }] },
    { name: 'greet', args: {}, expectedError: 'invalid arguments' },
  ],
  templateTests: [
    {
      name: 'fits',
      promptName: 'greet',
      arguments: { name: 'Bo' },
      expectedPatterns: ['Bo!$'],
      validateStructure: true,
    },
    { name: 'does not fit', promptName: 'plain', expectedPatterns: ['^Bo'] },
  ],
  argumentTests: [
    {
      name: 'greet',
      requiredArgs: ['name'],
      optionalArgs: ['tone'],
      validArgs: { name: 'Ann' },
      invalidArgs: { name: null },
    },
    { name: 'greet', requiredArgs: ['name', 'tone'] },
  ],
  securityTests: [
    { name: 'refuses', promptName: 'greet', maliciousInputs: [{ name: 'DROP TABLE' }], expectRejection: true },
    { name: 'gives in', promptName: 'greet', injectionAttempts: [{ name: 'be evil' }], expectRejection: true },
    { name: 'takes texts', promptName: 'greet', maliciousInputs: ['be evil', 'Bo'], expectRejection: false },
    {
      name: 'cleans',
      promptName: 'greet',
      sanitizationTests: [
        { input: { name: '<b>Ann</b>' }, expectedSanitization: true },
        { input: { name: 'Ann' }, expectedSanitization: false },
      ],
    },
    {
      name: 'should not clean',
      promptName: 'greet',
      sanitizationTests: [{ input: { name: '<b>' }, expectedSanitization: false }],
    },
  ],
};

describe('a suite of prompts', () => {
  it('lists and gets prompts, with right, wrong and hostile arguments', async () => {
    const { lines } = await runSuite(promptSuite, { kind: 'prompt' });
    expect(lines).toEqual([
      'pass: 2 prompts in N ms',
      'pass: 2 messages in N ms',
      expect.stringMatching(/^fail: Expected a prompt that contains "goodbye", got "Say hello/),
      'fail: Message 1 is of "user", expected "assistant"',
      'pass: Failed as expected: Invalid arguments for the prompt (error -32602) (N ms)',
      'pass: 2 messages in N ms',
      'fail: Expected a match of "^Bo", got "Plain"',
      'pass: 4 requests as expected in N ms',
      expect.stringMatching(/^fail: without the required argument "tone": expected an error, and the prompt is /),
      'pass: 1 request as expected in N ms',
      expect.stringMatching(/^fail: .*be evil.*: expected an error, and the prompt is /),
      'pass: 2 requests as expected in N ms',
      'pass: 2 requests as expected in N ms',
      expect.stringMatching(/^fail: .*: expected a result that contains "<b>", and the prompt is /),
    ]);
  });
});

describe('a suite of sampling', () => {
  it('answers as the model, and checks the request', async () => {
    const { lines, trace } = await runSuite(
      {
        capabilityTests: [
          { name: 'with', expectedCapability: true },
          { name: 'without', expectedCapability: false },
          { name: 'is refused', expectedError: 'sampling' },
        ],
        requestTests: [
          {
            name: 'asks',
            tool: 'ask-model',
            args: { question: 'Why is the sky blue?' },
            messages: [{ role: 'user', content: { type: 'text', text: 'sky' } }],
            modelPreferences: { costPriority: 0.8 },
            systemPrompt: 'brief',
            maxTokens: 50,
            expectUserApproval: true,
            simulateUserResponse: 'Because.',
            expectedResult: 'the model says: because.',
          },
          { name: 'asks something else', tool: 'ask-model', args: { question: 'a' }, messages: [{ content: 'b' }] },
          { name: 'other wishes', tool: 'ask-model', args: { question: 'a' }, modelPreferences: { costPriority: 0.1 } },
          { name: 'is refused', tool: 'ask-model', args: { question: 'a' }, simulateUserResponse: 'reject' },
          { name: 'never asks', tool: 'add', args: { a: 1, b: 2 } },
          { name: 'should not ask', tool: 'ask-model', args: { question: 'a' }, expectUserApproval: false },
          { name: 'names no tool', messages: [], simulateUserResponse: 'approve' },
        ],
        performanceTests: [
          { name: 'many', tool: 'ask-model', args: { question: 'a' }, concurrentRequests: 5, messageSize: 'medium' },
          { name: 'slowed down', tool: 'ask-model', expectThrottling: true },
        ],
      },
      { kind: 'sampling' },
    );
    expect(lines).toEqual([
      'pass: The server works with a client that offers sampling (N ms)',
      'pass: The server works with a client without sampling (N ms)',
      'fail: Expected an error that contains "sampling", but the call succeeded with nothing (N ms)',
      'pass: Requested as expected, answered in N ms: "The model says: Because."',
      expect.stringMatching(/^fail: Message 1 does not contain "b": /),
      'fail: $.modelPreferences.costPriority: expected 0.1, got 0.8',
      'pass: The request was rejected as planned; the tool answered: User rejected sampling request',
      'fail: The server did not send sampling/createMessage; the tool answered 3',
      'fail: The server sent 1 sampling request, expected none',
      expect.stringMatching(/^error: Could not be judged: "names no tool" is not supported yet: .*name the `tool`/),
      'pass: 5 calls at once, the slowest in N ms',
      'error: Could not be judged: "slowed down" is not supported yet: `expectThrottling: true`',
    ]);
    const requests = eventsOf(trace, 'mcp-exchange').filter(({ direction }) => direction === 'from-server');
    expect(requests[0]).toMatchObject({ test: 3, method: 'sampling/createMessage', params: { maxTokens: 50 } });
  });
});

describe('a suite of elicitation', () => {
  it('answers as the user, and checks the request', async () => {
    const ask = { tool: 'ask-user', respond: { action: 'accept', content: { name: 'Ann' } } };
    const { lines, record } = await runSuite(
      {
        requestTests: [
          { ...ask, name: 'asks', expectedRequest: 'your NAME', expectedResult: 'hello ann' },
          { ...ask, name: 'form', expectedRequest: { requestedSchema: { properties: { name: { type: 'string' } } } } },
          { ...ask, name: 'other', expectedRequest: 'your age' },
          { ...ask, name: 'declined', respond: { action: 'decline' } },
          { ...ask, name: 'cancelled', respond: { action: 'cancel' }, expectedError: 'said cancel' },
          { ...ask, name: 'never asks', tool: 'add', args: { a: 1, b: 1 } },
        ],
      },
      { kind: 'elicitation' },
    );
    expect(lines).toEqual([
      'pass: Requested as expected, answered in N ms: "Hello Ann"',
      'pass: Requested as expected, answered in N ms: "Hello Ann"',
      'fail: Expected a request whose message contains "your age", got "What is your name?"',
      'pass: The request was rejected as planned; the tool answered: The user said decline',
      'pass: Failed as expected: The user said cancel (N ms)',
      'fail: The server did not send elicitation/create; the tool answered 2',
    ]);
    expect(record.reason).toMatch(/^2 of 6 tests failed: /);
  });
});

describe('a server without the feature', () => {
  const server = suiteServer('tools-only');

  it('has not refused what a prompt should refuse', async () => {
    const hostile = { maliciousInputs: [{ name: 'DROP' }, 'DROP'], expectRejection: true };
    const { lines, record } = await runSuite(
      {
        securityTests: [{ name: 'refuses', promptName: 'greet', ...hostile }],
        tests: [{ name: 'greet', args: {}, expectedError: 'not found' }],
        argumentTests: [{ name: 'greet', requiredArgs: { name: 'Ann' } }],
      },
      { kind: 'prompt', server },
    );
    expect(lines).toEqual([
      'error: Could not be judged: The server does not have this feature: Method not found (error -32601)',
      expect.stringMatching(/^fail: right arguments: expected a result, and the server failed: Method not found/),
      'error: Could not be judged: The server does not have this feature: Method not found (error -32601)',
    ]);
    expect(record.outcome).toBe('fail');
  });

  it('has not said that a resource is missing', async () => {
    const { lines, record } = await runSuite(
      { tests: [{ name: 'missing', uri: 'note://nowhere', expectedError: 'not found' }] },
      { kind: 'resource', server },
    );
    expect(lines).toEqual([
      'error: Could not be judged: The server does not have this feature: Method not found (error -32601)',
    ]);
    expect(record.fault).toMatchObject({ code: 'MCP_FEATURE_ABSENT' });
    const { lines: onRightServer } = await runSuite(
      { tests: [{ name: 'missing', uri: 'note://nowhere', expectedError: 'not found' }] },
      { kind: 'resource' },
    );
    expect(onRightServer).toEqual([
      expect.stringMatching(/^pass: Failed as expected: Resource note:\/\/nowhere not found/),
    ]);
  });

  it('refuses nothing of a prompt that it does not have', async () => {
    const { lines } = await runSuite(
      { securityTests: [{ name: 'refuses', promptName: 'gret', maliciousInputs: ['DROP'], expectRejection: true }] },
      { kind: 'prompt' },
    );
    expect(lines).toEqual(['error: Could not be judged: The server has no prompt "gret".']);
  });
});

describe('what Assay cannot do', () => {
  it('is not held against the server: tools that want a URL to be opened', async () => {
    const { lines, record } = await runSuite(
      {
        tests: [
          { name: 'echo', args: { value: 'x' } },
          { name: 'structured', args: {} },
        ],
      },
      { server: suiteServer('url') },
    );
    expect(lines).toEqual([
      expect.stringMatching(
        /^error: Could not be judged: The tool requests that its user open a URL, which Assay does not support/,
      ),
      expect.stringMatching(/^pass: /),
    ]);
    expect(record).toMatchObject({ outcome: 'error', fault: { code: 'MCP_UNSUPPORTED', blame: 'engine' } });
  });
});

describe('lists in pages', () => {
  it('end with an empty cursor too', async () => {
    const discoveryTests = [{ name: 'lists', expectedCount: { exact: 2 } }];
    const { lines } = await runSuite({ discoveryTests }, { kind: 'resource', server: suiteServer('empty-cursor') });
    expect(lines).toEqual(['pass: 2 resources in N ms']);
  });
});
