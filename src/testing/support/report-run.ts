import type { Outcome } from '../../domain/outcome.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { type RunHeader, summarizeRun } from '../../domain/run.ts';
import type { TraceEvent } from '../../domain/trace.ts';
import { openStore } from '../../keep/store/open-store.ts';
import type { FinishedTrial } from '../../keep/store/store.ts';
import type { StoredRun } from '../../report/reporters/reporter.ts';
import { finishedTrial, runHeader } from '../samples.ts';

/** A run of the given trials in its own store; the caller disposes of the store. */
export async function storedRun(
  trials: readonly FinishedTrial[],
  overrides: Partial<RunHeader> = {},
): Promise<StoredRun & AsyncDisposable> {
  const store = await openStore('sqlite::memory:', '/');
  const finishedAt = 1_700_000_060_000;
  const header = runHeader('r-report', { planned: trials.length, status: 'finished', finishedAt, ...overrides });
  await store.createRun(header);
  await store.saveTrials(trials);
  const summary = summarizeRun(header, await store.countTrials(header.runId), finishedAt);
  return { store, summary, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

interface TrialOptions {
  readonly outcome?: Outcome;
  /** Stands in every place where a model, a tool or a file can put text. */
  readonly text?: string;
  readonly record?: Partial<TrialRecord>;
  readonly trace?: readonly TraceEvent[];
}

/** A trial that has something of everything that a report can show. */
export function fullTrial(ordinal: number, options: TrialOptions = {}): FinishedTrial {
  const { outcome = 'fail', text = 'the booking was refused' } = options;
  const { record } = finishedTrial('r-report', ordinal, { outcome, scenario: `scenario ${text}` });
  const findings: Partial<TrialRecord> = {
    reason: text,
    caseId: `case ${text}`,
    variant: { agent: `agent ${text}`, model: 'openai/gpt-4o-mini', guidance: ordinal % 2 === 0 ? 'v1' : 'v2' },
    durationMs: 900 + ordinal * 37,
    costUsd: 0.0123,
    evaluatorResults: [
      { type: text, kind: 'assertion', state: 'fail', success: false, reason: text, metadata: { [text]: text } },
      { type: 'duration', kind: 'metric', state: 'measured', success: true, value: 12.5, reason: text },
    ],
    metrics: { [text]: 3.25 },
    criteria: criteriaSaying(text),
    judge: judgeSaying(text),
    gates: [{ gate_type: text, passed: false, message: text, detail: { text } }],
    scripts: [{ name: text, score: 0.5, summary: text, metrics: { text } }],
    turns: [{ turn: 1, results: [{ type: text, kind: 'assertion', state: 'pass', success: true, reason: text }] }],
    toolHealth: [healthSaying(text)],
    workflow: [{ metric: text, passed: false, score: 0.4, details: text }],
    workflowScore: 0.4,
    fault: { code: 'TARGET_CRASHED', blame: 'target', message: text, hint: text },
  };
  return {
    record: { ...record, ...findings, ...options.record },
    trace: [...(options.trace ?? fullTrace(text))],
  };
}

function criteriaSaying(text: string): TrialRecord['criteria'] {
  return {
    testName: text,
    verdict: 'FAIL',
    passCriteriaEvaluation: {
      total: 2,
      passed: 1,
      failed: 1,
      details: [
        { criterion: `result.text === '${text}'`, result: false, explanation: text },
        { criterion: 'result.ok === true', result: true, explanation: 'result.ok is true' },
      ],
    },
    failCriteriaEvaluation: {
      total: 1,
      triggered: 1,
      avoided: 0,
      details: [{ criterion: text, triggered: true, explanation: text }],
    },
    summary: { verdict: 'FAIL', reason: text, confidence: 'HIGH', recommendation: text },
  };
}

function judgeSaying(text: string): TrialRecord['judge'] {
  const usage = { inputTokens: 100, outputTokens: 20 };
  const criterion = { id: 'c1', kind: 'success' as const, text, answer: 'not-met' as const, reason: text };
  const evidence = [
    { event: 'e6', quote: text, isVerified: true },
    { event: text, quote: text, isVerified: false },
  ];
  const answer = {
    state: 'fail' as const,
    mode: 'criteria' as const,
    model: 'openai/gpt-4o-mini',
    promptVersion: 'criteria.v1',
    reason: text,
    score: 0.25,
    threshold: 0.7,
    criteria: [{ ...criterion, evidence }],
    warnings: [text],
    usage,
    costUsd: 0.0004,
  };
  return { ...answer, panel: [{ ...answer, model: text, raw: text }] };
}

function healthSaying(text: string): TrialRecord['toolHealth'][number] {
  return {
    testName: text,
    toolName: text,
    kind: 'tool',
    state: 'fail',
    passed: false,
    score: 0,
    latency: 12.5,
    totalLatency: 40,
    details: text,
    error: `${text} (error)`,
    retryCount: 2,
  };
}

/** Events of every kind that a person reads; the sixth is a command that failed. */
export function fullTrace(text: string): TraceEvent[] {
  const common = { seenBy: 'agent' as const };
  const printed = { text: `${text}\n`, truncatedBytes: 0 };
  return [
    {
      type: 'agent-started',
      at: 1,
      ...common,
      agent: text,
      version: '1.2',
      model: text,
      isolation: 'process',
      isScripted: false,
    },
    { type: 'message', at: 5, ...common, role: 'user', text: `Please book a table. ${text}` },
    { type: 'reasoning', at: 40, ...common, text },
    { type: 'tool-call', at: 60, ...common, callId: 'c1', tool: text, input: { [text]: text }, shellCommand: text },
    { type: 'tool-result', at: 320, ...common, callId: 'c1', durationMs: 260, result: { text }, exitCode: 0 },
    {
      type: 'command',
      at: 330,
      seenBy: 'recorder',
      argv: ['booking', text],
      cwd: '.',
      durationMs: 120,
      exitCode: 3,
      signal: null,
      stdout: printed,
      stderr: { text: `\u001B[31m${text}\u001B[0m`, truncatedBytes: 12 },
      isNested: false,
    },
    { type: 'output', at: 460, ...common, channel: 'stderr', text, truncatedBytes: 0 },
    { type: 'usage', at: 500, ...common, inputTokens: 1_200, outputTokens: 90, costUsd: 0.0123 },
    { type: 'notice', at: 510, seenBy: 'engine', message: text },
    { type: 'message', at: 700, ...common, role: 'assistant', text: `It is booked. ${text}` },
    {
      type: 'agent-ended',
      at: 720,
      ...common,
      exitCode: 0,
      signal: null,
      timedOut: false,
      completed: false,
      reason: text,
    },
    {
      type: 'file-change',
      at: 730,
      seenBy: 'engine',
      path: `src/${text}`,
      change: 'changed',
      bytes: 120,
      diff: `--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n-${text}\n+new ${text}\n`,
    },
    { type: 'other', at: 740, ...common, kind: text, data: { text } },
  ];
}
