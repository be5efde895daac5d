import type { Trace, TraceEvent } from '../../src/domain/trace.ts';
import {
  answered,
  askedFor,
  called,
  changedFile,
  stateChange as changedState,
  commands,
  directCall,
  measuredServer,
  modelCall,
  pageState,
  skilledAgent,
} from './events.ts';

const byAgent = { at: 9, seenBy: 'agent' } as const;
const says = (text: string): TraceEvent => ({ type: 'message', ...byAgent, role: 'assistant', text });
const spent = (inputTokens: number, costUsd: number): TraceEvent => ({
  type: 'usage',
  ...byAgent,
  inputTokens,
  outputTokens: 5,
  costUsd,
});

/** An agent that did a task with everything that can be observed of it. */
const task: Trace = [
  ...skilledAgent(),
  ...commands(0, 2, 0),
  modelCall(1),
  spent(100, 0.01),
  says('Looking for a table.'),
  ...called([{ tool: 'look' }, { tool: 'look' }, { tool: 'book_table', error: 'full' }]),
  modelCall(2, { error: { message: 'overloaded' }, status: 529 }),
  modelCall(3),
  spent(200, 0.02),
  changedFile('report.md'),
  changedFile('notes.md'),
  ...(['deny', 'allow'] as const).flatMap((answer) =>
    askedFor(answer).filter(({ type }) => type.startsWith('approval')),
  ),
  ...['orders', 'seats'].flatMap((name) => changedState(name, 'cancelled').slice(-1)),
  ...['orders', 'cart'].flatMap((name) => pageState(name, ['cancelled']).slice(-1)),
  says('Nothing was booked, sorry.'),
  {
    type: 'agent-ended',
    at: 900,
    seenBy: 'engine',
    exitCode: 0,
    signal: null,
    timedOut: false,
    completed: true,
    reason: null,
  },
];

const [, ...second] = answered('Booked for two.', { number: 2, calls: [{ tool: 'book_table', result: 'booked' }] });

/** Traces in which every channel has observations. */
export const sampleTraces: Readonly<Record<string, Trace>> = {
  task,
  conversation: [
    ...answered('One moment, looking.', { calls: [{ tool: 'look', error: 'boom' }] }),
    { type: 'message', at: 2, seenBy: 'engine', role: 'user', text: 'And now?' },
    ...second,
  ],
  'direct call': directCall({ tool: 't', result: { n: 1 } }),
  suite: measuredServer(2 ** 30),
};
