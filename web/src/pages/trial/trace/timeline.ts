import { describeEnd } from '../../../../../src/domain/process-end.ts';
import type { ControlKind } from '../../../../../src/domain/tool-control/control-event.ts';
import type { TraceEvent, TraceEventOf } from '../../../../../src/domain/trace.ts';
import type { TracePage } from '../../../../../src/entry/server/api/trials.ts';
import { type EventBlock, eventView } from '../../../../../src/report/presentation/event-view.ts';
import { plainOutput } from '../../../../../src/report/presentation/trial-text.ts';
import { printable, shorten } from '../../../../../src/shared/text.ts';

/** How an entry of the timeline looks. */
type EntryLook = 'speech' | 'call' | 'command' | 'injected' | 'mark' | 'plain';

/** One row of the timeline: an event, or a call together with its result. */
export interface TimelineEntry {
  readonly look: EntryLook;
  readonly label: string;
  /** The program or tool, set apart from what it was given. */
  readonly name: string | undefined;
  readonly line: string;
  /** The result on one line. */
  readonly answer: string | undefined;
  /** Who answered a call in place of the tool. */
  readonly answeredBy: ControlKind | undefined;
  /** How it ended: an exit code, a signal, a time-out. */
  readonly ending: string | undefined;
  readonly isProblem: boolean;
  readonly startMs: number;
  readonly durationMs: number | undefined;
  readonly blocks: readonly EventBlock[];
  readonly seenBy: TraceEvent['seenBy'];
}

const longestLine = 300;

const looks: Readonly<Partial<Record<TraceEvent['type'], EntryLook>>> = {
  message: 'speech',
  'tool-call': 'call',
  command: 'command',
  script: 'command',
  'tool-control': 'injected',
  attack: 'injected',
  'secret-seen': 'injected',
  'request-watch': 'mark',
  'tool-tape': 'injected',
  turn: 'mark',
  'approval-policy': 'mark',
  approval: 'mark',
  'simulated-user': 'mark',
  'conversation-ended': 'mark',
  usage: 'mark',
  'model-call': 'mark',
  instructions: 'mark',
  harness: 'mark',
  'agent-started': 'mark',
  view: 'mark',
  'agent-ended': 'mark',
  workspace: 'mark',
};

/** How an event looks. */
export function lookOf({ type }: TraceEvent): EntryLook {
  return looks[type] ?? 'plain';
}

/** An event as a timeline entry; `result` is the answer to a tool call, where it is known. */
export function timelineEntry(event: TraceEvent, result?: TraceEventOf<'tool-result'>): TimelineEntry {
  switch (event.type) {
    case 'tool-call':
      return callEntry(event, result);
    case 'command':
      return { ...eventEntry(event), line: oneLine(event.argv.join(' ')), ending: describeEnd(event) };
    case 'script':
      return {
        ...eventEntry(event),
        line: oneLine(event.command),
        ending: event.timedOut ? 'timed out' : describeEnd(event),
      };
    default:
      return eventEntry(event);
  }
}

function eventEntry<Type extends TraceEvent['type']>(event: TraceEventOf<Type>): TimelineEntry {
  const { label, line, isProblem, durationMs, blocks } = eventView(event);
  return {
    look: lookOf(event),
    label,
    name: undefined,
    line,
    answer: undefined,
    answeredBy: 'answeredBy' in event ? event.answeredBy : undefined,
    ending: undefined,
    isProblem,
    startMs: Math.max(0, event.at - (durationMs ?? 0)),
    durationMs,
    blocks,
    seenBy: event.seenBy,
  };
}

function callEntry(call: TraceEventOf<'tool-call'>, result: TraceEventOf<'tool-result'> | undefined): TimelineEntry {
  const { tool, server, shellCommand, input, isRefused } = call;
  const entry = eventEntry(call);
  const answered = result && eventView(result);
  const exitCode = result?.exitCode ?? undefined;
  return {
    ...entry,
    name: oneLine(server === undefined ? tool : `${server} › ${tool}`),
    line: oneLine(shellCommand ?? (typeof input === 'string' ? input : (JSON.stringify(input) ?? ''))),
    answer: answered ? answered.line.replace(/^exit -?\d+ ?/, '') : undefined,
    answeredBy: result?.answeredBy,
    ending: isRefused ? 'refused' : exitCode === undefined ? undefined : `exit ${exitCode}`,
    isProblem: answered?.isProblem ?? false,
    startMs: call.at,
    durationMs: result?.durationMs,
    blocks: [...entry.blocks, ...(answered?.blocks ?? [])],
  };
}

function oneLine(text: string): string {
  return shorten(printable(plainOutput(text.slice(0, 4 * longestLine))).trim(), longestLine);
}

/** Which events have rows: all of them, or those that a filter lets through, in the order of the trace. */
export class TimelineRows {
  readonly count: number;
  readonly #indices: readonly number[] | undefined;

  constructor(total: number, indices?: readonly number[]) {
    this.#indices = indices;
    this.count = indices?.length ?? total;
  }

  /** The event of a row. */
  eventAt(row: number): number {
    return this.#indices ? (this.#indices[row] ?? -1) : row;
  }

  /** The row of an event; undefined where it has none. */
  rowOf(index: number): number | undefined {
    if (!this.#indices) return index >= 0 && index < this.count ? index : undefined;
    const row = this.firstRowFrom(index);
    return this.#indices[row] === index ? row : undefined;
  }

  /** The first row whose event is this one or comes after it. */
  firstRowFrom(index: number): number {
    if (!this.#indices) return index;
    let [low, high] = [0, this.#indices.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#indices[middle] ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The next row in a direction that is not folded into another; the same row where there is none. */
  neighbour(row: number, direction: 1 | -1, isFolded: (index: number) => boolean): number {
    for (let next = row + direction; next >= 0 && next < this.count; next += direction)
      if (!isFolded(this.eventAt(next))) return next;
    return row;
  }
}

/** An event with its place in the whole trace. */
export type PlacedEvent = TracePage['events'][number];

/** Events that are requested together. */
export const pageSize = 100;

/** The pages that hold these events, and their neighbours: an answer may stand on another page than its call. */
export function pagesAround(indices: readonly number[], total: number): number[] {
  const last = Math.ceil(total / pageSize) - 1;
  const pages = new Set<number>();
  for (const index of indices) {
    const page = Math.floor(index / pageSize);
    for (const near of [page - 1, page, page + 1]) if (near >= 0 && near <= last) pages.add(near);
  }
  return [...pages].sort((a, b) => a - b);
}

/** Which result answers which call, and what was recorded while a call ran, by their places in the trace. */
export interface JoinedCalls {
  readonly resultOf: ReadonlyMap<number, PlacedEvent>;
  /** The call that an event is shown in: that of a result, or the agent's call that made what was recorded. */
  readonly callOf: ReadonlyMap<number, number>;
  /** Recorded commands and MCP calls by the agent’s call that made them. */
  readonly recordedOf: ReadonlyMap<number, readonly PlacedEvent[]>;
}

/** The event whose row shows this one. */
export function rowEventOf({ callOf }: Pick<JoinedCalls, 'callOf'>, index: number): number {
  const call = callOf.get(index);
  return call === undefined ? index : (callOf.get(call) ?? call);
}

/**
 * Joins calls with their results. A result further away than a page stays separate, so the joined rows do not
 * depend on what else is loaded. Ids may be used again: a result belongs to the first open call with its id.
 */
export function joinCalls(events: readonly PlacedEvent[]): JoinedCalls {
  const resultOf = new Map<number, PlacedEvent>();
  const callOf = new Map<number, number>();
  const open = new Map<string, number[]>();
  for (const placed of events) {
    const { index, event } = placed;
    if (event.type !== 'tool-call' && event.type !== 'tool-result') continue;
    const key = `${event.seenBy} ${event.callId}`;
    if (event.type === 'tool-call') {
      open.set(key, [...(open.get(key) ?? []), index]);
      continue;
    }
    const call = open.get(key)?.shift();
    if (call === undefined || index - call > pageSize) continue;
    resultOf.set(call, placed);
    callOf.set(index, call);
  }
  const recordedOf = recordedBy(events);
  for (const [call, recorded] of recordedOf) for (const { index } of recorded) callOf.set(index, call);
  return { resultOf, callOf, recordedOf };
}

function recordedBy(events: readonly PlacedEvent[]): Map<number, PlacedEvent[]> {
  const calls = new Set(events.filter(({ event }) => event.type === 'tool-call').map(({ index }) => index));
  const found = new Map<number, PlacedEvent[]>();
  for (const placed of events) {
    const { madeBy, index } = placed;
    if (madeBy === null || !calls.has(madeBy) || Math.abs(index - madeBy) > pageSize) continue;
    found.set(madeBy, [...(found.get(madeBy) ?? []), placed]);
  }
  return found;
}

type EventType = TraceEvent['type'];

/** Kinds of events that are shown or hidden together. */
interface EventGroup {
  readonly key: string;
  readonly label: string;
  readonly types: readonly EventType[];
}

/** Every type of event is in one group. */
export const eventGroups: readonly EventGroup[] = [
  { key: 'messages', label: 'Messages', types: ['message', 'turn', 'simulated-user', 'conversation-ended'] },
  { key: 'thoughts', label: 'Thoughts', types: ['reasoning'] },
  {
    key: 'calls',
    label: 'Tool calls',
    types: ['tool-call', 'tool-result', 'user-call', 'approval-policy', 'approval'],
  },
  {
    key: 'injected',
    label: 'Mocks, faults and attacks',
    types: ['tool-control', 'tool-tape', 'attack', 'secret-seen', 'request-watch'],
  },
  { key: 'commands', label: 'Commands', types: ['command', 'script', 'output'] },
  {
    key: 'mcp',
    label: 'MCP',
    types: ['mcp-server', 'mcp-exchange', 'surface-call', 'mcp-notification', 'mcp-test', 'server-performance'],
  },
  { key: 'files', label: 'Files', types: ['file-change', 'state-change', 'page-state'] },
  { key: 'tokens', label: 'Model calls', types: ['model-call', 'usage', 'instructions'] },
  { key: 'gaps', label: 'Not observed', types: ['gap'] },
  {
    key: 'other',
    label: 'Other',
    types: ['agent-started', 'harness', 'view', 'agent-ended', 'workspace', 'notice', 'reports', 'other'],
  },
];

/** The types of the chosen groups; none where everything is shown. */
function typesOf(keys: readonly string[]): readonly EventType[] {
  return eventGroups.flatMap(({ key, types }) => (keys.includes(key) ? types : []));
}

/** How a trace is drawn: everything in order, what takes time on an axis, or what was said. */
export type TraceViewKind = 'list' | 'waterfall' | 'chat';

const viewTypes: Readonly<Record<Exclude<TraceViewKind, 'list'>, readonly EventType[]>> = {
  waterfall: [
    ...(['tool-call', 'tool-result', 'user-call', 'command', 'script', 'model-call', 'turn'] as const),
    ...(['mcp-exchange', 'surface-call', 'mcp-test'] as const),
  ],
  chat: ['message', 'tool-call', 'tool-result', 'user-call', 'conversation-ended'],
};

/** The types that are shown in a view under a filter; undefined: all of them. */
export function typesInView(view: TraceViewKind, groups: readonly string[]): readonly EventType[] | undefined {
  const chosen = groups.length === 0 ? undefined : typesOf(groups);
  if (view === 'list') return chosen;
  return chosen ? viewTypes[view].filter((type) => chosen.includes(type)) : viewTypes[view];
}

/** Which rows are open: a rule for all, and the rows that were opened or closed since. */
export interface Openness {
  readonly rule: 'speech' | 'all' | 'none';
  readonly exceptions: ReadonlyMap<number, boolean>;
}

/** Messages are open at first; actions are opened on demand. */
export const firstOpenness: Openness = { rule: 'speech', exceptions: new Map() };

/** Whether the row of an event is open. */
export function isOpen({ rule, exceptions }: Openness, index: number, look: EntryLook): boolean {
  return exceptions.get(index) ?? (rule === 'all' || (rule === 'speech' && look === 'speech'));
}

/** The same with one row opened or closed. */
export function withRow(openness: Openness, index: number, isRowOpen: boolean): Openness {
  return { ...openness, exceptions: new Map(openness.exceptions).set(index, isRowOpen) };
}
