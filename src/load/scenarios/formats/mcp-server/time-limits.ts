import type { Workflow } from '../../../../domain/mcp-suites.ts';
import { isRecord } from '../../../../shared/json.ts';
import { listedTests } from './listed-tests.ts';

/** No trial may take longer, whatever its tests say. */
const mostMs = 86_400_000;
/** A server that dies is started again a few times; each start may take as long as a call. */
const starts = 6;
const marginMs = 30_000;
/** What a model may take for one reply, and how many tools it hardly ever calls at once. */
const replyMs = 120_000;
const callsPerReply = 8;
const agentStepMs = 600_000;

/** What all tests of a suite may take at most: each limits itself, so that this only ends what got stuck. */
export function suiteLimitMs(suite: { readonly timeout?: unknown }, timeoutMs: number): number {
  const callMs = typeof suite.timeout === 'number' ? suite.timeout : timeoutMs;
  const testsMs = listedTests(suite).reduce<number>((sum, test) => sum + testMs(test, callMs), 0);
  return Math.min(starts * Math.max(callMs, timeoutMs) + testsMs + marginMs, mostMs);
}

/** What the steps of a workflow may take at most. */
export function workflowLimitMs({ steps, maxSteps }: Workflow, timeoutMs: number): number {
  const stepMs = maxSteps * (replyMs + callsPerReply * timeoutMs);
  return Math.min(starts * timeoutMs + steps.length * stepMs + marginMs, mostMs);
}

/** An agent decides itself how it goes about its steps. */
export function agentWorkflowLimitMs({ steps }: Workflow): number {
  return Math.min(steps.length * agentStepMs, mostMs);
}

function testMs(test: unknown, callMs: number): number {
  if (!isRecord(test)) return callMs;
  const own = typeof test.timeout === 'number' ? test.timeout : callMs;
  const retries = typeof test.retries === 'number' ? test.retries : 0;
  // Lists in a test, such as hostile inputs, are calls of their own.
  const listed = Object.values(test).reduce<number>((sum, part) => sum + (Array.isArray(part) ? part.length : 0), 0);
  return Math.max(own, callMs) * (1 + retries + listed);
}
