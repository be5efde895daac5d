import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';
import { readViews, reporters } from './views.ts';

type Values = Readonly<Record<string, string | number>>;

const attributes = (values: Values) =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));

const second = 1_000_000_000n;
const at = (seconds: number) => String(1_700_000_000n * second + BigInt(seconds) * second);
const span = (spanId: string, start: number, values: Values, parentSpanId = '00000000000000aa') => ({
  traceId: '0123456789abcdef0123456789abcdef',
  spanId,
  parentSpanId,
  name: String(values['gen_ai.operation.name'] ?? 'work'),
  startTimeUnixNano: at(start),
  endTimeUnixNano: at(start + 1),
  attributes: attributes(values),
});

const message = (role: string, ...parts: object[]) => ({ role, parts });
const text = (content: string) => ({ type: 'text', content });
const question = message('user', text('What is 1 + 2?'));
const called = message('assistant', { type: 'tool_call', id: 'c1', name: 'add', arguments: { a: 1, b: 2 } });
const returned = message('tool', { type: 'tool_call_response', id: 'c1', response: '3' });
const answer = message('assistant', text('The sum is 3.'));

const root = span('00000000000000aa', 0, { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'adder' }, '');
const chat = (spanId: string, start: number, input: readonly object[], output: object, usage: Values = tokens) =>
  span(spanId, start, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'm-1',
    'gen_ai.input.messages': JSON.stringify(input),
    'gen_ai.output.messages': JSON.stringify([output]),
    ...usage,
  });
const tokens: Values = { 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': 5 };
const tool = span('00000000000000cc', 2, {
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': 'add',
  'gen_ai.tool.call.id': 'c1',
  'gen_ai.tool.call.result': '3',
});
const first = chat('00000000000000bb', 1, [question], called);
const last = chat('00000000000000dd', 3, [question, called, returned], answer);
const exported = (...spans: readonly object[]) =>
  JSON.stringify({ resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans }] }] });

const openInference = span('00000000000000ee', 1, {
  'openinference.span.kind': 'LLM',
  'llm.output_messages.0.message.content': 'The sum is 3.',
});
const vercel = span('00000000000000ff', 1, {
  'ai.operationId': 'ai.generateText',
  'ai.response.text': 'The sum is 3.',
});

const said = { type: 'contains', config: { text: 'sum' } };
const unsaid = { type: 'not-contains', config: { text: 'error' } };
const uncalled = { type: 'tool-not-called', config: { tool: 'delete' } };
const budget = { type: 'token-budget', config: { maxTokens: 10_000 } };
const counted = [{ type: 'tool-call-count' }, { type: 'token-usage' }];
const honestFigures = { 'tool-call-count': 1, 'token-usage': 210 };

interface TraceLie {
  readonly trace: string;
  readonly evaluators: readonly object[];
  readonly mayPass?: boolean;
}

const lies: Readonly<Record<string, TraceLie>> = {
  'removed: all spans': { trace: exported(), evaluators: [unsaid, uncalled] },
  'removed: spans with messages': { trace: exported(root), evaluators: [unsaid] },
  'removed: token counts': {
    trace: exported(root, chat('00000000000000dd', 3, [question], answer, {})),
    evaluators: [budget],
  },
  'corrupted: names of OpenInference': { trace: exported(openInference), evaluators: [unsaid, uncalled] },
  'corrupted: names of Vercel AI': { trace: exported(vercel), evaluators: [unsaid, uncalled] },
  'corrupted: messages that are not JSON': {
    trace: exported(root, {
      ...last,
      attributes: attributes({ 'gen_ai.operation.name': 'chat', 'gen_ai.output.messages': '[{"role":' }),
    }),
    evaluators: [unsaid],
  },
  'corrupted: half a document': { trace: exported(root, first, tool, last).slice(0, -60), evaluators: [said, unsaid] },
  'delayed: spans in the wrong order': {
    trace: exported(last, tool, first, root),
    evaluators: [said, ...counted],
    mayPass: true,
  },
  'doubled: every span twice': {
    trace: exported(root, root, first, first, tool, tool, last, last),
    evaluators: [said, ...counted],
    mayPass: true,
  },
};

const scenario = (evaluators: readonly object[]) =>
  JSON.stringify({
    name: 'adding',
    connector: { type: 'http', baseUrl: 'http://127.0.0.1:9' },
    userMessages: ['What is 1 + 2?'],
    evaluators,
  });

/** Scores a trace, and reads every report of that. */
async function evaluated({ trace, evaluators }: TraceLie) {
  const cwd = await temporaryFolder({ 'trace.json': trace, 's.json': scenario(evaluators) });
  const result = await assay(['evaluate', 'trace.json', '--scenario', 's.json'], { cwd });
  const formats = reporters.filter((name) => name !== 'console').join(',');
  const reported = await assay(['report', 'latest', '--format', formats, '-o', 'reports'], { cwd });
  const views = reported.exitCode === 0 ? await readViews(`${cwd}/reports`, result) : {};
  return { ...result, views };
}

describe('a trace that lies', () => {
  it('is honest otherwise', async () => {
    const trace = exported(root, first, tool, last);
    const { exitCode, views, stdout } = await evaluated({
      trace,
      evaluators: [said, unsaid, uncalled, budget, ...counted],
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.any(String) });
    expect(views.json?.get('adding')).toMatchObject({ outcome: 'pass', figures: honestFigures });
  });

  it.each(Object.keys(lies))('makes nothing green and invents no figure: %s', async (name) => {
    const lie = lies[name];
    if (!lie) throw new Error(name);
    const { exitCode, views } = await evaluated(lie);
    for (const [label, view] of Object.entries(views))
      for (const { outcome, figures = {} } of view.values()) {
        if (!lie.mayPass) expect(outcome, label).toBe('not passed');
        for (const [metric, honest] of Object.entries(honestFigures))
          if (metric in figures) expect([null, honest], `${label}: ${metric}`).toContain(figures[metric]);
      }
    if (!lie.mayPass) expect(exitCode).not.toBe(0);
  });
});

describe('a dataset that lies', () => {
  const rows = ['{"id":"a","input":{"n":1}}', '{"id":"b","input":{"n":2}}'];
  it.each([
    ['removed: no rows', ''],
    ['removed: a row without input', '{"id":"a"}\n{"id":"b","input":{"n":2}}'],
    ['corrupted: half a row', `${rows[0]}\n{"id":"b","inp`],
    ['corrupted: a row that is a list', `${rows[0]}\n[1,2]`],
    ['doubled: one row twice', `${rows[0]}\n${rows[0]}`],
  ])('is never green: %s', async (_name, text) => {
    const cwd = await temporaryFolder({
      'rows.jsonl': text,
      'tool.mjs': 'export const same = (input) => ({ input });',
      's.yaml':
        'name: rows\ncall: { module: ./tool.mjs, export: same }\ndataset: rows.jsonl\npassCriteria: [result.input.n > 0]\n',
    });
    const { exitCode, stdout } = await assay(['run', '--json'], { cwd });
    expect([1, 2, 3]).toContain(exitCode);
    if (stdout !== '') expect(JSON.parse(stdout).outcome).not.toBe('pass');
  });
});
