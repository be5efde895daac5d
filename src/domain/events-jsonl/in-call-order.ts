import { eventsOf, type Trace, type TraceEvent, type TraceEventOf } from '../trace.ts';

type Call = TraceEventOf<'tool-call'>;

type Item =
  | { readonly isUnanswered: false; readonly event: TraceEvent }
  | { readonly isUnanswered: true; readonly call: Call };

/**
 * The trace with the results of calls moved back, where need be, until those of all earlier calls are out; a call that
 * nobody answered has its place in that order too. All other events stay where they are.
 */
export function* inCallOrder(trace: Trace): Generator<Item, void> {
  const answered = new Set(eventsOf(trace, 'tool-result').map((event) => event.callId));
  const open: Call[] = [];
  const waiting = new Map<string, TraceEventOf<'tool-result'>>();
  for (const event of trace) {
    if (event.type === 'tool-result' && open.some(({ callId }) => callId === event.callId)) {
      waiting.set(event.callId, event);
      yield* release(open, waiting, answered);
    } else {
      if (event.type === 'tool-call') open.push(event);
      yield { isUnanswered: false, event };
    }
  }
  for (const call of open) yield* resultItem(call, waiting);
}

/** Takes calls off the front of the queue as long as their results are known, or are known never to come. */
function* release(
  open: Call[],
  waiting: Map<string, TraceEventOf<'tool-result'>>,
  answered: ReadonlySet<string>,
): Generator<Item, void> {
  for (let call = open[0]; call && (waiting.has(call.callId) || !answered.has(call.callId)); call = open[0]) {
    open.shift();
    yield* resultItem(call, waiting);
  }
}

function* resultItem(call: Call, waiting: Map<string, TraceEventOf<'tool-result'>>): Generator<Item, void> {
  const event = waiting.get(call.callId);
  waiting.delete(call.callId);
  yield event ? { isUnanswered: false, event } : { isUnanswered: true, call };
}
