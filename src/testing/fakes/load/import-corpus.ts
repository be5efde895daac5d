import { readdirSync, readFileSync } from 'node:fs';
import type { ImportedTrial } from '../../../load/imports/import-format.ts';
import type { ImportOptions } from '../../../load/imports/import-source.ts';
import { readImport } from './read-import.ts';

const formats = new URL('../../../load/imports/formats/', import.meta.url);

/** A real document of a format, and how its trials are read. */
export interface CorpusDocument {
  readonly format: string;
  readonly name: string;
  readonly text: string;
  read(text: string): Promise<readonly ImportedTrial[]>;
}

function documentOf(format: string, name: string, text: string, options: ImportOptions = {}): CorpusDocument {
  const read = async (bytes: string): Promise<readonly ImportedTrial[]> =>
    (await readImport(bytes, { name, format, options })).trials;
  return { format, name, text, read };
}

const recorded = (path: string): string => readFileSync(new URL(path, formats), 'utf8');
const json = (value: unknown): string => JSON.stringify(value, null, 1);
const lines = (...values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

const call = { id: 'c1', type: 'function', function: { name: 'refund', arguments: '{"order":"A-1"}' } };
const used = (prompt_tokens: number, completion_tokens: number) => ({
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
});
const conversation = [
  { role: 'system', content: 'You are a clerk.' },
  { role: 'user', content: 'Refund A-1, please' },
  { role: 'assistant', content: null, tool_calls: [call], ...used(120, 9) },
  { role: 'tool', tool_call_id: 'c1', name: 'refund', content: '{"status":"refunded"}' },
  { role: 'assistant', content: 'It is refunded.', ...used(150, 7) },
];
const atif = {
  ...{ schema_version: 'ATIF-v1.4', session_id: 's-1', agent: { name: 'clerk', version: '1', model_name: 'm' } },
  steps: [
    { step_id: 1, source: 'user', message: 'Refund A-1, please' },
    {
      ...{ step_id: 2, source: 'agent', message: 'I look.', model_name: 'm' },
      tool_calls: [{ tool_call_id: 'c1', function_name: 'refund', arguments: { order: 'A-1' } }],
      observation: { results: [{ source_call_id: 'c1', content: 'refunded' }] },
      metrics: { prompt_tokens: 120, completion_tokens: 9, cost_usd: 0.25 },
    },
    {
      ...{ step_id: 3, source: 'agent', message: 'It is refunded.', model_name: 'm' },
      metrics: { prompt_tokens: 150, completion_tokens: 7, cost_usd: 0.5 },
    },
  ],
  final_metrics: { total_prompt_tokens: 270, total_completion_tokens: 16, total_cost_usd: 0.75 },
};
const junit = `<testsuites tests="4" failures="1" errors="1">
<testsuite name="desk" tests="4" failures="1" errors="1" skipped="1">
<testcase name="a" time="1"/>
<testcase name="b"><failure message="wrong">at line 3</failure></testcase>
<testcase name="c"><error message="crashed"/></testcase>
<testcase name="d"><skipped message="slow"/></testcase>
</testsuite>
</testsuites>
`;

const written: readonly CorpusDocument[] = [
  documentOf(
    'tau-bench',
    'tau.json',
    json([
      { task_id: 0, trial: 0, reward: 1, info: { error: null }, traj: conversation },
      { task_id: 1, trial: 0, reward: 0, info: {}, traj: conversation },
    ]),
  ),
  documentOf(
    'tau-bench',
    'tau2.json',
    json({
      info: { agent_info: { implementation: 'llm_agent', llm: 'm-2' } },
      simulations: [
        {
          id: 's1',
          task_id: 'a',
          trial: 0,
          reward_info: { reward: 1 },
          termination_reason: 'user_stop',
          messages: conversation,
        },
        {
          id: 's2',
          task_id: 'b',
          trial: 0,
          reward_info: { reward: 0 },
          termination_reason: 'max_steps',
          messages: conversation,
        },
      ],
    }),
  ),
  documentOf(
    'openai-chat',
    'chat.jsonl',
    lines({ id: 'x', messages: conversation, passed: false }, { id: 'y', messages: conversation, reward: 1 }),
  ),
  documentOf('openai-chat', 'messages.jsonl', lines(...conversation)),
  documentOf('atif', 'trajectory.json', json(atif)),
  documentOf('junit', 'junit.xml', junit),
  documentOf(
    'llm-tool-test-results',
    'results.jsonl',
    lines(
      { scenario_id: 'a', tool: 't', outcome: 'Pass' },
      { scenario_id: 'b', tool: 't', outcome: 'Fail: 1/2 gates passed' },
    ),
  ),
  documentOf(
    'events',
    'events.jsonl',
    lines(
      { ts: 1, event: 'tool_call', tool: 'bash', command: 'refund A-1' },
      { ts: 2, event: 'tool_result', output: 'refunded', exit_code: 0 },
      { ts: 3, event: 'complete', exit_code: 0 },
    ),
  ),
];

const fixtures: readonly (readonly [string, string, ImportOptions?])[] = [
  ['promptfoo', 'promptfoo.json'],
  ['inspect', 'inspect.json', { passAt: 0.7 }],
  ['deepeval', 'deepeval.json'],
  ['langsmith', 'langsmith.jsonl', { passAt: 0.5 }],
  ['langfuse', 'langfuse.json'],
  ['openai-evals', 'openai-evals.jsonl'],
  ['openai-evals', 'openai-evals-items.jsonl'],
  ['swe-bench-report', 'swe-bench.model-a.json'],
  ['mini-swe-agent', 'mini-swe-agent.traj.json'],
  ['swe-agent', 'swe-agent.traj'],
  ['table', 'table.csv'],
];

/** Real documents of every import format that is not the output of an agent: what exporters and programs wrote. */
export const importCorpus: readonly CorpusDocument[] = [
  ...fixtures.map(([format, file, options]) => documentOf(format, file, recorded(`fixtures/${file}`), options)),
  ...readdirSync(new URL('otlp/fixtures/', formats)).map((file) =>
    documentOf('otlp', file, recorded(`otlp/fixtures/${file}`)),
  ),
  ...['claude-code-logs.json', 'codex-logs.json'].map((file) =>
    documentOf('otlp', file, recorded(`../../../../test/fixtures/otlp/${file}`)),
  ),
  ...written,
];
