import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trialRecordSchema } from '../../domain/record.ts';
import { traceEventSchema } from '../../domain/trace-schema.ts';
import { readImport } from '../../testing/fakes/load/read-import.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import { importFormats } from './formats/index.ts';
import { finishedTrial, Identities } from './imported-record.ts';

const chat = [
  { role: 'user', content: 'Hi', timestamp: 1_700_000_000 },
  { role: 'assistant', content: null, tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }] },
  { role: 'tool', tool_call_id: 'c', content: 'x' },
];
const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const span = {
  traceId: 't',
  name: 'chat',
  startTimeUnixNano: '1700000000000000000',
  endTimeUnixNano: '1700000001000000000',
  attributes: [attribute('gen_ai.input.messages', JSON.stringify(chat)), attribute('gen_ai.tool.name', 'f')],
  events: [{ name: 'gen_ai.choice', attributes: [attribute('message', '{"content":"x"}')] }],
  status: { code: 2 },
};
const steps = [
  { step_id: 1, source: 'user', message: 'x', timestamp: '2026-01-01T00:00:00Z' },
  {
    ...{
      step_id: 2,
      source: 'agent',
      message: 'y',
      tool_calls: [{ tool_call_id: 'c', function_name: 'f', arguments: {} }],
    },
    ...{ observation: { results: [{ source_call_id: 'c', content: 'z' }] }, metrics: { prompt_tokens: 1 } },
  },
];
const trial = {
  ...{ trialId: 't', scenario: 's', file: 'f', caseId: 'c', variant: {}, repeat: 1, outcome: 'pass', reason: 'r' },
  ...{ durationMs: 1, costUsd: 1, startedAt: '2026-01-01', evaluatorResults: [], metrics: {}, criteria: null },
  ...{ judge: null, trace: [{ type: 'notice', at: 0, seenBy: 'engine', message: 'm' }] },
};
function fixture(name: string): string {
  return readFileSync(new URL(`formats/fixtures/${name}`, import.meta.url), 'utf8');
}

const codexRollout = [
  { timestamp: '2026-01-01T00:00:00Z', type: 'session_meta', payload: { id: 's', cli_version: '1' } },
  {
    type: 'response_item',
    payload: { type: 'function_call', name: 'shell', call_id: 'c', arguments: '{"command":["ls"]}' },
  },
  { type: 'response_item', payload: { type: 'function_call_output', call_id: 'c', output: '{"output":"x"}' } },
  {
    type: 'event_msg',
    payload: { type: 'token_count', info: { last_token_usage: { input_tokens: 1, output_tokens: 1 } } },
  },
]
  .map((line) => JSON.stringify(line))
  .join('\n');

const samples: Readonly<Record<string, string>> = {
  'openai-chat': JSON.stringify({ messages: chat, reward: 1, usage: { prompt_tokens: 1 } }),
  'tau-bench': JSON.stringify([{ task_id: 1, reward: 1, trial: 0, duration: 2, traj: chat }], null, 1),
  otlp: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
  atif: JSON.stringify({ schema_version: 'ATIF-v1.7', agent: { name: 'a', version: '1' }, steps }),
  'assay-run': JSON.stringify({ schema: 'assay.run/1', trials: [trial] }),
  events: '{"ts":1700000000,"event":"tool_call","tool":"bash","command":"x"}\n{"ts":1,"event":"complete"}\n',
  'llm-tool-test-results': '{"scenario_id":"a","outcome":"Pass","duration_secs":2,"timestamp":"2026-01-01"}\n',
  'claude-session': `${JSON.stringify({ type: 'user', sessionId: 's', parentUuid: null, message: chat[0] })}\n`,
  promptfoo: fixture('promptfoo.json'),
  inspect: fixture('inspect.json'),
  deepeval: fixture('deepeval.json'),
  langsmith: fixture('langsmith.jsonl'),
  langfuse: fixture('langfuse.json'),
  'openai-evals': fixture('openai-evals.jsonl'),
  'swe-bench-predictions': fixture('swe-bench.jsonl'),
  'swe-bench-report': fixture('swe-bench.model-a.json'),
  'mini-swe-agent': fixture('mini-swe-agent.traj.json'),
  'swe-agent': fixture('swe-agent.traj'),
  'codex-rollout': codexRollout,
  table: '{"case":"a","outcome":"pass","score":1,"cost":2,"repeat":1}\n{"case":"b","outcome":0}\n',
  junit: '<testsuite name="s"><testcase name="a" time="1"><failure message="m">x</failure></testcase></testsuite>',
  text: 'User: hi\nTool: bash\nls\n',
};

/** One value of a JSON text replaced by another, or a piece of any text replaced by something else. */
function damaged(text: string): fc.Arbitrary<string> {
  const cut = fc
    .tuple(fc.nat(text.length), fc.nat(40), fc.oneof(fc.string(), fc.constantFrom('<', '"', '{', '1e999', '\\u0000')))
    .map(([at, length, junk]) => `${text.slice(0, at)}${junk}${text.slice(at + length)}`);
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(1e300, -1, '', '1e400', 2 ** 60));
  const replaced = fc.tuple(fc.nat(60), value).map(([chosen, replacement]) => {
    let visited = 0;
    return text
      .split('\n')
      .map((line) =>
        isJson(line)
          ? JSON.stringify(JSON.parse(line), (_key, part) => (visited++ === chosen ? replacement : part))
          : line,
      )
      .join('\n');
  });
  return fc.oneof(cut, replaced);
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

describe('a damaged file', () => {
  it('has a sample for each format that is not the output of an agent', async () => {
    for (const [format, text] of Object.entries(samples)) {
      const read = await readImport(text);
      expect({ format: read.format, isRead: read.trials.length > 0 }).toEqual({ format, isRead: true });
    }
    expect(importFormats.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(samples)));
  });

  it.each(Object.keys(samples))('of %s is read without failing, into records that can be stored', async (format) => {
    const place = { runId: 'r', ordinal: 0, usualStart: 1 };
    const found = { file: 'f', path: 'f', name: 'f', isNamed: true, bytes: 0, changedAt: 0 };
    await fc.assert(
      fc.asyncProperty(damaged(samples[format] ?? ''), async (text) => {
        for (const wanted of [format, 'auto']) {
          const identities = new Identities();
          const read = await readImport(text, { format: wanted });
          for (const each of read.trials) {
            const identity = identities.identify(each, found);
            const { record, trace } = finishedTrial(each, { ...place, ...identity });
            const stored = JSON.parse(JSON.stringify(record));
            expect(trialRecordSchema.safeParse(stored).error).toBeUndefined();
            expect(() => new Date(record.startedAt).toISOString()).not.toThrow();
            for (const event of JSON.parse(JSON.stringify(trace))) {
              expect(traceEventSchema.safeParse(event).error).toBeUndefined();
            }
          }
        }
      }),
      { seed: 7, numRuns: repetitions({ usual: 16, inFull: 80 }) },
    );
  });
});
