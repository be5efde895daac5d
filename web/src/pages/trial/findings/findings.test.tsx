import { within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { EvaluatorResult } from '../../../../../src/domain/outcome.ts';
import { type TrialRecord, trialRecordSchema } from '../../../../../src/domain/record.ts';
import type { TrialDetail } from '../../../../../src/entry/server/api/trials.ts';
import { renderInApp } from '../../../testing/render-in-app.tsx';
import { decidingFindings } from '../what-happened/deciding.ts';
import { WhatHappened } from '../what-happened/what-happened.tsx';
import { Findings } from './findings.tsx';
import { ObservedSection } from './observed-section.tsx';

const diff = '--- a/golden.txt\n+++ b/golden.txt\n@@ -1 +1 @@\n-Berlin\n+Bonn\n';

function assertion(type: string, state: 'pass' | 'fail', more: Partial<EvaluatorResult> = {}): EvaluatorResult {
  return { type, kind: 'assertion', state, success: state === 'pass', reason: `${type} ${state}`, ...more };
}

const blank: TrialRecord = trialRecordSchema.parse({
  runId: 'run',
  trialId: 'trial',
  ordinal: 0,
  scenario: 'Capitals',
  file: 'capitals.yaml',
  caseId: 'input',
  variant: {},
  repeat: 1,
  outcome: 'fail',
  reason: 'because',
  startedAt: 0,
  durationMs: 5,
  costUsd: 0,
  usage: null,
  evaluatorResults: [],
  metrics: {},
  criteria: null,
  judge: null,
  fault: null,
});

async function renderFindings(record: Partial<TrialRecord>) {
  const whole = { ...blank, outcome: 'pass' as const, ...record };
  const screen = await renderInApp(() => (
    <Findings record={whole} above={decidingFindings(whole)} onQuote={() => undefined} />
  ));
  await screen.findAllByRole('table');
  return screen;
}

describe('the findings of a trial', () => {
  it('show the differences from a golden file as lines, and the other figures apart', async () => {
    const golden = assertion('golden', 'fail', { metadata: { diff, lines: 1 } });
    const { getByText, queryByText } = await renderFindings({ evaluatorResults: [golden] });
    expect(getByText('-Berlin').className).toContain('fail');
    expect(getByText('+Bonn').className).toContain('pass');
    expect(queryByText(/a\/golden\.txt/)).toBeNull();
    expect(getByText('Figures')).toBeTruthy();
  });

  it('show parts of an expression last, named, and not as problems', async () => {
    const results = [
      assertion('contains', 'fail', { id: 'greets', isPart: true }),
      assertion('expression', 'pass'),
      assertion('regex', 'fail'),
    ];
    const { getByRole } = await renderFindings({ evaluatorResults: results });
    const [, ...rows] = within(getByRole('table', { name: 'Assertions' })).getAllByRole('row');
    expect(rows.map((row) => row.textContent)).toEqual([
      'Expressionpassexpression pass',
      'Regexfailregex fail',
      'Containsgreetspart of the expressionfailcontains fail',
    ]);
    expect(rows.map((row) => row.className.includes('bg-fail'))).toEqual([false, true, false]);
  });

  it('show memory, CPU and latencies of a server, and what is not known as such', async () => {
    const result = { kind: 'metric', state: 'measured', success: true, reason: 'Memory up to 52 MB' } as const;
    const { getByRole, getByText } = await renderFindings({
      evaluatorResults: [{ ...result, type: 'server-performance', value: 52 }],
      metrics: {
        'server-performance': 52,
        'server.cpuMs': 310,
        'server.cpuPercent': null,
        'server.growthKBPerCall': 1.5,
        'server.growthKBPerCall.low': 0.5,
        'server.growthKBPerCall.high': 2.5,
        'latency.add.p50': 12,
        'latency.add.p95': null,
      },
    });
    expect(getByText('CPU time').parentElement?.textContent).toBe('CPU time310 ms');
    expect(getByText('CPU').parentElement?.textContent).toBe('CPU–');
    expect(getByText('Memory growth per call').parentElement?.textContent).toContain('1.5 kB (0.5 to 2.5)');
    const [, add] = within(getByRole('table', { name: 'Latency of each tool' })).getAllByRole('row');
    expect(add?.textContent).toBe('add12 ms––');
    expect(within(getByRole('table', { name: 'Metrics' })).getAllByRole('row')).toHaveLength(2);
  });
});

describe('what happened in a trial', () => {
  const gates = [
    { gate_type: 'command_succeeds', passed: true, message: 'fine' },
    {
      gate_type: 'command_json_path',
      passed: false,
      message: '$.nuts: path not found',
      detail: { command: 'inv list --json', exit_code: 0, stdout: '{"bolts": 4}', stderr: '' },
    },
  ];
  const failed = assertion('command_json_path', 'fail', { reason: '$.nuts: path not found' });
  const record: TrialRecord = {
    ...blank,
    reason: '$.nuts: path not found',
    gates,
    evaluatorResults: [assertion('command_succeeds', 'pass', { reason: 'fine' }), failed],
    excerpt: { expected: '{"nuts":4}', expectedBehavior: 'Counts the nuts' },
  };

  async function renderPage(whole: TrialRecord) {
    const trial: TrialDetail = {
      record: whole,
      attempts: [],
      run: { runId: 'run', name: null, startedAt: 0, planned: 1, importedFrom: null, editOf: null, whyNotAgain: null },
      previousTrialId: null,
      nextTrialId: null,
      isFileThere: true,
      eventCount: 9,
      traceNote: null,
      input: { text: 'How many nuts?', isCut: false, event: 1 },
      answer: { text: '{"nuts":5}', isCut: false, event: 6 },
      gaps: [],
      artifacts: [],
    };
    const deciding = decidingFindings(whole);
    return renderInApp(() => (
      <>
        <WhatHappened trial={trial} deciding={deciding} onQuote={() => undefined} />
        <Findings record={whole} above={deciding} onQuote={() => undefined} />
      </>
    ));
  }

  it('shows input, expected against actual with their differences, and the events that they are from', async () => {
    const { findByText, getByText, getByRole } = await renderPage(record);
    expect(await findByText('- "nuts": 4')).toBeTruthy();
    expect(getByText('+ "nuts": 5')).toBeTruthy();
    expect(getByText('How many nuts?')).toBeTruthy();
    expect(getByText('Counts the nuts')).toBeTruthy();
    expect(getByRole('link', { name: 'Actual: event e7 of the trace' }).getAttribute('href')).toContain('event=e7');
  });

  it('shows the command of a gate and its output, and each reason once', async () => {
    const { findByText, getAllByText, queryByRole } = await renderPage(record);
    expect((await findByText(/\$ inv list --json/)).textContent).toContain('{"bolts": 4}');
    expect(getAllByText(/path not found/)).toHaveLength(1);
    expect(queryByRole('table', { name: 'Assertions' })).toBeNull();
    expect(getAllByText('fine')).toHaveLength(1);
  });

  it('shows a thrown error that the reason does not have', async () => {
    const thrown = { name: 'TypeError', message: 'db is undefined' };
    const { findByText } = await renderPage({ ...record, toolError: thrown });
    expect(await findByText('TypeError: db is undefined')).toBeTruthy();
  });

  it('shows nothing as expected that the case does not name', async () => {
    const { excerpt: _, ...bare } = record;
    const { findAllByText, queryByText } = await renderPage({ ...bare, outcome: 'pass', reason: 'ok' });
    expect((await findAllByText('Answer')).length).toBeGreaterThan(0);
    expect(queryByText('Expected')).toBeNull();
  });
});

describe('what was observed of a trial', () => {
  const reason = 'the reply has a block of an unknown kind (content[2])';
  const lost = { state: 'partial' as const, reasons: [reason] };
  const coverage = {
    'tool-calls': lost,
    'tool-results': lost,
    files: { state: 'none' as const, reasons: ['there was no work directory'] },
  };

  it('is shown for all channels, with each loss once and a way to its event', async () => {
    const followed: string[] = [];
    const trial = { record: { ...blank, coverage }, gaps: [{ text: reason, event: 6 }] };
    const screen = await renderInApp(() => (
      <ObservedSection trial={trial} onEvent={(name) => void followed.push(name)} />
    ));
    const channels = within(await screen.findByRole('list', { name: 'Channels' })).getAllByRole('listitem');
    expect(channels).toHaveLength(9);
    expect(channels.map(({ textContent }) => textContent)).toContain('tool calls: partly observed');
    expect(screen.getByText('tool calls, tool results')).toBeTruthy();
    expect(screen.getByText(/files \(there was no work directory\)/)).toBeTruthy();
    screen.getByRole('button', { name: 'e7' }).click();
    expect(followed).toEqual(['e7']);
  });

  it('is left out for a tool that was called directly', async () => {
    const screen = await renderInApp(() => (
      <>
        <p>Page</p>
        <ObservedSection trial={{ record: blank, gaps: [] }} onEvent={() => undefined} />
      </>
    ));
    await screen.findByText('Page');
    expect(screen.queryByText('What was observed')).toBeNull();
  });
});
