import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { importFormats } from '../../src/load/imports/formats/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';
import { zipOf } from '../../src/testing/support/zip-of.ts';

const fixtures = new URL('../../src/load/imports/formats/fixtures/', import.meta.url);
const sessions = new URL('../../src/load/imports/formats/fixtures-sessions/', import.meta.url);
const agents = new URL('../../src/drive/agents/', import.meta.url);

const lines = (...objects: readonly object[]): string =>
  objects.map((object) => `${JSON.stringify(object)}\n`).join('');
const attribute = (key: string, value: object) => ({ key, value });

/** A log of Inspect as the archive that it writes. */
function inspectArchive(): Buffer {
  const { samples, ...header } = JSON.parse(readFileSync(new URL('inspect.json', fixtures), 'utf8'));
  const entries = samples.map((sample: { id: string; epoch: number }) => [
    `samples/${sample.id}_epoch_${sample.epoch}.json`,
    JSON.stringify(sample),
  ]);
  return zipOf({ 'header.json': JSON.stringify(header), ...Object.fromEntries(entries) });
}

const message = { role: 'user', content: 'Hi' };
const reply = { role: 'assistant', content: 'Hello', usage: { prompt_tokens: 11, completion_tokens: 3 } };
const span = {
  ...{ traceId: 't1', spanId: 's1', name: 'chat', startTimeUnixNano: '1700000000000000000' },
  ...{ endTimeUnixNano: '1700000001000000000', status: {} },
  attributes: [
    attribute('gen_ai.operation.name', { stringValue: 'chat' }),
    attribute('gen_ai.input.messages', { stringValue: '[{"role":"user","parts":[{"type":"text","content":"Hi"}]}]' }),
    attribute('gen_ai.output.messages', {
      stringValue: '[{"role":"assistant","parts":[{"type":"text","content":"Hello"}]}]',
    }),
    attribute('gen_ai.usage.input_tokens', { intValue: '7' }),
    attribute('gen_ai.usage.output_tokens', { intValue: '2' }),
  ],
};
const trial = {
  ...{ trialId: 't-1', scenario: 's', file: 'in/run.json', caseId: 'c', variant: {}, repeat: 1, outcome: 'fail' },
  ...{ reason: 'wrong', durationMs: 12, costUsd: 0.5, usage: { inputTokens: 1, outputTokens: 2 }, metrics: {} },
  ...{ startedAt: '2026-01-01T00:00:00.000Z', evaluatorResults: [], criteria: null, judge: null },
};

/** Files of the formats that have no recorded fixture of their own. */
const written: Readonly<Record<string, string | Buffer>> = {
  'junit.xml':
    '<testsuite name="s"><testcase name="a"/><testcase name="b"><failure/></testcase><testcase name="c"><error/></testcase></testsuite>',
  'tau.json': JSON.stringify([
    { task_id: 1, reward: 1, trial: 0, traj: [message, reply], info: { agent_cost: 0.25 } },
    { task_id: 1, reward: 0, trial: 1, traj: [message] },
  ]),
  'atif.json': JSON.stringify({
    ...{ schema_version: 'ATIF-v1.4', session_id: 's-1', agent: { name: 'a', version: '1' } },
    steps: [
      { step_id: 1, source: 'user', message: 'x' },
      {
        step_id: 2,
        source: 'agent',
        message: 'y',
        metrics: { prompt_tokens: 10, completion_tokens: 2, cost_usd: 0.1 },
      },
    ],
  }),
  'otlp.json': JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
  'results.jsonl': lines(
    { scenario_id: 'a', tool: 't', outcome: 'Pass' },
    { scenario_id: 'b', tool: 't', outcome: 'Fail: 1/2 gates passed' },
  ),
  'events.jsonl': lines(
    { ts: 1, event: 'tool_call', tool: 'bash', command: 'x' },
    { ts: 2, event: 'complete', exit_code: 0 },
  ),
  'chat.jsonl': lines({ messages: [message, reply], reward: 1 }),
  'talk.log': 'User: hi\nTool: bash\nls\n',
  'run.json': JSON.stringify({ schema: 'assay.run/1', trials: [trial] }),
  'log.eval': inspectArchive(),
};
/** The report of predictions, and the sessions of sub-agents: they are read with the file that they belong to. */
const readWithOthers = [
  'claude/e336f771-6d2e-46b0-b372-bca855f16128/subagents/agent-a1bc9f37ec749cc2a.jsonl',
  'codex/rollout-2026-11-16T07-59-01-01a1e35d-dc36-7ba2-a78a-8a005f4b03e4.jsonl',
  'swe-bench.model-a.json',
];

/** Everything that can be imported, by its path in the folder of the import. */
function importedFiles(): Record<string, string | Buffer> {
  const stored = readdirSync(sessions, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.jsonl'));
  const streams = readdirSync(agents, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /fixtures\/ok\.jsonl$/.test(path),
  );
  return {
    ...Object.fromEntries(readdirSync(fixtures).map((file) => [file, readFileSync(new URL(file, fixtures))])),
    ...Object.fromEntries(stored.map((path) => [path, readFileSync(new URL(path, sessions))])),
    ...Object.fromEntries(
      streams.map((path) => [path.replace('/fixtures/', '-'), readFileSync(new URL(path, agents))]),
    ),
    'gemini-acp.jsonl': readFileSync(new URL('acp/fixtures/gemini.jsonl', agents)),
    'alone/model-b.run.json': readFileSync(new URL('swe-bench.model-a.json', fixtures)),
    ...written,
  };
}

const notJudged = 'pass 0, fail 0, error 0, skipped 1';

/** Counted by hand in each file: outcomes, tokens and dollars. */
const expected: Readonly<Record<string, readonly (string | number)[]>> = {
  'deepeval.json': ['deepeval', 'pass 1, fail 1, error 1, skipped 1', 0, 0, 0],
  'inspect.json': ['inspect', 'pass 1, fail 1, error 1, skipped 1', 130 + 90, 15 + 9, 0],
  'langfuse.json': ['langfuse', 'pass 1, fail 1, error 0, skipped 1', 100, 20, 0.003],
  'langsmith.jsonl': ['langsmith', 'pass 0, fail 0, error 1, skipped 2', 100 + 10, 20 + 2, 0.002],
  'mini-swe-agent.traj.json': ['mini-swe-agent', notJudged, 300, 30, 0.03],
  'openai-evals.jsonl': ['openai-evals', 'pass 1, fail 1, error 1, skipped 0', 0, 0, 0],
  'openai-evals-items.jsonl': ['openai-evals', 'pass 1, fail 1, error 1, skipped 0', 40, 4, 0],
  'promptfoo.json': ['promptfoo', 'pass 1, fail 1, error 1, skipped 1', 12 + 30, 2 + 2, 0.0002],
  'swe-agent.traj': ['swe-agent', notJudged, 1_200, 80, 0.4],
  'swe-bench.jsonl': ['swe-bench-predictions', 'pass 1, fail 2, error 1, skipped 0', 0, 0, 0],
  'alone/model-b.run.json': ['swe-bench-report', 'pass 1, fail 2, error 1, skipped 0', 0, 0, 0],
  'table.csv': ['table', 'pass 2, fail 1, error 1, skipped 1', 21, 6, 0.75],
  'junit.xml': ['junit', 'pass 1, fail 1, error 1, skipped 0', 0, 0, 0],
  'tau.json': ['tau-bench', 'pass 1, fail 1, error 0, skipped 0', 11, 3, 0.25],
  'atif.json': ['atif', notJudged, 10, 2, 0.1],
  'otlp.json': ['otlp', notJudged, 7, 2, 0],
  'results.jsonl': ['llm-tool-test-results', 'pass 1, fail 1, error 0, skipped 0', 0, 0, 0],
  'events.jsonl': ['events', notJudged, 0, 0, 0],
  'chat.jsonl': ['openai-chat', 'pass 1, fail 0, error 0, skipped 0', 11, 3, 0],
  'talk.log': ['text', notJudged, 0, 0, 0],
  'run.json': ['assay-run', 'pass 0, fail 1, error 0, skipped 0', 1, 2, 0.5],
  'log.eval': ['inspect-eval', 'pass 1, fail 1, error 1, skipped 1', 130 + 90, 15 + 9, 0],
  'claude/e336f771-6d2e-46b0-b372-bca855f16128.jsonl': ['claude-session', notJudged, 17_046, 68, 0],
  'codex/rollout-2026-11-16T07-59-01-01a1e35d-d9c9-7db1-ba37-6f6216bcb7c1.jsonl': [
    ...['codex-rollout', notJudged, 20_637 + 10_212, 32 + 8, 0],
  ],
  // The model served 3,000 and 84 tokens to each; three of the agents do not print them.
  'claude-code-ok.jsonl': ['claude', notJudged, 3_000, 84, 0.0114],
  'qwen-ok.jsonl': ['qwen', notJudged, 3_000, 84, 0],
  'codex-ok.jsonl': ['codex', notJudged, 3_000, 84, 0],
  'opencode-ok.jsonl': ['opencode', notJudged, 3_000, 84, 0],
  'gemini-ok.jsonl': ['gemini', notJudged, 3_000, 84, 0],
  'pi-ok.jsonl': ['pi', notJudged, 3_000, 84, 0.002628],
  'cline-ok.jsonl': ['cline', notJudged, 3_000, 84, 0],
  'gemini-acp.jsonl': ['acp', notJudged, 3_000, 84, 0],
  'copilot-ok.jsonl': ['copilot', notJudged, 0, 0, 0],
  'kimi-ok.jsonl': ['kimi', notJudged, 0, 0, 0],
  'continue-ok.jsonl': ['continue', notJudged, 0, 0, 0],
};

interface Trial {
  readonly file: string;
  readonly outcome: string;
  readonly costUsd: number | null;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
}

it('results of other programs come out of the store with the figures that their files have, in every format', async () => {
  const files = importedFiles();
  const cwd = await temporaryFolder(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`in/${path}`, text])),
  );
  const imported = await assay(['import', 'in', '--json'], { cwd });
  // The events are those of commands alone, and the provider of one result of promptfoo failed.
  const silent = 'the trial is not complete: answers: no answer was recorded';
  const unanswered = 'the trial is not complete: answers, times, tokens, costs: no answer was recorded';
  const stderr = `warning: in/events.jsonl:1:1: ${silent}\nwarning: in/promptfoo.json:102:1: ${unanswered}\n`;
  expect(imported).toMatchObject({ exitCode: 0, stderr });
  const document = JSON.parse(imported.stdout);
  const run = JSON.parse((await assay(['show', document.runId, '--json'], { cwd })).stdout);
  const found = document.files.map(({ file, format }: { file: string; format: string }) => {
    const trials: Trial[] = run.trials.filter((each: Trial) => each.file === file);
    const sum = (pick: (each: Trial) => number | undefined | null): number =>
      trials.reduce((total, each) => total + (pick(each) ?? 0), 0);
    const outcomes = ['pass', 'fail', 'error', 'skipped'].map(
      (outcome) => `${outcome} ${trials.filter((each) => each.outcome === outcome).length}`,
    );
    return [
      file.replace('in/', ''),
      [
        format,
        outcomes.join(', '),
        sum(({ usage }) => usage?.inputTokens),
        sum(({ usage }) => usage?.outputTokens),
        Number(sum(({ costUsd }) => costUsd).toFixed(9)),
      ],
    ];
  });
  expect(Object.fromEntries(found)).toEqual(expected);
  expect(
    Object.keys(files)
      .filter((path) => !(path in expected))
      .sort(),
  ).toEqual(readWithOthers);
  const formats = new Set(Object.values(expected).map(([format]) => format));
  expect([...formats].sort()).toEqual(importFormats.map(({ name }) => name).sort());
});

type Refusal = readonly [file: string, content: string | Buffer, guessed: string, given: string];

/** Files that are nearly of a format: what is said of each when the format is guessed, and when it is given. */
const refused: Readonly<Record<string, Refusal>> = {
  'assay-run': [
    ...(['run.json', '{"trialId":"t","scenario":"s"}', 'unknown format: it has `trialId`, `scenario`'] as const),
    'not a trial: `trialId`, `scenario` or `outcome` is missing',
  ],
  atif: [
    ...([
      't.json',
      '{"agent":{},"steps":[]}',
      'unknown format: it has `agent`, `steps`; atif needs `schema_version`',
    ] as const),
    'not a trajectory: `schema_version` is missing',
  ],
  promptfoo: [
    ...([
      'r.json',
      '{"evalId":"e"}',
      'unknown format: it has `evalId`; promptfoo needs results with `promptIdx`',
    ] as const),
    'not a result: `success` with `promptIdx`, `testCase`, or `prompt` and `vars` is missing',
  ],
  inspect: [
    ...([
      'log.json',
      '{"eval":{"task":"x"}}',
      'unknown format: it has `eval`; inspect needs `eval` with `task`',
    ] as const),
    'the log has no `samples`',
  ],
  'inspect-eval': [
    ...(['log.eval', zipOf({ 'other.json': '{}' }), 'not a log of Inspect: `header.json` with `eval` is'] as const),
    'not a log of Inspect: `header.json` with `eval` is missing in the archive',
  ],
  deepeval: [
    ...([
      'x.json',
      '{"testCases":[{}]}',
      'unknown format: it has `testCases`; deepeval needs test cases with',
    ] as const),
    'not a test case: `metricsData` is missing',
  ],
  'openai-evals': [
    ...([
      'x.jsonl',
      '{"spec":{}}',
      'unknown format: it has `spec`; openai-evals needs `spec` with `eval_name`',
    ] as const),
    'not an event: `sample_id` with `type` and `data` is missing',
  ],
  langsmith: [
    ...([
      'x.jsonl',
      '{"run_type":"llm"}',
      'unknown format: it has `run_type`; langsmith needs runs with `id`',
    ] as const),
    'not a run: `id`, `run_type` or `trace_id` is missing',
  ],
  langfuse: [
    ...([
      'x.json',
      '{"htmlPath":"/x"}',
      'unknown format: it has `htmlPath`; langfuse needs traces with `timestamp`',
    ] as const),
    'not a trace: `timestamp` or `observations` (a list of objects) is missing',
  ],
  'swe-bench-predictions': [
    ...([
      'x.jsonl',
      '{"instance_id":"a"}',
      'unknown format: it has `instance_id`; swe-bench-predictions needs',
    ] as const),
    'not a prediction: `instance_id` or `model_patch` is missing',
  ],
  'swe-bench-report': [
    ...(['x.json', '{"resolved_ids":[]}', 'unknown format: it has `resolved_ids`; swe-bench-report needs'] as const),
    'not a report: `resolved_ids` or `submitted_ids` is missing',
  ],
  'mini-swe-agent': [
    ...([
      'x.traj.json',
      '{"info":{}}',
      'unknown format: it has `info`; mini-swe-agent needs `trajectory_format`',
    ] as const),
    'not a trajectory: `messages` is missing',
  ],
  'swe-agent': [
    ...([
      'x.traj',
      '{"trajectory":[{}]}',
      'unknown format: it has `trajectory`; swe-agent needs `trajectory`',
    ] as const),
    'not a step: `action` or `observation` is missing',
  ],
  'tau-bench': [
    ...([
      'x.json',
      '{"task_id":1}',
      'unknown format: it has `task_id`; tau-bench needs `reward`, `reward_info`',
    ] as const),
    'not a result: `task_id` with a `reward` or messages is missing',
  ],
  otlp: [
    ...(['x.json', '{"scopeSpans":[]}', 'unknown format: it has `scopeSpans`; otlp needs `resourceSpans`'] as const),
    '`resourceSpans` or `resourceLogs` is missing',
  ],
  junit: [
    ...(['x.xml', '<report><test name="a"/></report>', 'unknown format: junit needs `<testsuite>`'] as const),
    'it contains no trials (read as junit)',
  ],
  'llm-tool-test-results': [
    ...([
      'x.jsonl',
      '{"scenario_id":"a"}',
      'unknown format: it has `scenario_id`; llm-tool-test-results needs',
    ] as const),
    'not a result: `scenario_id` or `outcome` is missing',
  ],
  events: [
    ...(['x.jsonl', '{"event":"unheard-of"}', 'unknown format: it has `event`'] as const),
    'not a file of events: no line has a known `event` or `type`',
  ],
  'claude-session': [
    ...(['x.jsonl', '{"sessionId":"s"}', 'unknown format: it has `sessionId`; claude-session needs messages'] as const),
    'not a session: no line is a message of the user or the assistant',
  ],
  'codex-rollout': [
    ...(['x.jsonl', '{"type":"response_item","payload":{}}', 'unknown format: it has `type`, `payload`'] as const),
    'not a session: the line `session_meta` is missing',
  ],
  'openai-chat': [
    ...(['x.jsonl', '{"author":"user"}', 'unknown format: it has `author`'] as const),
    'neither a message nor a conversation',
  ],
  table: [
    ...(['x.csv', 'a,b\n1,2\n', 'unknown format: table needs a column of outcomes or scores'] as const),
    'the table needs a column of outcomes or scores',
  ],
  text: ['x.txt', Buffer.from([0x89, 0x50, 0, 0, 1]), 'not a text file', 'not a text file'],
  // Continue prints an answer that is JSON as it is, so any object may be its output.
  continue: ['x.json', '[5]\n', 'unknown format', 'not a JSON object; kept as output'],
};

it('a file that is nearly of a format is refused with what it lacks, whether the format is guessed or given', async () => {
  for (const { name, summary } of importFormats) {
    const [file, content, guessed, given] = refused[name] ?? [
      ...(['x.jsonl', '{"kind":"other"}', 'unknown format: it has `kind`'] as const),
      `not ${summary}: no line has an event of it`,
    ];
    const cwd = await temporaryFolder({ [file]: content });
    const guess = await assay(['import', file], { cwd });
    expect.soft(guess.stderr, name).toContain(`${file}:1:1: ${guessed}`);
    const wanted = await assay(['import', file, '--format', name], { cwd });
    expect.soft(wanted.stderr, name).toContain(`${file}:1:1: ${given}`);
    expect.soft([guess.exitCode, wanted.exitCode], name).toEqual([2, 2]);
  }
});
