import { compositeScore } from '../domain/composite.ts';
import { workflowScore } from '../domain/mcp.ts';
import { decideOutcome } from '../domain/outcome.ts';
import type { TrialRecord } from '../domain/record.ts';
import { sumOf } from '../domain/spend.ts';
import { directCallError, eventsOf, type ToolError, type Trace, toolErrorText } from '../domain/trace.ts';
import { costOfTrace } from '../domain/trace-cost.ts';
import type { Trial } from '../domain/trial.ts';
import type { FinishedTrial } from '../store/store.ts';
import type { Execution } from './execute.ts';
import type { Evaluation } from './findings.ts';

/** Everything that is known of a finished trial, as the store keeps it. */
export function recordOf(trial: Trial, execution: Execution, findings: Evaluation): FinishedTrial {
  const thrown = directCallError(execution.trace);
  return {
    trace: execution.trace,
    record: {
      trialId: trial.trialId,
      runId: trial.runId,
      ordinal: trial.ordinal,
      scenario: trial.scenario.name,
      file: trial.scenario.file,
      caseId: trial.case.caseId,
      variant: trial.variant,
      repeat: trial.repeat,
      ...withThrown(decideOutcome(findings.evaluatorResults, execution.fault), thrown),
      startedAt: execution.startedAt,
      durationMs: execution.durationMs,
      ...spent(execution, findings),
      ...findings,
      workflowScore: workflowScore(findings.workflow),
      toolPins: toolPinsIn(execution.trace),
      compositeScore: compositeScore(findings, trial.scenario.composite),
      artifacts: artifactsOf(execution),
      toolError: thrown ? keptError(thrown) : null,
      cachedFrom: execution.cachedFrom ?? null,
    },
  };
}

/** A trial that failed because the tool threw is reported by what it threw: criteria only see that there is no result. */
function withThrown<Decision extends Pick<TrialRecord, 'outcome' | 'reason'>>(
  decision: Decision,
  thrown: ToolError | undefined,
): Decision {
  if (decision.outcome !== 'fail' || !thrown) return decision;
  return { ...decision, reason: `The tool failed with ${toolErrorText(thrown)} (${decision.reason})` };
}

function keptError({ name, message }: ToolError): NonNullable<TrialRecord['toolError']> {
  return { ...(typeof name === 'string' && { name }), message };
}

function artifactsOf({ trace, artifacts }: Execution): string | null {
  return artifacts === undefined ? (trace.find((event) => event.type === 'workspace')?.folder ?? null) : artifacts;
}

function toolPinsIn(trace: Trace): TrialRecord['toolPins'] {
  const server = trace.find((event) => event.type === 'mcp-server');
  return server ? Object.fromEntries(server.tools.map(({ name, sha256 }) => [name, sha256])) : null;
}

/** What the agent and the judge took together. What was taken over from an earlier trial has cost nothing. */
function spent({ trace, cachedFrom }: Execution, { judge }: Evaluation): Pick<TrialRecord, 'costUsd' | 'usage'> {
  const isTakenOver = cachedFrom !== undefined;
  const requests = isTakenOver ? [] : eventsOf(trace, 'usage');
  const costUsd = sumOf([isTakenOver ? 0 : costOfTrace(trace), judge ? judge.costUsd : 0]);
  if (requests.length === 0) return { costUsd, usage: judge?.usage ?? null };
  const sum = (pick: (request: (typeof requests)[number]) => number): number =>
    requests.reduce((total, request) => total + pick(request), 0);
  return {
    costUsd,
    usage: {
      inputTokens: sum(({ inputTokens }) => inputTokens) + (judge?.usage?.inputTokens ?? 0),
      outputTokens: sum(({ outputTokens }) => outputTokens) + (judge?.usage?.outputTokens ?? 0),
    },
  };
}
