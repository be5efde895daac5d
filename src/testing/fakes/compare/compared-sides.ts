import type { Outcome } from '../../../domain/outcome.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import type { TraceEvent } from '../../../domain/trace.ts';
import type { SideRun } from '../../../report/compare/collected-side.ts';
import type { SideSource } from '../../../report/compare/side-collector.ts';
import { blankRecord } from '../../samples.ts';

const endings: Readonly<Record<string, Outcome>> = { '+': 'pass', '-': 'fail', '!': 'error', o: 'skipped' };

/** Test support: trials from endings such as `{ one: '++-', two: '!' }`; each sign is a repeat of the case. */
export function recordsOf(
  cases: Readonly<Record<string, string>>,
  changes: Partial<TrialRecord> | ((record: TrialRecord) => Partial<TrialRecord>) = {},
): TrialRecord[] {
  const records = Object.entries(cases).flatMap(([caseId, signs]) =>
    [...signs].map((sign, index) => record(caseId, index + 1, endings[sign] ?? 'pass')),
  );
  return records.map((each, ordinal) => {
    const placed = { ...each, ordinal };
    return { ...placed, ...(typeof changes === 'function' ? changes(placed) : changes) };
  });
}

function record(caseId: string, repeat: number, outcome: Outcome): TrialRecord {
  return {
    ...blankRecord,
    trialId: `t-${caseId}-${repeat}`,
    runId: 'r',
    ordinal: 0,
    scenario: 'sample',
    file: 'sample.yaml',
    caseId,
    variant: {},
    repeat,
    outcome,
    reason: `${outcome} of ${caseId}`,
    startedAt: 1_700_000_000_000,
    durationMs: 100,
    costUsd: 0.01,
  };
}

/** Test support: records as a side; the trace of each trial is the given one. */
export function sideSource(
  label: string,
  records: readonly TrialRecord[],
  { run = {}, trace }: { readonly run?: Partial<SideRun>; readonly trace?: readonly TraceEvent[] } = {},
): SideSource {
  return {
    label,
    run: {
      runId: label,
      startedAt: 1_700_000_000_000,
      status: 'finished',
      planned: records.length,
      assayVersion: '1.0.0',
      scenarios: [{ name: 'sample', contentHash: 'abc' }],
      origin: null,
      ...run,
    },
    trials: eachOf(records),
    readTrace: async () => trace,
  };
}

async function* eachOf(records: readonly TrialRecord[]): AsyncGenerator<TrialRecord, void> {
  yield* records;
}
