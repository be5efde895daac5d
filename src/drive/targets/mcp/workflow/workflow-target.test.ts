import { describe, expect, it } from 'vitest';
import { eventsOf, type TraceEvent } from '../../../../domain/trace.ts';
import { toolCallsIn } from '../../../../domain/turn.ts';
import { secretKey } from '../../../../testing/support/models.ts';
import { takeWorkflow } from '../../../../testing/support/workflow-run.ts';

const sumThenProduct = [
  { when: { last: 'add', turn: 1 }, toolCalls: [{ name: 'add', input: { a: 2, b: 3 } }] },
  { when: { toolResult: 'sum is 5' }, reply: 'It is five.' },
  { when: { last: 'times', toolResult: 'product' }, reply: 'That makes {{toolResult}}' },
  { when: { last: 'times' }, reply: 'Let me see.', toolCalls: [{ name: 'multiply', input: { a: 5, b: 4 } }] },
];
const twoSteps = {
  steps: [
    { user: 'Please add 2 and 3', expectTools: ['add'], expectedState: 'FIVE' },
    { user: 'Now times 4', expectTools: ['multiply'], expectedState: '"product":20' },
  ],
};

function lineOf(event: TraceEvent): string {
  if (event.type === 'message') return `${event.role}: ${event.text}`;
  if (event.type === 'tool-call') return `call ${event.tool} ${JSON.stringify(event.input)}`;
  if (event.type === 'tool-result') return event.error ? `error ${event.error.message}` : 'result';
  return event.type === 'notice' ? `notice ${event.message}` : event.type;
}

describe('a workflow', () => {
  it.each([
    'openai/gpt-4o',
    'openai-responses/gpt-4o',
    'anthropic/claude-sonnet-4-5',
    'google/gemini-2.5-flash',
    'google/gemini-3-pro',
  ])('is driven by %s, and everything is on record once', async (model) => {
    const { record, trace, calls, requests } = await takeWorkflow({
      rules: sumThenProduct,
      workflow: twoSteps,
      variant: { model },
    });
    expect(record).toMatchObject({ outcome: 'pass', fault: null, workflowScore: 1 });
    expect(trace.map(lineOf)).toEqual([
      'mcp-server',
      'notice The model sees tools under other names: `note.take` is `note_take`',
      'user: Please add 2 and 3',
      'usage',
      'call add {"a":2,"b":3}',
      'result',
      'usage',
      'assistant: It is five.',
      'turn',
      'user: Now times 4',
      'usage',
      'assistant: Let me see.',
      'call multiply {"a":5,"b":4}',
      'result',
      'usage',
      'assistant: That makes {"product":20}',
      'turn',
    ]);
    expect(calls).toEqual([
      { name: 'add', arguments: { a: 2, b: 3 } },
      { name: 'multiply', arguments: { a: 5, b: 4 } },
    ]);
    expect(requests).toHaveLength(4);
    expect(requests.at(-1)?.conversation?.messages).toHaveLength(7);
    expect(JSON.stringify(trace)).not.toContain(secretKey);
  });

  it('records the server, its tools, the tokens and the cost', async () => {
    const { trace, record, requests } = await takeWorkflow({ rules: sumThenProduct, workflow: twoSteps });
    expect(trace[0]).toMatchObject({ name: 'workflow-server', version: '1.2.3', transport: 'stdio' });
    expect(record.toolPins).toMatchObject({ add: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const usages = eventsOf(trace, 'usage');
    expect(usages.every(({ model, costUsd }) => model === 'openai/gpt-4o' && (costUsd ?? 0) > 0)).toBe(true);
    const [first, second] = eventsOf(trace, 'turn');
    expect(first).toMatchObject({ number: 1, latencyMs: expect.any(Number), costUsd: expect.any(Number) });
    expect(first?.usage?.inputTokens).toBe((usages[0]?.inputTokens ?? 0) + (usages[1]?.inputTokens ?? 0));
    expect(second && toolCallsIn(second)).toMatchObject([
      { id: 'call-2', function: { name: 'multiply', arguments: '{"a":5,"b":4}' } },
    ]);
    expect(second?.messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant']);
    expect(requests[0]?.conversation?.system).toContain('Numbers are exact here.');
    expect(record.costUsd).toBeGreaterThan(0);
  });

  it('offers the tools of all pages of a list, also where the last page has an empty cursor', async () => {
    const { record, requests } = await takeWorkflow({
      rules: [{ reply: 'Hello.' }],
      workflow: { steps: [{ user: 'hi' }] },
      modes: ['pages'],
    });
    expect(record.fault).toBeNull();
    expect(Object.keys(record.toolPins ?? {})).toHaveLength(9);
    expect(requests.map(({ conversation }) => conversation?.tools.length)).toEqual([9]);
  });

  it('the model sees that a tool failed, and the next step is taken', async () => {
    const { record, trace } = await takeWorkflow({
      rules: [
        { when: { toolResult: '/^Error: cannot divide by zero$/' }, reply: 'That cannot be done.' },
        { when: { last: 'divide' }, toolCalls: [{ name: 'divide', input: { a: 1, b: 0 } }] },
        { when: { toolResult: 'Error: no such luck' }, reply: 'Refused.' },
        { when: { last: 'refuse' }, toolCalls: [{ name: 'refuse' }] },
      ],
      workflow: { steps: [{ user: 'divide' }, { user: 'refuse' }] },
    });
    expect(trace.map(lineOf).filter((line) => /^(error|assistant)/.test(line))).toEqual([
      'error cannot divide by zero',
      'assistant: That cannot be done.',
      'error no such luck',
      'assistant: Refused.',
    ]);
    expect(record).toMatchObject({ outcome: 'fail', fault: null });
    expect(record.workflow[2]).toMatchObject({
      metric: 'Tool Call Health',
      passed: false,
      score: 0,
      metadata: { totalCalls: 2, successCount: 0 },
    });
  });

  it('a tool that is not there and arguments that are none are answered to the model', async () => {
    const { trace, calls } = await takeWorkflow({
      rules: [
        { when: { turn: 1 }, toolCalls: [{ name: 'ad', input: { a: 1, b: 2 } }] },
        {
          when: { toolResult: 'There is no tool `ad`. Did you mean `add`?' },
          toolCalls: [{ name: 'add', input: [1, 2] }],
        },
        { when: { toolResult: 'Error: The arguments must be one JSON object.' }, reply: 'I give up.' },
      ],
      workflow: { steps: [{ user: 'add 1 and 2' }] },
    });
    expect(trace.map(lineOf).slice(3)).toEqual([
      'usage',
      'call ad {"a":1,"b":2}',
      'error There is no tool `ad`. Did you mean `add`?',
      'usage',
      'call add [1,2]',
      'error The arguments must be one JSON object.',
      'usage',
      'assistant: I give up.',
      'turn',
    ]);
    expect(calls).toEqual([]);
  });

  it('several calls of one reply are made in the order of the reply', async () => {
    const numbers = [1, 2, 3, 4];
    const { calls, trace } = await takeWorkflow({
      rules: [
        { when: { turn: 1 }, toolCalls: numbers.map((a) => ({ name: 'add', input: { a, b: 1 } })) },
        { reply: 'Done.' },
      ],
      workflow: { steps: [{ user: 'add' }] },
    });
    expect(calls.map((call) => call.arguments)).toEqual(numbers.map((a) => ({ a, b: 1 })));
    expect(new Set(eventsOf(trace, 'tool-call').map(({ callId }) => callId)).size).toBe(4);
  });

  it('a step ends after as many requests as it may have, and the next begins', async () => {
    const { record, trace, requests } = await takeWorkflow({
      rules: [
        { when: { last: 'never' }, toolCalls: [{ name: 'add', input: { a: 1, b: 1 } }] },
        { when: { last: 'hello' }, reply: 'Hello!' },
      ],
      workflow: { steps: [{ user: 'never stop' }, { user: 'hello' }], maxSteps: 3 },
    });
    expect(requests).toHaveLength(4);
    expect(eventsOf(trace, 'notice').map(({ message }) => message)).toContain(
      'The model still called tools in its last request (maxSteps: 3)',
    );
    expect(record).toMatchObject({ outcome: 'pass', turns: [{ turn: 1 }, { turn: 2 }] });
  });

  it('a result that is too long loses its middle for the model and nothing on record', async () => {
    const { trace, requests } = await takeWorkflow({
      rules: [{ when: { turn: 1 }, toolCalls: [{ name: 'long' }] }, { reply: 'Much.' }],
      workflow: { steps: [{ user: 'say much' }] },
    });
    const content = requests[1]?.conversation?.messages.at(-1)?.content ?? '';
    expect(content).toMatch(/^begin x+\n\[… \d+ characters left out …\]\nx+ end$/);
    expect(content.length).toBeLessThan(100_000);
    expect(JSON.stringify(eventsOf(trace, 'tool-result')[0]?.result).length).toBeGreaterThan(200_000);
  });
});

describe('what keeps a workflow from being judged', () => {
  const steps = [{ user: 'one' }, { user: 'two' }];

  it('a server that dies in a call', async () => {
    const { record, trace } = await takeWorkflow({ rules: [{ toolCalls: [{ name: 'crash' }] }], workflow: { steps } });
    expect(record).toMatchObject({ outcome: 'error', fault: { code: 'MCP_SERVER_DIED', blame: 'target' } });
    expect(trace.map(lineOf).slice(-2)).toEqual(['call crash {}', expect.stringMatching(/^error /)]);
  });

  it('tools that change in mid-run', async () => {
    const { record } = await takeWorkflow({
      rules: [{ when: { turn: 1 }, toolCalls: [{ name: 'change', input: { tool: 'add' } }] }, { reply: 'Changed.' }],
      workflow: { steps },
    });
    expect(record.fault).toMatchObject({ code: 'MCP_TOOLS_CHANGED', message: expect.stringContaining('"add"') });
  });

  it('not tools whose change the server announces: the model gets the new ones at once', async () => {
    const { record, trace, requests } = await takeWorkflow({
      rules: [
        { when: { turn: 1 }, toolCalls: [{ name: 'change', input: { announced: true } }] },
        { reply: 'Changed.' },
      ],
      workflow: { steps: [{ user: 'one' }] },
    });
    expect(record.outcome).toBe('pass');
    const offered = requests.map(({ conversation }) => conversation?.tools.map(({ name }) => name).includes('late'));
    expect(offered).toEqual([false, true]);
    expect(eventsOf(trace, 'mcp-server').map(({ tools }) => tools.length)).toEqual([9, 10]);
  });

  it.each([
    ['a refused key', { status: 401 }, 'MODEL_UNAUTHORIZED'],
    ['a provider that is down', { status: 503 }, 'MODEL_UNAVAILABLE'],
    ['a refused request', { status: 400 }, 'MODEL_BAD_REQUEST'],
  ])('%s, after which what was seen is kept', async (_name, fault, code) => {
    const rules = [{ when: { last: 'one' }, reply: 'First.' }, { fault }];
    const { record, trace } = await takeWorkflow({ rules, workflow: { steps } });
    expect(record).toMatchObject({ outcome: 'error', fault: { code, blame: 'model' } });
    expect(trace.map(lineOf)).toContain('assistant: First.');
  });
});

describe('wordings', () => {
  const wordings = {
    plain: { add: { name: 'plus', description: 'Sum of two numbers', arguments: { a: 'the first' } } },
    wrong: { ad: { name: 'plus' } },
  };
  const workflow = { steps: [{ user: 'add' }], expectTools: ['add'] };

  it('the model sees the new words, the server and the expectations keep the old ones', async () => {
    const { record, trace, calls, requests } = await takeWorkflow({
      rules: [
        { when: { turn: 1, tool: 'plus' }, toolCalls: [{ name: 'plus', input: { a: 1, b: 2 } }] },
        { reply: 'Three.' },
      ],
      workflow,
      variant: { model: 'openai/gpt-4o', description: 'plain' },
      config: { wordings },
    });
    expect(record).toMatchObject({ outcome: 'pass' });
    expect(calls).toEqual([{ name: 'add', arguments: { a: 1, b: 2 } }]);
    expect(requests[0]?.conversation?.tools).not.toContain('add');
    expect(eventsOf(trace, 'notice').map(({ message }) => message)).toEqual([
      'The tools use the wording "plain"',
      'The model sees tools under other names: `add` is `plus`, `note.take` is `note_take`',
    ]);
  });

  it.each([
    ['a wording that names no tool of the server', 'wrong', 'The wording names the tool "ad"'],
    ['a wording that there is not', 'plian', 'There is no wording "plian".'],
  ])('%s is a mistake of the file', async (_name, description, message) => {
    const variant = { model: 'openai/gpt-4o', description };
    const { record } = await takeWorkflow({ rules: [{ reply: 'x' }], workflow, variant, config: { wordings } });
    expect(record.fault).toMatchObject({
      code: 'FILE_INVALID',
      blame: 'user',
      message: expect.stringContaining(message),
    });
    expect(record.fault?.hint).toMatch(/Did you mean/);
  });

  it('names that providers refuse are taken back, also those of arguments', async () => {
    const { calls } = await takeWorkflow({
      rules: [{ when: { turn: 1 }, toolCalls: [{ name: 'note_take', input: { _text: 'hi' } }] }, { reply: 'Noted.' }],
      workflow: { steps: [{ user: 'note' }] },
      modes: ['odd-schemas'],
    });
    expect(calls).toEqual([{ name: 'note.take', arguments: { $text: 'hi' } }]);
  });
});
