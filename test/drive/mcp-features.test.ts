import { describe, expect, it } from 'vitest';
import type { Trace } from '../../src/domain/trace.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { driven, trialsIn } from '../../src/testing/support/mcp-project.ts';
import { suiteServer } from '../../src/testing/support/suite-run.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/** Runs a file; gives `name: state: details` of each test, without times. */
async function linesOf(file: object): Promise<{ lines: string[]; trace: Trace }> {
  const cwd = await temporaryFolder({ 'c.json': JSON.stringify(file) });
  const result = await assay(['run', 'c.json', '--json'], { cwd });
  if (!result.stdout.startsWith('{')) throw new Error(result.stdout + result.stderr);
  const trials = trialsIn(result);
  const lines = trials.flatMap(({ toolHealth }) =>
    (toolHealth ?? []).map(
      ({ testName, state, details }) => `${testName}: ${state}: ${details.replace(/[\d.]+ ms/g, 'N ms')}`,
    ),
  );
  const shown = await assay(['show', trials[0]?.trialId ?? '', '--json'], { cwd });
  return { lines, trace: JSON.parse(shown.stdout).trace };
}

const tools = (server: object, tests: object[], more: object = {}) => ({
  server,
  toolHealthSuites: [{ name: 'tools', tests, ...more }],
});

describe.each([
  ['2025-11-25', ['features']],
  ['2026-07-28', ['features', 'modern']],
])('suites with a server of %s', (version, modes) => {
  const isModern = version === '2026-07-28';
  const server = suiteServer(...modes);

  it('call tools that run only as tasks, and follow the task to its end', async () => {
    const { lines, trace } = await linesOf(
      tools(server, [
        { name: 'long-job', description: 'done', args: { polls: 3 }, expectedResult: 'the job is done' },
        { name: 'long-job', description: 'fails', args: { fails: true }, expectedError: 'The job failed' },
        { name: 'long-job', description: 'wrong', args: {}, expectedResult: 'something else' },
        { name: 'long-job', description: 'cancelled', args: { polls: 100_000 }, cancelAfterMs: 100 },
      ]),
    );
    expect(lines).toEqual([
      expect.stringMatching(/^done: pass: /),
      expect.stringMatching(/^fails: pass: Failed as expected: The job failed/),
      expect.stringMatching(/^wrong: fail: /),
      'cancelled: pass: Cancelled after N ms (the task was cancelled); the server went on',
    ]);
    const methods = trace.flatMap((event) => (event.type === 'mcp-exchange' ? [event.method] : []));
    const end = isModern ? ['tools/call'] : ['tasks/result'];
    expect(methods.slice(0, 5)).toEqual(['tools/call', 'tasks/get', 'tasks/get', 'tasks/get', ...end]);
    expect(methods).toContain('tasks/cancel');
  });

  it.runIf(isModern)('answer a task that needs input of the user', async () => {
    const asking = { tool: 'long-job', args: { asks: true }, expectedRequest: 'Who are you' };
    const { lines, trace } = await linesOf({
      server,
      elicitationSuites: [
        {
          name: 'input',
          requestTests: [
            {
              ...asking,
              name: 'accepted',
              respond: { action: 'accept', content: { name: 'Ann' } },
              expectedResult: 'Hello Ann',
            },
            { ...asking, name: 'wrong', respond: { action: 'decline' }, expectedResult: 'Hello Ann' },
          ],
        },
      ],
    });
    expect(lines).toEqual([expect.stringMatching(/^accepted: pass: /), expect.stringMatching(/^wrong: fail: /)]);
    expect(trace.filter((event) => event.type === 'mcp-exchange' && event.method === 'tasks/update')).toHaveLength(2);
  });

  it('a task that does not end in time is cancelled and timed out', async () => {
    const { lines, trace } = await linesOf(
      tools(server, [{ name: 'long-job', description: 'endless', args: { polls: 100_000 } }], { timeout: 300 }),
    );
    expect(lines).toEqual([expect.stringContaining('endless: fail: The call failed: Tool call timeout')]);
    const methods = trace.flatMap((event) => (event.type === 'mcp-exchange' ? [event.method] : []));
    expect(methods.at(-1)).toBe('tasks/cancel');
  });

  it('check progress, log messages and their level, and cancellation; all of it is in the trace', async () => {
    const { lines, trace } = await linesOf(
      tools(server, [
        {
          name: 'report',
          description: 'progress',
          args: { steps: 3 },
          expectedProgress: 3,
          expectedLog: 'made 3 steps',
        },
        { name: 'report', description: 'too little', args: { steps: 1 }, expectedProgress: 2 },
        { name: 'report', description: 'stuck', args: { steps: 2, isStuck: true }, expectedProgress: 2 },
        { name: 'report', description: 'other log', args: {}, expectedLog: 'nothing' },
        { name: 'report', description: 'level', args: {}, logLevel: 'error', expectedLog: 'made' },
        { name: 'wait', description: 'cancelled', args: {}, cancelAfterMs: 20 },
        { name: 'add', description: 'too fast', args: { a: 1, b: 2 }, cancelAfterMs: 10_000 },
      ]),
    );
    expect(lines).toEqual([
      expect.stringMatching(/^progress: pass: /),
      'too little: fail: Expected 2 progress notifications, got 1',
      'stuck: fail: The progress must increase with each notification, got [1,1]',
      'other log: fail: Expected a log message that contains "nothing", got ["made 2 steps"]',
      'level: fail: Expected a log message that contains "made", got none',
      'cancelled: pass: Cancelled after N ms; the server went on',
      expect.stringMatching(/^too fast: error: Could not be judged: The tool answered before it was cancelled/),
    ]);
    const sent = trace.flatMap((event) => (event.type === 'mcp-notification' ? [event] : []));
    expect(sent.slice(0, 4)).toMatchObject([
      { method: 'notifications/progress', callId: 'test-1-1', params: { progress: 1 } },
      { method: 'notifications/progress', params: { progress: 2 } },
      { method: 'notifications/progress', params: { progress: 3 } },
      { method: 'notifications/message', test: 0, params: { data: 'made 3 steps' } },
    ]);
  });

  it('a log message counts for its own test, also in a parallel suite and after another level', async () => {
    const { lines } = await linesOf(
      tools(
        server,
        [
          { name: 'report', description: 'its own', args: { steps: 3 }, expectedLog: 'made 3 steps' },
          { name: 'report', description: "another's", args: { steps: 1 }, expectedLog: 'made 3 steps' },
          { name: 'report', description: 'errors only', args: {}, logLevel: 'error' },
          { name: 'report', description: 'all again', args: { steps: 1 }, expectedLog: 'made 1 steps' },
        ],
        { parallel: true },
      ),
    );
    expect(lines).toEqual([
      expect.stringMatching(/^its own: pass: /),
      'another\'s: fail: Expected a log message that contains "made 3 steps", got ["made 1 steps"]',
      expect.stringMatching(/^errors only: pass: /),
      expect.stringMatching(/^all again: pass: /),
    ]);
  });

  it.runIf(!isModern)('a server without logging is not judged by its log', async () => {
    const file = tools(server, [{ name: 'add', args: { a: 1, b: 2 }, logLevel: 'error', expectedLog: 'x' }]);
    const { lines } = await linesOf({ ...file, server: suiteServer('tools-only') });
    expect(lines).toEqual([
      expect.stringContaining('error: Could not be judged: The server does not have this feature'),
    ]);
  });

  it('ask for completions of prompts and resource templates', async () => {
    const argument = { name: 'name', value: 'An' };
    const { lines } = await linesOf({
      server,
      promptSuites: [
        {
          name: 'prompts',
          completionTests: [
            { name: 'offers', promptName: 'greet', argument, expectedValues: ['Ann'], expectedCount: 2 },
            { name: 'lacks', promptName: 'greet', argument, expectedValues: ['Andrea'] },
            {
              name: 'context',
              promptName: 'greet',
              argument: { name: 'name', value: 'D' },
              context: { tone: 'formal' },
              expectedValues: ['Doctor Ann'],
            },
            { name: 'too many', promptName: 'greet', argument: { name: 'name', value: 'many' } },
            { name: 'refused', promptName: 'gone', argument, expectedError: 'Nothing to complete' },
          ],
        },
      ],
      resourceSuites: [
        {
          name: 'resources',
          completionTests: [{ name: 'template', template: 'note://users/{name}', argument, expectedValues: ['Anna'] }],
        },
      ],
    });
    expect(lines).toEqual([
      // Resource suites come before prompt suites.
      'template: pass: 2 values in N ms',
      'offers: pass: 2 values in N ms',
      'lacks: fail: Expected "Andrea" among the values, got ["Ann","Anna"]',
      'context: pass: 1 value in N ms',
      expect.stringMatching(/^too many: error: .*`result.completion.values`: Too big/),
      expect.stringMatching(/^refused: pass: Failed as expected/),
    ]);
  });

  it('answer requests to open a page, and check the page', async () => {
    const respond = { action: 'accept' };
    const test = (name: string, way: string, more: object = {}) => ({
      name,
      tool: 'open-page',
      args: { way },
      respond,
      ...more,
    });
    const { lines } = await linesOf({
      server,
      elicitationSuites: [
        {
          name: 'pages',
          requestTests: [
            test('request', 'request', { expectedRequest: { mode: 'url' }, expectedResult: 'The user said accept' }),
            test('declined', 'request', { respond: { action: 'decline' }, expectedResult: 'The user said decline' }),
            test('bad', 'bad'),
            // The error is of the older protocol only.
            ...(isModern
              ? []
              : [
                  test('error', 'error', { expectedRequest: { url: 'https://example.com/login' } }),
                  test('result', 'error', { expectedResult: 'logged in' }),
                ]),
          ],
        },
      ],
    });
    expect(lines).toEqual([
      expect.stringMatching(/^request: pass: /),
      expect.stringMatching(/^declined: pass: /),
      expect.stringMatching(/^bad: (?:error|fail): .*elicitation\/create.*`message.params.url`: Invalid URL/),
      ...(isModern
        ? []
        : [
            'error: pass: Requested as expected; the tool waits for the page, which was not opened',
            expect.stringMatching(/^result: error: Could not be judged: The tool requests that its user open a URL/),
          ]),
    ]);
  });

  it('play a model that uses the tools which the server offers it', async () => {
    const asking = { tool: 'ask-model', args: { question: 'What time is it?', mode: 'tools' } };
    const { lines } = await linesOf({
      server,
      samplingSuites: [
        {
          name: 'sampling',
          requestTests: [
            { name: 'uses', ...asking, tools: ['clock'], simulateToolUse: { name: 'clock' }, expectedResult: 'noon' },
            { name: 'lacks', ...asking, tools: ['calendar'] },
          ],
        },
      ],
    });
    expect(lines).toEqual([
      expect.stringMatching(/^uses: pass: /),
      'lacks: fail: Expected a request that offers the tool "calendar", got ["clock"]',
    ]);
  });
});

describe('workflows', () => {
  it.each([['features'], ['features', 'modern']])(
    'follow tasks, and have progress, log messages and the requests of tasks in the trace: %s %s',
    async (...modes) => {
      const steps = [{ user: 'work', expectedState: 'the job is done' }];
      const file = {
        server: suiteServer(...modes),
        model: 'openai/gpt-4o',
        workflows: [{ name: 'w', steps, expectTools: ['report', 'long-job'] }],
      };
      const folder = await temporaryFolder({ 'c.json': JSON.stringify(file) });
      const toolCalls = [{ name: 'report' }, { name: 'long-job' }];
      const env = { OPENAI_API_KEY: 'any' };
      const rules = [{ when: { turn: 1 }, toolCalls }, { reply: 'It is done.' }];
      const result = await driven({ folder, args: ['run', 'c.json', '--json'], rules, env });
      const [trial] = trialsIn(result);
      expect(trial).toMatchObject({ outcome: 'pass' });
      const shown = await assay(['show', trial?.trialId ?? '', '--json'], { cwd: folder });
      const trace = JSON.parse(shown.stdout).trace as Trace;
      const lines = trace.flatMap((event) =>
        event.type === 'mcp-notification' || event.type === 'mcp-exchange' ? [event.method] : [],
      );
      expect(lines.slice(0, 5)).toEqual([
        'notifications/progress',
        'notifications/progress',
        'notifications/message',
        'tools/call',
        'tasks/get',
      ]);
    },
  );

  it('have the requests of the server in the trace, which nobody is there to answer', async () => {
    const workflows = [{ name: 'w', steps: [{ user: 'work' }], expectTools: ['ask-user'] }];
    const file = { server: suiteServer(), model: 'openai/gpt-4o', workflows };
    const folder = await temporaryFolder({ 'c.json': JSON.stringify(file) });
    const rules = [{ when: { turn: 1 }, toolCalls: [{ name: 'ask-user' }] }, { reply: 'Nobody answered.' }];
    const env = { OPENAI_API_KEY: 'any' };
    const [trial] = trialsIn(await driven({ folder, args: ['run', 'c.json', '--json'], rules, env }));
    const shown = await assay(['show', trial?.trialId ?? '', '--json'], { cwd: folder });
    const trace = JSON.parse(shown.stdout).trace as Trace;
    expect(trace.filter(({ type }) => type === 'mcp-exchange')).toMatchObject([
      {
        direction: 'from-server',
        method: 'elicitation/create',
        params: { message: 'What is your name?' },
        error: { code: -32_601, message: 'This client does not answer elicitation/create.' },
      },
    ]);
  });
});

describe('files', () => {
  it.each([
    [{ name: 'x', args: {}, expectedProgress: 0 }, 'expectedProgress'],
    [{ name: 'x', args: {}, cancelAfterMs: 0 }, 'cancelAfterMs'],
    [{ name: 'x', args: {}, logLevel: 'loud' }, 'logLevel'],
  ])('with %j are refused', async (test, key) => {
    const cwd = await temporaryFolder({ 'c.json': JSON.stringify(tools(suiteServer(), [test])) });
    const { exitCode, stdout, stderr } = await assay(['validate', 'c.json'], { cwd });
    expect(exitCode).toBe(2);
    expect(stdout + stderr).toContain(key);
  });
});
