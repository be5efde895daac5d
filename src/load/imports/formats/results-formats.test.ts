import { describe, expect, it } from 'vitest';
import { eventsIn, readImport, reported } from '../../../testing/fakes/load/read-import.ts';
import { finishedTrial } from '../imported-record.ts';

describe('JUnit XML', () => {
  const xml = `<?xml version="1.0"?>
<!-- <testcase name="not one"/> -->
<testsuites>
  <testsuite name="booking &amp; more" timestamp="2026-01-01T00:00:00">
    <testcase name="passes" classname="booking &amp; more" time="1.5"/>
    <testcase name="fails" classname="a.B"><failure message="expected &lt;1&gt; > 0">at line 3</failure></testcase>
    <testcase name="breaks" classname="a.C"><error type="Timeout"/></testcase>
    <testcase name="is left out"><skipped/></testcase>
    <testcase name="prints"><system-out><![CDATA[<b>hello</b>]]></system-out></testcase>
  </testsuite>
</testsuites>
`;

  it('gives a trial for each test case', async () => {
    const { format, trials, problems } = await readImport(xml, { name: 'junit.xml' });
    expect({ format, problems }).toEqual({ format: 'junit', problems: [] });
    expect(trials.map(({ caseId, verdict, line }) => [line, caseId, verdict?.state, verdict?.reason])).toEqual([
      [5, 'passes', 'pass', 'passed'],
      [6, 'a.B › fails', 'fail', 'expected <1> > 0'],
      [7, 'a.C › breaks', 'error', 'Timeout'],
      [8, 'is left out', 'skipped', 'it has a <skipped>'],
      [9, 'prints', 'pass', 'passed'],
    ]);
    expect(trials[0]).toMatchObject({ scenario: 'booking & more', durationMs: 1_500, startedAt: expect.any(Number) });
    expect(eventsIn(trials[1])).toEqual([{ type: 'notice', message: 'at line 3' }]);
    expect(eventsIn(trials[4])).toEqual([
      { type: 'output', channel: 'stdout', text: '<b>hello</b>', truncatedBytes: 0 },
    ]);
  });

  it('that breaks off gives the cases before, and says so', async () => {
    const read = await readImport(xml.slice(0, xml.indexOf('at line 3')), { name: 'junit.xml' });
    expect(read.trials).toHaveLength(1);
    expect(reported(read)).toEqual(['6: the file ends within this test case, which was left out']);
  });
});

describe('results of llm-tool-test', () => {
  const events = [
    { ts: 1_700_000_000, event: 'spawn', command: 'agent', args: [] },
    { ts: 1_700_000_001, event: 'tool_call', tool: 'bash', command: 'tool list' },
    { ts: 1_700_000_002.5, event: 'tool_result', output: 'none', exit_code: 1 },
    { ts: 1_700_000_003, event: 'complete', exit_code: 0, duration_secs: 3 },
  ];
  const text = events.map((event) => `${JSON.stringify(event)}\n`).join('');

  it('are read from events', async () => {
    const { format, trials, problems } = await readImport(text, { name: 'events.jsonl' });
    expect({ format, problems }).toEqual({ format: 'events', problems: [] });
    expect(trials[0]).toMatchObject({ startedAt: 1_700_000_000_000, durationMs: 3_000, verdict: undefined });
    expect(eventsIn(trials[0])).toContainEqual(
      expect.objectContaining({ type: 'tool-call', shellCommand: 'tool list' }),
    );
    expect(eventsIn(trials[0])).toContainEqual(expect.objectContaining({ type: 'tool-result', exitCode: 1 }));
  });

  it('have names and outcomes in the files beside', async () => {
    const beside = {
      'run.json': JSON.stringify({ scenario_id: 'add-task', tool: 'opencode', model: 'gpt-4o', duration_secs: 9 }),
      'metrics.json': JSON.stringify({ gates_passed: 1, gates_total: 2 }),
    };
    const { trials } = await readImport(text, { name: 'artifacts/events.jsonl', beside });
    expect(trials[0]).toMatchObject({
      scenario: 'add-task',
      variant: { agent: 'opencode', model: 'gpt-4o' },
      durationMs: 9_000,
      verdict: { state: 'fail', reason: '1 of 2 gates passed' },
    });
  });

  it('are read from the list of results, in which a dry run is not a verdict', async () => {
    const results = [
      { scenario_id: 'a', tool: 't', model: 'm', outcome: 'Pass', duration_secs: 2, timestamp: '2026-01-01T00:00:00Z' },
      { scenario_id: 'a', tool: 't', model: 'm', outcome: 'Fail: 1/2 gates passed', metrics: { gates_passed: 1 } },
      { scenario_id: 'b', tool: 't', model: 'm', outcome: 'Dry run' },
      { scenario_id: 'c' },
    ];
    const read = await readImport(results.map((result) => JSON.stringify(result)).join('\n'));
    expect(read.format).toBe('llm-tool-test-results');
    expect(read.trials.map(({ verdict }) => verdict?.state)).toEqual(['pass', 'fail', 'skipped']);
    expect(reported(read)).toEqual(['4: not a result: `scenario_id` or `outcome` is missing']);
  });
});

describe('documents of Assay', () => {
  const trial = {
    trialId: 't-1',
    scenario: 's',
    file: 's.yaml',
    caseId: 'case-1',
    variant: { model: 'm' },
    repeat: 2,
    outcome: 'fail',
    reason: 'wrong',
    durationMs: 12,
    costUsd: 0.5,
    usage: { inputTokens: 1, outputTokens: 2 },
    startedAt: '2026-01-01T00:00:00.000Z',
    evaluatorResults: [{ type: 'criteria', kind: 'assertion', state: 'fail', success: false, reason: 'wrong' }],
    metrics: { latency: 3 },
    criteria: null,
    judge: null,
    interaction: null,
    gates: [{ gate_type: 'file_exists', passed: false, message: 'no file' }],
    gates_passed: 0,
    gates_total: 1,
    workflow: null,
    toolHealth: null,
  };
  const place = { runId: 'r', ordinal: 0, usualStart: 1, scenario: 's', file: 's.yaml', caseId: 'case-1', repeat: 2 };

  it('give back the records of the run', async () => {
    const document = {
      schema: 'assay.run/1',
      runId: 'r-1',
      trials: [trial, { ...trial, trialId: 't-2', outcome: 'pass' }],
    };
    for (const text of [JSON.stringify(document), JSON.stringify(document, null, 2)]) {
      const { format, trials, problems } = await readImport(text, { name: 'run.json' });
      expect({ format, problems }).toEqual({ format: 'assay-run', problems: [] });
      expect(trials.map(({ verdict }) => verdict?.state)).toEqual(['fail', 'pass']);
      const [first] = trials;
      if (!first) throw new Error('no trial');
      expect(finishedTrial(first, { ...place, variant: first.variant }).record).toMatchObject({
        outcome: 'fail',
        reason: 'wrong',
        evaluatorResults: trial.evaluatorResults,
        metrics: trial.metrics,
        gates: trial.gates,
        usage: trial.usage,
        costUsd: 0.5,
        startedAt: Date.parse(trial.startedAt),
      });
    }
  });

  it('of one trial bring its trace along', async () => {
    const trace = [{ type: 'message', at: 1, seenBy: 'agent', role: 'assistant', text: 'hello' }, { type: 'nonsense' }];
    const read = await readImport(JSON.stringify({ ...trial, trace }, null, 2), { name: 'trial.json' });
    expect(read.format).toBe('assay-run');
    expect(eventsIn(read.trials[0])).toEqual([
      { type: 'message', role: 'assistant', text: 'hello' },
      expect.objectContaining({ type: 'gap', reason: 'event 2 of the trace is not valid', place: 'trial.json:2' }),
    ]);
    expect(reported(read)).toEqual(['2: event 2 of the trace is not valid']);
  });

  it('with a trial that is wrong give the others and say what is wrong', async () => {
    const document = { schema: 'assay.run/1', trials: [{ ...trial, outcome: 'splendid' }, trial, { trialId: 't-3' }] };
    const read = await readImport(JSON.stringify(document, null, 2), { name: 'run.json' });
    expect(read.trials).toHaveLength(1);
    expect(reported(read)).toEqual([
      expect.stringMatching(/^\d+: `outcome` of trial t-1/),
      expect.stringMatching(/^\d+: not a trial/),
    ]);
  });
});
