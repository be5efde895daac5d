import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventsIn, readImport, reported } from '../../../testing/fakes/load/read-import.ts';

function fixture(name: string): string {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
}

describe('test runs of DeepEval', () => {
  it('keep each metric as a check, and one that broke could not be judged', async () => {
    const { trials } = await readImport(fixture('deepeval.json'), { name: 'run.json' });
    expect(trials.map(({ caseId, verdict }) => [caseId, verdict?.state, verdict?.reason])).toEqual([
      ['test_case_0', 'pass', 'all 2 scores passed'],
      ['test_case_1', 'fail', 'Answer Relevancy: off topic'],
      ['test_case_2', 'error', 'Answer Relevancy: the model returned no JSON'],
      ['test_case_3', undefined, undefined],
    ]);
    expect(trials[0]).toMatchObject({ durationMs: 1_500, metrics: { 'Answer Relevancy': 0.9, 'Tool Correctness': 1 } });
    expect(eventsIn(trials[0]).slice(1, 3)).toEqual([
      { type: 'tool-call', callId: 'call-1', tool: 'weather', input: { city: 'Rome' } },
      { type: 'tool-result', callId: 'call-1', result: 'sunny' },
    ]);
    const snake = fixture('deepeval.json')
      .replaceAll('metricsData', 'metrics_data')
      .replaceAll('testCases', 'test_cases');
    expect(await readImport(snake, { name: 'run.json' })).toMatchObject({ format: 'deepeval', trials: { length: 4 } });
  });

  it('that contradict themselves could not be judged', async () => {
    const verdictOf = async (success: boolean, ...metrics: boolean[]) => {
      const metricsData = metrics.map((isPass, index) => ({ name: `m${index + 1}`, success: isPass, reason: 'why' }));
      const { trials } = await readImport(JSON.stringify({ testCases: [{ input: 'x', success, metricsData }] }));
      return trials[0]?.verdict;
    };
    expect([await verdictOf(true, true, false), await verdictOf(false, true)]).toEqual([
      { state: 'error', reason: 'the file says both `success: true` and a failed metric (m2: why)' },
      { state: 'error', reason: 'the file says both `success: false` and passed metrics only' },
    ]);
    expect([await verdictOf(true, true), await verdictOf(false, false)]).toMatchObject([
      { state: 'pass' },
      { state: 'fail' },
    ]);
  });

  it('that are none are refused with what is missing', async () => {
    expect(reported(await readImport('{"testCases":[{"input":"x"}]}', { name: 'x.json' }))).toEqual([
      '1: unknown format: it has `testCases`; deepeval needs test cases with `metricsData` (or `metrics_data`)',
    ]);
    const wrong = await readImport('{"testCases":[{"input":"x"}]}', { format: 'deepeval' });
    expect(reported(wrong)).toEqual(['1: not a test case: `metricsData` is missing']);
  });
});

describe('logs of OpenAI evals', () => {
  it('join the events of a sample', async () => {
    const { trials, problems } = await readImport(fixture('openai-evals.jsonl'));
    expect(problems).toEqual([]);
    expect(trials.map(({ caseId, verdict }) => [caseId, verdict?.state, verdict?.reason])).toEqual([
      ['capitals.dev.0', 'pass', 'match: correct: expected "Paris", picked "Paris"'],
      ['capitals.dev.1', 'fail', 'match: not correct: expected "Madrid", picked null'],
      ['capitals.dev.2', 'error', '503 from the provider'],
    ]);
    expect(trials[0]).toMatchObject({ scenario: 'capitals.dev.v0', variant: { model: 'gpt-x' } });
    expect(eventsIn(trials[0]).slice(0, 3)).toEqual([
      { type: 'message', role: 'system', text: 'Answer shortly.' },
      { type: 'message', role: 'user', text: 'France?' },
      { type: 'message', role: 'assistant', text: 'Paris' },
    ]);
  });

  it('and items of the API have the verdicts of their graders', async () => {
    const { trials } = await readImport(fixture('openai-evals-items.jsonl'));
    expect(trials.map(({ verdict }) => verdict)).toEqual([
      { state: 'pass', reason: 'all 2 scores passed' },
      { state: 'fail', reason: 'exact: false' },
      { state: 'error', reason: 'the sample failed: overloaded' },
    ]);
    expect(trials[0]).toMatchObject({ scenario: 'eval_1', caseId: '1', metrics: { exact: 1, tone: 0.9 } });
  });

  it('that are none are refused with what is missing', async () => {
    expect(reported(await readImport('{"spec":{}}\n'))).toEqual([
      '1: unknown format: it has `spec`; openai-evals needs `spec` with `eval_name`, and events with `sample_id`',
    ]);
    const wrong = await readImport('{"sample_id":"x"}\n', { format: 'openai-evals' });
    expect(reported(wrong)).toEqual(['1: not an event: `sample_id` with `type` and `data` is missing']);
  });
});

describe('runs of LangSmith', () => {
  it('are joined to traces, with tools, tokens and feedback', async () => {
    const { trials, problems, format } = await readImport(fixture('langsmith.jsonl'), { options: { passAt: 0.5 } });
    expect([format, problems]).toEqual(['langsmith', []]);
    expect(trials.map(({ caseId, verdict }) => [caseId, verdict?.state, verdict?.reason])).toEqual([
      ['ex-1', 'pass', 'correct: 1'],
      ['b1', 'fail', 'correct: 0'],
      ['c1', 'error', 'the run failed: TimeoutError: no answer'],
    ]);
    expect(trials[0]).toMatchObject({
      ...{ scenario: 'support-bot', variant: { model: 'gpt-x' }, durationMs: 2_000, costUsd: 0.002 },
      ...{ metrics: { correct: 1 } },
    });
    expect(eventsIn(trials[0]).slice(0, 3)).toEqual([
      { type: 'message', role: 'user', text: 'Weather in Rome?' },
      { type: 'tool-call', callId: 'a2', tool: 'weather', input: { city: 'Rome' } },
      { type: 'tool-result', callId: 'a2', durationMs: 500, result: 'sunny' },
    ]);
    expect(eventsIn(trials[1]).slice(0, 2)).toEqual([
      { type: 'message', role: 'user', text: 'Hi' },
      { type: 'message', role: 'assistant', text: 'Hello' },
    ]);
    const unlimited = await readImport(fixture('langsmith.jsonl'));
    expect(unlimited.trials.map(({ verdict }) => verdict?.state)).toEqual([undefined, undefined, 'error']);
  });

  it('count once, and those that are none are refused with what is missing', async () => {
    const [first = ''] = fixture('langsmith.jsonl').split('\n');
    expect((await readImport(`${first}\n${first}\n`)).trials).toHaveLength(1);
    const child = '{"id":"x","trace_id":"y","run_type":"tool","parent_run_id":"y"}\n';
    expect(reported(await readImport(child))).toEqual(['1: trace y has no root run']);
    expect(reported(await readImport('{"id":"x","run_type":"llm"}\n'))).toEqual([
      '1: unknown format: it has `id`, `run_type`; langsmith needs runs with `id`, `run_type` and `trace_id`',
    ]);
  });
});

describe('traces of Langfuse', () => {
  it('have tools, tokens and scores, of which booleans are verdicts', async () => {
    const { trials, problems, format } = await readImport(fixture('langfuse.json'), { name: 'traces.json' });
    expect([format, problems]).toEqual(['langfuse', []]);
    expect(trials.map(({ caseId, verdict }) => [caseId, verdict?.state, verdict?.reason])).toEqual([
      ['t1', 'pass', 'correct: as in the source'],
      ['t2', 'fail', 'correct: false'],
      ['t3', undefined, undefined],
    ]);
    expect(trials[0]).toMatchObject({
      ...{ scenario: 'support-bot', variant: { model: 'gpt-x' }, durationMs: 1_500, costUsd: 0.003 },
      metrics: { relevance: 0.8 },
    });
    expect(eventsIn(trials[0]).slice(0, 3)).toEqual([
      { type: 'message', role: 'user', text: 'Weather in Rome?' },
      { type: 'tool-call', callId: 'o1', tool: 'weather', input: { city: 'Rome' } },
      { type: 'tool-result', callId: 'o1', durationMs: 500, result: 'sunny' },
    ]);
    const judged = await readImport(fixture('langfuse.json'), { name: 'traces.json', options: { passAt: 0.85 } });
    expect(judged.trials.map(({ verdict }) => verdict?.state)).toEqual(['fail', 'fail', 'pass']);
  });

  it('that are none are refused with what is missing', async () => {
    expect(reported(await readImport('{"id":"t","htmlPath":"/x"}', { name: 'x.json' }))).toEqual([
      '1: unknown format: it has `id`, `htmlPath`; langfuse needs traces with `timestamp` and `observations` (a list of objects)',
    ]);
    const ids = '{"id":"t","timestamp":"2026-03-01T10:00:00Z","observations":["o1"]}';
    expect(reported(await readImport(ids, { name: 'x.json', format: 'langfuse' }))).toEqual([
      '1: not a trace: `timestamp` or `observations` (a list of objects) is missing',
    ]);
  });
});

describe('SWE-bench', () => {
  const report = fixture('swe-bench.model-a.json');

  it('has the verdicts of predictions in the report beside them', async () => {
    const beside = { 'model-a.run.json': report };
    const read = await readImport(fixture('swe-bench.jsonl'), { name: 'preds.jsonl', beside });
    expect(read.problems).toEqual([]);
    expect(read.trials.map(({ scenario, verdict }) => [scenario, verdict?.state, verdict?.reason])).toEqual([
      ['django__django-1', 'pass', 'resolved'],
      ['django__django-2', 'fail', 'unresolved'],
      ['django__django-3', 'fail', 'the patch is empty'],
      ['django__django-4', 'error', 'SWE-bench could not evaluate the patch'],
    ]);
    expect(eventsIn(read.trials[0])).toEqual([{ type: 'other', kind: 'patch', data: 'diff --git a/x b/x\n' }]);
    const alone = await readImport(fixture('swe-bench.jsonl'), { name: 'preds.jsonl' });
    expect(alone.trials.every(({ verdict }) => verdict === undefined)).toBe(true);
    expect(reported(alone)).toEqual([
      'warning 1: 4 predictions without a verdict: no report beside the file names them',
    ]);
  });

  it('has verdicts in a report alone, and predictions by instance in one document', async () => {
    const { format, trials } = await readImport(report, { name: 'model-a.run1.json' });
    expect(format).toBe('swe-bench-report');
    expect(trials.map(({ verdict, variant }) => [variant.model, verdict?.state])).toEqual(
      ['pass', 'fail', 'fail', 'error'].map((state) => ['model-a', state]),
    );
    const document = { a: { instance_id: 'a', model_patch: 'x' }, b: { instance_id: 'b', model_patch: 'y' } };
    expect(await readImport(JSON.stringify(document), { name: 'preds.json' })).toMatchObject({
      format: 'swe-bench-predictions',
      trials: [{ scenario: 'a' }, { scenario: 'b' }],
    });
  });

  it('refuses files with what is missing', async () => {
    expect(reported(await readImport('{"resolved_ids":["a"]}', { name: 'x.json' }))).toEqual([
      '1: unknown format: it has `resolved_ids`; swe-bench-report needs `resolved_ids` and `submitted_ids`',
    ]);
    expect(reported(await readImport('{"instance_id":"a"}\n', { format: 'swe-bench-predictions' }))).toEqual([
      '1: not a prediction: `instance_id` or `model_patch` is missing',
    ]);
  });
});

describe('trajectories', () => {
  it('of SWE-agent have commands, figures and how it ended, but no verdict', async () => {
    const { trials, problems } = await readImport(fixture('swe-agent.traj'), { name: 'django__django-7.traj' });
    expect(problems).toEqual([]);
    expect(trials[0]).toMatchObject({
      ...{ scenario: 'django__django-7', variant: { agent: 'swe-agent', model: 'model-x' }, verdict: undefined },
      ...{ costUsd: 0.4, usage: { inputTokens: 1_200, outputTokens: 80 } },
    });
    const call = { type: 'tool-call', callId: 'step-1', tool: 'bash', kind: 'shell' };
    expect(eventsIn(trials[0])).toContainEqual({ ...call, input: { command: 'ls' }, shellCommand: 'ls' });
    expect(eventsIn(trials[0])).toContainEqual({
      ...{ type: 'tool-result', callId: 'step-1', durationMs: 250, result: 'setup.py\n' },
    });
    const failed = fixture('swe-agent.traj').replace('"submitted"', '"exit_api"');
    expect((await readImport(failed, { name: 'x.traj' })).trials[0]).toMatchObject({ fault: { code: 'AGENT_FAILED' } });
    expect(reported(await readImport('{"trajectory":[{"x":1}]}', { name: 'x.traj' }))).toEqual([
      '1: unknown format: it has `trajectory`; swe-agent needs `trajectory` with steps of `action` and `observation`',
    ]);
  });

  it('of mini-swe-agent have the commands of their code blocks', async () => {
    const { trials, problems } = await readImport(fixture('mini-swe-agent.traj.json'), { name: 'x.traj.json' });
    expect(problems).toEqual([]);
    expect(trials[0]).toMatchObject({
      ...{ scenario: 'django__django-1', variant: { agent: 'mini-swe-agent', model: 'model-x' }, costUsd: 0.03 },
    });
    const events = eventsIn(trials[0]) as { type: string; shellCommand?: string }[];
    expect(events.filter(({ type }) => type.startsWith('tool-'))).toEqual([
      expect.objectContaining({ shellCommand: 'ls missing' }),
      { type: 'tool-result', callId: 'command-1', result: 'ls: missing', exitCode: 2 },
      expect.objectContaining({ shellCommand: 'echo COMPLETE' }),
      expect.objectContaining({ result: 'diff --git a/x b/x\n' }),
    ]);
    const wrong = await readImport('{"info":{"mini_version":"1"}}', { format: 'mini-swe-agent' });
    expect(reported(wrong)).toEqual(['1: not a trajectory: `messages` is missing']);
  });
});
