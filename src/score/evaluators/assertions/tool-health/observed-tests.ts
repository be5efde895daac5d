import { type SuiteTest, testOfCall } from '../../../../domain/mcp/suite-tests.ts';
import type { Trace, TraceEventOf } from '../../../../domain/trace.ts';

type Exchange = TraceEventOf<'mcp-exchange'>;
type Answer = TraceEventOf<'tool-result'>;

/** All observations of one test. */
export interface ObservedTest<Test extends SuiteTest = SuiteTest> {
  readonly test: Test;
  readonly ended: TraceEventOf<'mcp-test'>;
  /** Answers of tools, those of earlier attempts included. */
  readonly answers: readonly Answer[];
  /** The answer that decides. */
  readonly answer: Answer | undefined;
  readonly exchanges: readonly Exchange[];
  readonly notifications: readonly TraceEventOf<'mcp-notification'>[];
}

/** Observations in a trace for each test of a suite; undefined for a test that did not run. */
export function observedTests(tests: readonly SuiteTest[], trace: Trace): (ObservedTest | undefined)[] {
  const ended = new Map<number, TraceEventOf<'mcp-test'>>();
  const answers = new Map<number, Answer[]>();
  const exchanges = new Map<number, Exchange[]>();
  const notifications = new Map<number, TraceEventOf<'mcp-notification'>[]>();
  for (const event of trace) {
    if (event.type === 'mcp-test') ended.set(event.index, event);
    else if (event.type === 'tool-result') add(answers, testOfCall(event.callId), event);
    else if (event.type === 'mcp-exchange') add(exchanges, event.test, event);
    else if (event.type === 'mcp-notification') add(notifications, event.test, event);
  }
  return tests.map((test) => {
    const end = ended.get(test.index);
    if (!end) return undefined;
    const all = answers.get(test.index) ?? [];
    const answer = all.find(({ callId }) => callId === end.callId);
    const { index } = test;
    const sent = { exchanges: exchanges.get(index) ?? [], notifications: notifications.get(index) ?? [] };
    return { test, ended: end, answers: all, answer, ...sent };
  });
}

function add<Item>(lists: Map<number, Item[]>, index: number | undefined, item: Item): void {
  if (index === undefined) return;
  const list = lists.get(index);
  if (list) list.push(item);
  else lists.set(index, [item]);
}

/** The exchanges of one method, in order. */
export function exchangesOf({ exchanges }: Pick<ObservedTest, 'exchanges'>, method: string): Exchange[] {
  return exchanges.filter((exchange) => exchange.method === method);
}

/** The items of all pages of a list. */
export function listedItems(pages: readonly Exchange[], key: string): Record<string, unknown>[] {
  return pages.flatMap(({ result }) => {
    const items = (result as Record<string, unknown> | undefined)?.[key];
    return Array.isArray(items) ? (items as Record<string, unknown>[]) : [];
  });
}
