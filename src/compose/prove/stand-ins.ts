import type { Capability } from '../../domain/capability.ts';
import { isConversation } from '../../domain/conversation.ts';
import { readSuiteInput, type SuiteTest, suiteTests } from '../../domain/mcp/suite-tests.ts';
import type { Case } from '../../domain/scenario.ts';
import type { Trace, TraceEvent } from '../../domain/trace.ts';
import { isRecord } from '../../shared/json.ts';

/** An answer in place of that of the tool or agent, as a trace. */
export interface StandIn {
  readonly name: string;
  /** It says nothing at all, so no good test passes it; others may be right by chance. */
  readonly isEmpty: boolean;
  readonly trace: Trace;
}

/** Definitions of tools, as a server lists them. */
export type ListedTools = readonly { readonly name: string; readonly outputSchema?: unknown }[];

const refusal = 'I cannot help with that.';
const otherText = 'Something else happened.';
const otherData = { whatever: 1 };

/** An empty, a wrong and an echoing stand-in in every form that such a target answers; none where nothing looks at answers. */
export function standIns(provides: readonly Capability[], item: Case, tools: ListedTools = []): StandIn[] {
  if (provides.includes('call-answer')) return callStandIns(item);
  if (isConversation({ provides })) {
    return [
      { name: 'an empty answer', isEmpty: true, trace: turnTrace(item, '') },
      { name: `the answer "${refusal}"`, isEmpty: true, trace: turnTrace(item, refusal) },
    ];
  }
  const suite = readSuiteInput(item.input);
  return suite.success ? suiteStandIns(suiteTests(suite.data), tools) : [];
}

/** Statuses with which an endpoint answers that it is well. */
const goodStatuses = [200, 201, 202, 204];

function callStandIns({ input }: Case): StandIn[] {
  const argv = isRecord(input) && Array.isArray(input.args) ? input.args.map(String) : undefined;
  const answers: (readonly [name: string, isEmpty: boolean, result: unknown])[] = [
    ['no result', true, undefined],
    ['an empty text', true, ''],
    ['an empty object', true, {}],
    ['an empty list', false, []],
    ['another text', false, otherText],
    ['another object', false, otherData],
    ['its own input', false, input],
    ...(argv === undefined ? [] : programAnswers(argv)),
  ];
  return answers.flatMap(([name, isEmpty, result]) =>
    goodStatuses.map((status) => ({ name, isEmpty, trace: callTrace(input, result, status) })),
  );
}

/** Answers of programs that are called by a module. */
function programAnswers(argv: readonly string[]): (readonly [string, boolean, unknown])[] {
  const printed = (stdout: string) => ({ exitCode: 0, signal: null, stdout, stderr: '' });
  return [
    ['a program that prints nothing', false, printed('')],
    ['a program that prints something else', false, printed(`${otherText}\n`)],
    ['a program that prints its arguments', false, printed(`${argv.join(' ')}\n`)],
  ];
}

function callTrace(input: unknown, result: unknown, status: number): Trace {
  const stamp = { at: 0, seenBy: 'engine' } as const;
  return [
    { type: 'tool-call', ...stamp, callId: '1', tool: 'call', input },
    { type: 'tool-result', ...stamp, callId: '1', durationMs: 0, result, status },
  ];
}

/** Servers with the same tools, all of whose calls succeed. */
function suiteStandIns(tests: readonly SuiteTest[], tools: ListedTools): StandIn[] {
  const text = (words: string) => [{ type: 'text', text: words }];
  const answers: (readonly [name: string, isEmpty: boolean, result: (args: unknown) => unknown])[] = [
    ['no content', true, () => ({ content: [] })],
    ['an empty text', true, () => ({ content: text('') })],
    ['an empty object', true, () => ({ content: [], structuredContent: {} })],
    ['another text', false, () => ({ content: text(otherText), structuredContent: otherData })],
    ['its own arguments', false, (args) => ({ content: text(JSON.stringify(args)), structuredContent: args })],
  ];
  const called = tests.flatMap(({ form, subject }) => (form === 'tool' ? [{ name: subject }] : []));
  const server = serverEvent(tools.length > 0 ? tools : called);
  return answers.map(([name, isEmpty, result]) => {
    return { name, isEmpty, trace: [server, ...tests.flatMap((test) => testTrace(test, result))] };
  });
}

function serverEvent(tools: ListedTools): TraceEvent {
  const about = { label: 'stand-in', name: 'stand-in', version: '', protocolVersion: '', transport: 'stdio' } as const;
  const listed = tools.map(({ name, outputSchema }) => ({
    name,
    sha256: '',
    ...(isRecord(outputSchema) && { outputSchema }),
  }));
  return { type: 'mcp-server', at: 0, seenBy: 'engine', ...about, tools: listed };
}

/** Only calls of tools have a stand-in; other tests count as not run. */
function testTrace(test: SuiteTest, result: (args: unknown) => unknown): TraceEvent[] {
  if (test.form !== 'tool') return [];
  const stamp = { at: 0, seenBy: 'engine' } as const;
  const { index, kind, name, spec } = test;
  const callId = `test-${index + 1}-1`;
  const ended = { attempts: 1, latencyMs: 0, totalMs: 0, timedOut: false, callId, fault: null };
  return [
    { type: 'tool-call', ...stamp, callId, tool: spec.name, input: spec.args },
    { type: 'tool-result', ...stamp, callId, durationMs: 0, result: result(spec.args) },
    { type: 'mcp-test', ...stamp, index, kind, name, ...ended },
  ];
}

function turnTrace(item: Case, text: string): Trace {
  const stamp = { at: 0, seenBy: 'agent' } as const;
  const prompt = typeof item.input === 'string' ? item.input : JSON.stringify(item.input ?? '');
  return [
    { type: 'message', ...stamp, role: 'user', text: prompt },
    { type: 'message', ...stamp, role: 'assistant', text },
    { type: 'turn', ...stamp, number: 1, messages: [{ role: 'assistant', content: text }], latencyMs: 0 },
  ];
}
