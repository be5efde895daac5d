import { within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { EvaluatorResult } from '../../../../../src/domain/outcome.ts';
import { type TrialRecord, trialRecordSchema } from '../../../../../src/domain/record.ts';
import { renderInApp } from '../../../testing/render-in-app.tsx';
import { Findings } from './findings.tsx';

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
  caseId: 'case-1',
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
  const whole = { ...blank, ...record };
  const screen = await renderInApp(() => <Findings record={whole} onQuote={() => undefined} />);
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
      'ExpressionPassexpression pass',
      'RegexFailregex fail',
      'Containsgreetspart of the expressionFailcontains fail',
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
