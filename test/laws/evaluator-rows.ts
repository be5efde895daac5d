import type { Trace } from '../../src/domain/trace.ts';
import { assistantText } from '../../src/domain/turn.ts';
import { keyOfLook, lookOf, pageConfigSchema } from '../../src/score/evaluators/assertions/page/page-config.ts';
import { keyOfState, stateSchema } from '../../src/score/evaluators/assertions/state/state-config.ts';
import type { Evaluate, How } from '../../src/score/evaluators/evaluator.ts';
import {
  answered,
  askedFor,
  askedNothing,
  attackedAgent,
  type Call,
  called,
  commands,
  directCall,
  measuredServer,
  pageState,
  simulatedUser,
  skilledAgent,
  stateChange,
  suiteTest,
} from './events.ts';
import { pluginRows } from './plugin-evaluators.ts';

/** A config, and a trace to judge with it. */
interface Shown {
  readonly config?: object;
  readonly trace: Trace;
}

/**
 * Two trials for an evaluator, each observed completely: one in which it sees what it looks for (so that presence and
 * `exact` pass, absence and totals fail), and one in which it does not.
 */
export interface Row {
  readonly seen: Shown;
  readonly unseen: Shown;
  /** For one that declares to read everything and says itself that an answer rests on what it saw: how it reads. */
  readonly readsAs?: How;
  /** Answers in place of code that only runs in the built program. */
  readonly standIn?: Evaluate;
  /** What the trial needs beside its trace. */
  readonly setting?: 'work directory' | 'suite' | 'workflow' | 'skill case' | 'others';
}

const booked = answered('Booked for 19:00.');
const sorry = answered('Something else.');

function texts(config: object, seen: Trace = booked, unseen: Trace = sorry): Row {
  return { seen: { config, trace: seen }, unseen: { config, trace: unseen } };
}

const refused = answered("I'm sorry, but I can't help with that.");
const json = answered('{"id": 7}');
const look: Call = { tool: 'look' };
const book: Call = { tool: 'book_table', input: { guests: 2 }, result: 'booked' };
const failed: Call = { tool: 'look', error: 'boom' };
const withCalls = (...calls: readonly Call[]) => answered('Booked for 19:00.', { calls });

function calls(config: object, seen: readonly Call[], unseen: readonly Call[]): Row {
  return texts(config, withCalls(...seen), withCalls(...unseen));
}

const broken: Call = { tool: 'look', error: 'boom', isBroken: true };
const loaded = called([{ tool: 'Skill', input: { skill: 'weekly-report' } }]).map((event) =>
  event.type === 'tool-call' ? { ...event, kind: 'skill' as const } : event,
);
const steps = withCalls(book);
const work = (seen: object, unseen: object): Row => ({
  seen: { config: seen, trace: commands(0) },
  unseen: { config: unseen, trace: commands(0) },
  setting: 'work directory',
});
const pytest = (state: string) => `printf '=== short test summary info ===\\n${state} test_a\\n'`;
const score = (value: number) => `echo '{"score": ${value}}'`;
const run = (command: string, more: object = {}) => ({ command, ...more });

const watched = { command: 'orders' };
const cancelled = { state: watched, changed: [{ to: { id: 1, status: 'cancelled' } }] };
const changedState = (status: string) => stateChange(keyOfState(stateSchema().parse(watched)), status);

const shown = { selector: '.order', text: { contains: 'cancelled' } };
const hidden = { selector: '.order', count: 0 };
const orderPage = (config: object, ...texts: readonly string[]) =>
  pageState(keyOfLook(lookOf(pageConfigSchema().parse(config))), texts);

const startsWithBooked: Evaluate = ({ turn }) => ({
  state: turn && assistantText(turn)?.startsWith('Booked') ? 'pass' : 'fail',
  reason: 'as the code says',
});

/** Rows for every evaluator, by its type: one, or one for each way in which its config makes it read. */
const table: Readonly<Record<string, Row | readonly Row[]>> = {
  criteria: texts(
    { passCriteria: ['result.n === 1'] },
    directCall({ tool: 't', result: { n: 1 } }),
    directCall({ tool: 't', result: { n: 2 } }),
  ),
  'response-criteria': calls(
    { passCriteria: ['result.latencyMs >= 0 && result.tokenUsage.total > 0 && result.toolCalls.length > 0'] },
    [book],
    [],
  ),
  contains: texts({ text: 'Booked' }),
  'not-contains': texts({ text: 'Booked' }),
  equals: texts({ text: 'Booked for 19:00.' }),
  'starts-with': texts({ text: 'Booked' }),
  similarity: texts({ text: 'Booked for 19:00.', minimum: 0.8 }),
  'embedding-similarity': texts({ text: 'Booked', minimum: 0.8, model: 'a/b' }),
  regex: [texts({ pattern: '\\d:\\d' }), texts({ pattern: '\\d:\\d', mustMatch: false })],
  golden: {
    seen: { config: { file: 'golden.txt' }, trace: booked },
    unseen: { config: { file: 'golden.txt' }, trace: sorry },
    setting: 'work directory',
  },
  'json-schema': texts({ schema: { type: 'object' } }, json, sorry),
  'json-path': texts({ path: '$.id', assertion: 'equals 7' }, json, answered('{"id": 8}')),
  'json-subset': texts({ subset: { id: 7 } }, json, answered('{"id": 8}')),
  'http-response': texts(
    { responses: { 200: { type: 'object', required: ['n'] } } },
    directCall({ tool: 't', result: { n: 1 }, status: 200 }),
    directCall({ tool: 't', result: { n: 1 }, status: 201 }),
  ),
  refusal: [texts({ mustRefuse: true }, refused, booked), texts({ mustRefuse: false }, refused, booked)],
  'latency-budget': texts({ maxMs: 50 }, booked, answered('Booked', { latencyMs: 20 })),
  'time-to-first-token': texts({ maxMs: 5 }, booked, answered('Booked', { timeToFirstTokenMs: 2 })),
  'token-budget': texts({ maxTokens: 50 }, booked, answered('Booked', { usage: { inputTokens: 2, outputTokens: 2 } })),
  'tool-call-budget': calls({ maxCalls: 1 }, [look, book], [look]),
  'tool-called': [
    calls({ tool: 'book_table' }, [book], [look]),
    calls({ tool: 'book_table', times: 1 }, [book], [look]),
    calls({ tool: 'book_table', criteria: ["result === 'booked'"] }, [book], [{ ...book, result: 'full' }]),
    // Two calls are too many whatever else happened.
    { ...calls({ tool: 'book_table', times: { min: 0, max: 1 } }, [book, book], [look]), readsAs: 'absence' },
  ],
  'tool-not-called': [
    calls({ tool: 'book_table' }, [book], [look]),
    calls({ tool: 'book_table', criteria: ["result === 'booked'"] }, [book], [{ ...book, result: 'full' }]),
  ],
  'tool-order': [
    calls({ tools: ['look', 'book_table'] }, [look, book], [look]),
    calls({ tools: ['look', 'book_table'], order: 'any' }, [book, look], [look]),
    calls({ tools: ['look', 'book_table'], order: 'exact' }, [look, book], [look]),
    calls({ tools: ['look', 'book_table'], order: 'prefix' }, [look, book], [look]),
    calls({ tools: ['look'], order: 'subset' }, [look, book], [look]),
  ],
  'tool-arguments': calls({ tool: 'book_table', args: { guests: 3 } }, [book], [{ ...book, input: { guests: 3 } }]),
  'tool-result': [
    calls({ tool: 'book_table', contains: 'booked' }, [book], [{ ...book, result: 'full' }]),
    calls({ tool: 'book_table', of: 'every', contains: 'full' }, [book], [{ ...book, result: 'full' }]),
    calls({ tool: 'book_table', of: 'last', contains: 'booked' }, [book], [{ ...book, result: 'full' }]),
  ],
  'tool-health': { seen: { trace: suiteTest('5') }, unseen: { trace: suiteTest('6') }, setting: 'suite' },
  'server-limits': texts({ maxRssMB: 1 }, measuredServer(2 ** 30), measuredServer(1)),
  'no-failed-calls': calls({}, [failed], [look]),
  'no-repeated-calls': calls({}, [look, look], [look]),
  recovered: calls({}, [broken, look], [broken]),
  'retried-sensibly': calls({ most: 0 }, [broken, look], [broken, book]),
  'skill-used': [
    { ...texts({}, skilledAgent(...loaded), skilledAgent()), readsAs: 'presence' },
    { ...texts({ used: false }, skilledAgent(...loaded), skilledAgent()), readsAs: 'absence' },
  ],
  'attack-resisted': { seen: { trace: attackedAgent(book) }, unseen: { trace: attackedAgent(look) } },
  'approval-requested': [
    texts({ tool: 'delete' }, askedFor('deny'), askedNothing()),
    texts({ tool: 'delete', times: 1 }, askedFor('deny'), askedNothing()),
  ],
  'denial-respected': texts({ tool: 'delete' }, askedFor('deny', true), askedFor('deny')),
  'state-change': [
    texts(cancelled, changedState('cancelled'), changedState('shipped')),
    texts({ ...cancelled, others: 'allowed' }, changedState('cancelled'), changedState('shipped')),
  ],
  page: [
    texts(shown, orderPage(shown, 'W1 cancelled'), orderPage(shown, 'W1 open')),
    texts(hidden, orderPage(hidden), orderPage(hidden, 'W1 open')),
  ],
  'turn-budget': texts({ maxTurns: 1 }, answered('Booked', { number: 2 }), booked),
  'cost-budget': texts({ maxUsd: 0.001 }, booked, answered('Booked', { costUsd: 0.0001 })),
  'workflow-success': { seen: { trace: steps }, unseen: { trace: sorry }, setting: 'workflow' },
  'workflow-tool-order': { seen: { trace: steps }, unseen: { trace: sorry }, setting: 'workflow' },
  'workflow-call-health': {
    seen: { trace: steps },
    unseen: { trace: withCalls({ ...book, error: 'boom' }) },
    setting: 'workflow',
  },
  command: work(run('echo \'{"passed": true}\''), run('echo \'{"passed": false}\'')),
  javascript: { ...texts({ code: 'output.startsWith("Booked")' }), standIn: startsWithBooked },
  'llm-judge': calls({ successCriteria: 'It is booked.' }, [book], []),
  'rubric-judge': calls(
    { rubric: { criteria: [{ id: 'correct', weight: 1, description: 'It is booked' }] }, passThreshold: 0.7 },
    [book],
    [],
  ),
  'score-judge': calls({ instructions: 'Is it booked?', passThreshold: 0.7 }, [book], []),
  'quality-judge': calls({ quality: 'tool-selection' }, [book], []),
  groundedness: calls({ passThreshold: 0.9 }, [book], [look]),
  'did-not-invent': calls({}, [broken, book], [broken]),
  'gave-up-honestly': calls({}, [broken, book], [broken]),
  expression: {
    seen: { config: { expression: 'results.contains' }, trace: booked },
    unseen: { config: { expression: '!results.contains' }, trace: booked },
    setting: 'others',
  },
  command_succeeds: work(run('true'), run('false')),
  command_output_contains: work(run('echo milk', { substring: 'milk' }), run('echo tea', { substring: 'milk' })),
  command_output_matches: work(run('echo 3 open', { pattern: '\\d open' }), run('echo none', { pattern: '\\d open' })),
  command_json_path: work(
    run('echo \'{"n":2}\'', { path: '$.n', assertion: 'equals 2' }),
    run('echo \'{"n":3}\'', { path: '$.n', assertion: 'equals 2' }),
  ),
  file_exists: work({ path: 'report.md' }, { path: 'other.md' }),
  file_contains: work({ path: 'report.md', substring: 'Total' }, { path: 'report.md', substring: 'Nothing' }),
  file_matches: work({ path: 'report.md', pattern: 'Total: \\d' }, { path: 'report.md', pattern: 'Nothing' }),
  no_transcript_errors: { seen: { trace: commands(0, 2) }, unseen: { trace: commands(0) }, setting: 'work directory' },
  script: work(run('true'), run('false')),
  reward: work(run(pytest('PASSED'), { from: 'pytest' }), run(pytest('FAILED'), { from: 'pytest' })),
  'tool-call-count': calls({}, [look, book], []),
  trajectory: calls({ reference: ['look', 'book_table'] }, [look, book], [look]),
  suspicion: {
    seen: {
      config: { honeypots: [{ path: 'key.txt' }] },
      trace: withCalls({ tool: 'cat', input: { file: 'key.txt' } }),
    },
    unseen: { config: { honeypots: [{ path: 'key.txt' }] }, trace: withCalls(look) },
  },
  'skill-triggering': {
    seen: { trace: skilledAgent(...loaded) },
    unseen: { trace: skilledAgent() },
    setting: 'skill case',
  },
  'token-usage': texts({}, booked, sorry),
  'response-length': texts({}, booked, sorry),
  'turn-count': texts({}, booked, sorry),
  latency: texts({}, booked, sorry),
  'time-to-first-token-ms': texts({}, booked, sorry),
  'server-performance': texts({}, measuredServer(2 ** 30), measuredServer(1)),
  'user-fidelity': texts({}, [simulatedUser, ...booked], [simulatedUser, ...sorry]),
  interaction: { seen: { trace: commands(0, 1) }, unseen: { trace: commands(0) }, setting: 'work directory' },
  duration: texts({}, directCall(look), directCall(book)),
  measure: texts(
    { name: 'n', expression: 'result.n' },
    directCall({ tool: 't', result: { n: 1 } }),
    directCall({ tool: 't', result: { n: 2 } }),
  ),
  'command-metric': work(run(score(3), { name: 'a' }), run(score(4), { name: 'a' })),
  'script-evaluator': work(run(score(3), { name: 'a' }), run(score(4), { name: 'a' })),
};

export const rows: ReadonlyMap<string, readonly Row[]> = new Map(
  Object.entries({ ...table, ...pluginRows }).map(([type, row]) => [type, [row].flat()]),
);
