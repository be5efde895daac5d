import {
  callsTool,
  callsTools,
  explained,
  type Finding,
  isFailure,
  isSuccessfulWorkflow,
  isWithin,
} from './matchers.ts';
import { AssertionFailure } from './registration.ts';

/** Fails unless the tool was called. */
export async function expectToolCall(output: unknown, tool: string): Promise<void> {
  assertMet(callsTool(await output, tool));
}

/** Fails unless all of the tools were called, in whatever order. */
export async function expectToolCalls(output: unknown, tools: readonly string[]): Promise<void> {
  assertMet(callsTools(await output, tools));
}

/** Fails unless it is a workflow that succeeded. */
export async function expectWorkflowSuccess(output: unknown): Promise<void> {
  assertMet(isSuccessfulWorkflow(await output));
}

/** Fails unless it took no longer than so many milliseconds. */
export async function expectLatency(output: unknown, maxMs: number): Promise<void> {
  assertMet(isWithin(await output, maxMs));
}

/** Fails unless it is an error, contains one or rejects, with a message that contains the given text if there is one. */
export async function expectError(output: unknown, message?: string): Promise<void> {
  const became = await Promise.resolve(output).catch((error: unknown) => asError(error));
  assertMet(isFailure(became, message));
}

function assertMet(finding: Finding): void {
  if (!finding.isMet) throw new AssertionFailure(explained(finding));
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
