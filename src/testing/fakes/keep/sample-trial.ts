import type { Interaction } from '../../../domain/interaction.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import type { TraceEvent } from '../../../domain/trace.ts';
import type { Trial } from '../../../domain/trial.ts';
import { blankRecord } from '../../samples.ts';

/** A trial of a CLI tool as the engine would have planned it. */
export function sampleTrial(overrides: Partial<Trial> = {}): Trial {
  return {
    trialId: 't-abc-1',
    runId: 'r-20261115-093012-4f7a1c',
    ordinal: 0,
    repeat: 1,
    variant: { agent: 'codex', model: 'openai/gpt-5', guidance: 'v2' },
    case: { caseId: 'input', input: null, expected: null, evaluators: [] },
    scenario: {
      name: 'create-note',
      description: 'Creates a note',
      file: 'create-note.yaml',
      directory: '/project',
      tags: [],
      tier: 0,
      repeat: 1,
      timeoutMs: 60_000,
      target: { type: 'cli-tool', config: { binary: 'notes', prompt: 'Create a note\nabout cats' } },
      judge: { models: [], samples: undefined },
      variants: [{ agent: 'codex' }],
      composite: undefined,
      caseCount: 1,
      contentHash: '0123456789abcdef0123',
      async *cases() {},
    },
    ...overrides,
  };
}

/** How the agent got on with the tool in it. */
export const sampleInteraction: Interaction = {
  source: 'recorder',
  total_commands: 4,
  unique_commands: 3,
  error_count: 1,
  error_rate: 0.25,
  retry_count: 1,
  retry_rate: 0.25,
  retries_after_failure: 1,
  help_invocations: 1,
  first_try_success_rate: 0.5,
  iteration_ratio: 0.75,
  completed: false,
  subcommands: {},
  unrecorded: [],
  disagreements: [],
};

/** The record of the trial: two of three gates passed. */
export function sampleRecord(overrides: Partial<TrialRecord> = {}): TrialRecord {
  return {
    ...blankRecord,
    trialId: 't-abc-1',
    runId: 'r-20261115-093012-4f7a1c',
    ordinal: 0,
    scenario: 'create-note',
    file: 'create-note.yaml',
    caseId: 'input',
    variant: { agent: 'codex', model: 'openai/gpt-5', guidance: 'v2' },
    repeat: 1,
    outcome: 'fail',
    reason: 'notes.db is not there',
    startedAt: Date.UTC(2026, 10, 15, 9, 30, 12, 250),
    durationMs: 12_345,
    costUsd: 0.0123,
    metrics: { duration: 12_345 },
    interaction: sampleInteraction,
    gates: [
      { gate_type: 'command_succeeds', passed: true, message: 'exit code 0' },
      { gate_type: 'file_exists', passed: false, message: 'notes.db is not there' },
      { gate_type: 'script', passed: true, message: 'ok', detail: { rows: 3 } },
    ],
    ...overrides,
  };
}

const agent = 'agent' as const;

/** Its trace. */
export const sampleTrace: readonly TraceEvent[] = [
  { type: 'workspace', at: 0, seenBy: 'engine', folder: 'x' },
  {
    ...{ type: 'script', at: 10, seenBy: 'engine', phase: 'setup', command: 'notes init', durationMs: 20 },
    ...{ exitCode: 0, signal: null, timedOut: false, stdout: { text: 'ready\n', truncatedBytes: 0 }, stderr: null },
  },
  {
    ...{ type: 'agent-started', at: 100, seenBy: 'engine', agent: 'codex', version: '0.166.0', model: 'openai/gpt-5' },
    ...{ isolation: 'bubblewrap', isScripted: false },
  },
  { type: 'message', at: 110, seenBy: agent, role: 'user', text: 'Create a note\nabout cats' },
  { type: 'message', at: 2_300, seenBy: agent, role: 'assistant', text: 'I will look at the help first.' },
  { type: 'tool-call', at: 2_400, seenBy: agent, callId: 'a', tool: 'Bash', input: {}, shellCommand: 'notes --help' },
  { type: 'tool-result', at: 2_700, seenBy: agent, callId: 'a', durationMs: 300, result: 'Usage: notes', exitCode: 0 },
  { type: 'tool-call', at: 3_000, seenBy: agent, callId: 'b', tool: 'Bash', input: {}, shellCommand: 'notes add cats' },
  {
    ...{ type: 'command', at: 3_010, seenBy: 'recorder', argv: ['notes', 'add', 'two cats'], cwd: '.', durationMs: 40 },
    ...{ exitCode: 2, signal: null, stdout: null, stderr: { text: 'no store\n', truncatedBytes: 0 }, isNested: false },
  },
  { type: 'tool-result', at: 3_100, seenBy: agent, callId: 'b', durationMs: 100, result: 'no store', exitCode: 2 },
  { type: 'tool-call', at: 3_200, seenBy: agent, callId: 'c', tool: 'Read', input: { path: 'README.md' } },
  { type: 'usage', at: 4_000, seenBy: agent, inputTokens: 1_200, outputTokens: 30, costUsd: 0.0123 },
  { type: 'usage', at: 4_100, seenBy: agent, inputTokens: 300, outputTokens: 12 },
  {
    ...{ type: 'agent-ended', at: 12_100, seenBy: 'engine', exitCode: null, signal: 'SIGKILL', timedOut: true },
    ...{ completed: false, reason: 'time was up', turns: 3 },
  },
  {
    type: 'file-change',
    at: 12_200,
    seenBy: 'engine',
    path: 'a.md',
    change: 'created',
    bytes: 1_234,
    diff: '+++ b\n+x\n-y',
  },
  { type: 'file-change', at: 12_200, seenBy: 'engine', path: 'b.png', change: 'deleted', bytes: null, diff: null },
];
