import { readdirSync, readFileSync } from 'node:fs';
import type { ImportOptions } from '../../../load/imports/import-source.ts';
import { bytesOfText } from '../../support/raw-bytes.ts';
import { zipOf } from '../../support/zip-of.ts';
import { agentStreamCorpus } from '../agents/agent-stream-corpus.ts';
import { type ImportedRun, importedRun } from './imported-run.ts';

const formats = new URL('../../../load/imports/formats/', import.meta.url);

/** A real document of a format, and how it is imported. */
export interface CorpusDocument {
  readonly format: string;
  readonly name: string;
  readonly text: string;
  read(text: string): Promise<ImportedRun>;
}

interface Reading {
  readonly options?: ImportOptions;
  readonly beside?: Readonly<Record<string, string>>;
  /** The bytes of the file, where they are not those of the text. */
  readonly contentOf?: (text: string) => Uint8Array;
}

function documentOf(format: string, name: string, text: string, reading: Reading = {}): CorpusDocument {
  const { contentOf = bytesOfText, ...rest } = reading;
  const read = (written: string) => importedRun({ name, content: contentOf(written), format, ...rest });
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
  final_metrics: { total_prompt_tokens: 270, total_completion_tokens: 16, total_cost_usd: 0.75, total_steps: 3 },
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

/** The same conversation as Anthropic's API and as Gemini's writes it. */
const anthropicMessages = [
  { role: 'user', content: 'Refund A-1, please' },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'c1', name: 'refund', input: { order: 'A-1' } },
    ],
    stop_reason: 'tool_use',
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'refunded', is_error: false }] },
  { role: 'assistant', content: [{ type: 'text', text: 'It is refunded.' }], stop_reason: 'end_turn' },
];
const geminiMessages = [
  { role: 'user', parts: [{ text: 'Refund A-1, please' }] },
  { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'refund', args: { order: 'A-1' } } }] },
  { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'refund', response: { output: 'refunded' } } }] },
  { role: 'model', parts: [{ text: 'It is refunded.' }] },
];
const assayTrial = {
  ...{ trialId: 't-1', scenario: 'refunds', file: 'a.yaml', caseId: 'a-1', variant: { agent: 'clerk' }, repeat: 1 },
  ...{ outcome: 'fail', reason: 'a call failed', durationMs: 1_200, costUsd: 0.5, startedAt: '2026-01-01T00:00:00Z' },
  ...{ usage: { inputTokens: 120, outputTokens: 9 }, metrics: {}, criteria: null, judge: null },
  evaluatorResults: [{ type: 'contains', kind: 'assertion', state: 'fail', success: false, reason: 'not there' }],
  trace: [
    { type: 'message', at: 0, seenBy: 'engine', role: 'user', text: 'Refund A-1, please' },
    { type: 'tool-call', at: 1, seenBy: 'agent', callId: 'c1', tool: 'refund', input: { order: 'A-1' } },
    { type: 'tool-result', at: 2, seenBy: 'agent', callId: 'c1', durationMs: 1, error: { message: 'not allowed' } },
    { type: 'usage', at: 2, seenBy: 'agent', inputTokens: 120, outputTokens: 9, costUsd: 0.5 },
    { type: 'message', at: 3, seenBy: 'agent', role: 'assistant', text: 'It is refunded.' },
    { type: 'reports', at: 3, seenBy: 'engine', what: ['tool-calls', 'usage', 'cost'] },
  ],
};
const transcript = 'User: Refund A-1, please\nTool: bash\n$ refund A-1\nrefunded\nAssistant: It is refunded.\n';

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
      info: { agent_info: { implementation: 'llm_agent', llm: 'm-2' }, num_trials: 1 },
      tasks: [{ id: 'a' }, { id: 'b' }],
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
  documentOf('openai-chat', 'anthropic.json', json({ messages: anthropicMessages, reward: 0 })),
  documentOf('openai-chat', 'gemini.json', json({ messages: geminiMessages, reward: 0 })),
  documentOf('assay-run', 'run.json', json({ schema: 'assay.run/1', trials: [assayTrial] })),
  documentOf('text', 'transcript.txt', transcript),
  documentOf('atif', 'trajectory.json', json(atif)),
  documentOf('junit', 'junit.xml', junit),
  documentOf(
    'llm-tool-test-results',
    'results.jsonl',
    lines(
      { scenario_id: 'a', tool: 't', outcome: 'Pass', timestamp: '2026-01-01T00:00:00Z' },
      { scenario_id: 'b', tool: 't', outcome: 'Fail: 1/2 gates passed', timestamp: '2026-01-01T00:01:00Z' },
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

const [claudeFolder, codexFolder] = ['fixtures-sessions/claude/', 'fixtures-sessions/codex/'];
const claudeId = 'e336f771-6d2e-46b0-b372-bca855f16128';
const [codexMain = '', codexSide = ''] = readdirSync(new URL(codexFolder, formats)).sort();
const subagent = `${claudeId}/subagents/agent-a1bc9f37ec749cc2a.jsonl`;

const sessions: readonly CorpusDocument[] = [
  documentOf('claude-session', `${claudeId}.jsonl`, recorded(`${claudeFolder}${claudeId}.jsonl`), {
    beside: { [subagent]: recorded(`${claudeFolder}${subagent}`) },
  }),
  documentOf('codex-rollout', codexMain, recorded(`${codexFolder}${codexMain}`), {
    beside: { [codexSide]: recorded(`${codexFolder}${codexSide}`) },
  }),
  documentOf('swe-bench-predictions', 'swe-bench.jsonl', recorded('fixtures/swe-bench.jsonl'), {
    beside: { 'swe-bench.model-a.json': recorded('fixtures/swe-bench.model-a.json') },
  }),
  inspectArchive(),
];

/** The samples of a log as an archive has them: one file for each. */
function inspectArchive(): CorpusDocument {
  const { samples, ...header } = JSON.parse(recorded('fixtures/inspect.json')) as { samples: unknown[] };
  const [first, ...others] = samples.map((sample) => JSON.stringify(sample));
  const files = Object.fromEntries(others.map((sample, index) => [`samples/${index + 2}.json`, sample]));
  const contentOf = (text: string): Uint8Array =>
    zipOf({ 'header.json': JSON.stringify(header), 'samples/1.json': text, ...files });
  return documentOf('inspect-eval', 'log.eval', first ?? '', { contentOf, options: { passAt: 0.7 } });
}

/** Real documents of every import format: what exporters and programs wrote. */
export const importCorpus: readonly CorpusDocument[] = [
  ...fixtures.map(([format, file, options = {}]) =>
    documentOf(format, file, recorded(`fixtures/${file}`), { options }),
  ),
  ...readdirSync(new URL('otlp/fixtures/', formats)).map((file) =>
    documentOf('otlp', file, recorded(`otlp/fixtures/${file}`)),
  ),
  ...['claude-code-logs.json', 'codex-logs.json'].map((file) =>
    documentOf('otlp', file, recorded(`../../../../test/fixtures/otlp/${file}`)),
  ),
  ...written,
  ...sessions,
  ...agentStreamCorpus.map(({ format, name, lines: printed }) =>
    documentOf(format, `${name.replaceAll('/', '-')}.jsonl`, `${printed.join('\n')}\n`),
  ),
];
