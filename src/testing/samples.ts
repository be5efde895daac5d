import { AssayError } from '../domain/errors.ts';
import { faultOf, type Outcome } from '../domain/outcome.ts';
import type { TrialRecord } from '../domain/record.ts';
import type { RunHeader } from '../domain/run.ts';
import type { TraceEvent } from '../domain/trace.ts';
import type { FinishedTrial } from '../keep/store/store.ts';
import { contentKey } from '../shared/ids.ts';

/** A run as the engine would create it. */
export function runHeader(runId: string, overrides: Partial<RunHeader> = {}): RunHeader {
  return {
    runId,
    startedAt: 1_700_000_000_000,
    finishedAt: null,
    status: 'running',
    planned: 10,
    assayVersion: '0.0.0',
    request: {
      paths: ['.'],
      origin: null,
    },
    scenarios: [
      {
        name: 'sample',
        file: 'sample.yaml',
        contentHash: 'abc',
        caseCount: 10,
        repeat: 1,
        isAgentDriven: false,
        isConversation: false,
        serverPart: null,
      },
    ],
    ...overrides,
  };
}

/** A record in which nothing was observed and nothing evaluated. */
export const blankRecord = {
  usage: null,
  evaluatorResults: [],
  metrics: {},
  criteria: null,
  judge: null,
  interaction: null,
  gates: [],
  scripts: [],
  turns: [],
  toolHealth: [],
  workflow: [],
  workflowScore: null,
  toolPins: null,
  compositeScore: null,
  artifacts: null,
  toolError: null,
  cachedFrom: null,
  fault: null,
} satisfies Partial<TrialRecord>;

interface SampleOptions {
  readonly outcome?: Outcome;
  readonly scenario?: string;
  readonly startedAt?: number;
  readonly withFault?: boolean;
  readonly output?: string;
}

/** A finished trial; the same run and ordinal always give the same trial id. */
export function finishedTrial(runId: string, ordinal: number, options: SampleOptions = {}): FinishedTrial {
  const { outcome = 'pass', scenario = 'sample', startedAt = 1_700_000_000_000 + ordinal } = options;
  const fault = options.withFault ? faultOf(new AssayError('CRITERION_UNUSABLE', 'it does not parse')) : null;
  const trace: TraceEvent[] = [
    { type: 'tool-call', at: 0.1, seenBy: 'engine', callId: 'c', tool: 'tool', input: { ordinal } },
    {
      type: 'output',
      at: 0.2,
      seenBy: 'engine',
      channel: 'stderr',
      text: options.output ?? 'line\n“quoted”',
      truncatedBytes: 0,
    },
    { type: 'tool-result', at: 0.3, seenBy: 'engine', callId: 'c', durationMs: 0.2, result: { ok: true, none: null } },
  ];
  return {
    trace,
    record: {
      ...blankRecord,
      trialId: `t-${contentKey([runId])}-${ordinal}-1`,
      runId,
      ordinal,
      scenario,
      file: `${scenario}.yaml`,
      caseId: `case-${ordinal}`,
      variant: { agent: 'codex' },
      repeat: 1,
      outcome,
      reason: 'because',
      startedAt,
      durationMs: 1.25,
      costUsd: 0.25,
      usage: { inputTokens: 10, outputTokens: 5 },
      evaluatorResults: [{ type: 'criteria', kind: 'assertion', state: 'pass', success: true, reason: 'because' }],
      metrics: { duration: 1.25 },
      fault,
    },
  };
}
