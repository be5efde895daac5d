import { expect } from 'vitest';
import { isRecord } from '../../shared/json.ts';
import { shorten } from '../../shared/text.ts';
import {
  calledTools,
  outputError,
  outputLatencyMs,
  outputText,
  shownTools,
  tellsCalls,
  toolsReached,
} from './output.ts';

/** Whether something holds of an output, and what was seen of it. */
export interface Finding {
  readonly isMet: boolean;
  /** Whether it was tried or cannot be known, where that is more than what is met; enough to break `not`. */
  readonly isTried?: boolean;
  /** The expectation, after "expected the output". */
  readonly wanted: string;
  readonly seen: string;
}

/** One tool was called. */
export function callsTool(output: unknown, tool: string): Finding {
  const wanted = `to call the tool "${tool}"`;
  const isTried = !tellsCalls(output) || calledTools(output).includes(tool);
  return { isMet: toolsReached(output).includes(tool), isTried, wanted, seen: shownCalls(output) };
}

/** All of the tools were called, in whatever order. */
export function callsTools(output: unknown, tools: readonly string[]): Finding {
  const reached = toolsReached(output);
  const missing = tools.filter((tool) => !reached.includes(tool));
  const lacking = missing.length > 0 && missing.length < tools.length ? `; missing: ${listed(missing)}` : '';
  return {
    isMet: missing.length === 0,
    isTried: missing.length === 0 || !tellsCalls(output),
    wanted: `to call the tools ${listed(tools)}`,
    seen: `${shownCalls(output)}${lacking}`,
  };
}

/** The tools were called one after the other; other calls may come between. */
function callsInOrder(output: unknown, tools: readonly string[]): Finding {
  let found = 0;
  for (const tool of toolsReached(output)) if (tool === tools[found]) found += 1;
  return {
    isMet: found === tools.length,
    isTried: found === tools.length || !tellsCalls(output),
    wanted: `to call the tools ${listed(tools)} in this order`,
    seen: shownCalls(output),
  };
}

/** A workflow reports success and its messages. */
export function isSuccessfulWorkflow(output: unknown): Finding {
  const { success, messages } = isRecord(output) ? output : {};
  const count = Array.isArray(messages) ? messages.length : 0;
  const why = outputError(output);
  return {
    isMet: success === true && count > 0,
    wanted: 'to be a workflow that succeeded, with `success: true` and messages',
    seen: `success is ${String(success)}, messages: ${count}${why === undefined ? '' : `; ${shorten(why, 300)}`}`,
  };
}

/** It took no longer than allowed; zero is a limit like any other. */
export function isWithin(output: unknown, maxMs: number): Finding {
  const latencyMs = outputLatencyMs(output);
  return {
    isMet: latencyMs !== undefined && latencyMs <= maxMs,
    isTried: latencyMs === undefined || latencyMs <= maxMs,
    wanted: `to have taken at most ${maxMs} ms`,
    seen:
      latencyMs === undefined
        ? 'it has no latency, executionTime, duration or responseTime'
        : `it took ${latencyMs.toFixed(1)} ms`,
  };
}

/** Every keyword is in the text, whatever the case. */
function containsKeywords(output: unknown, keywords: readonly string[]): Finding {
  const text = outputText(output);
  const missing = keywords.filter((keyword) => !text.toLowerCase().includes(keyword.toLowerCase()));
  return {
    isMet: missing.length === 0,
    wanted: `to contain ${listed(keywords)}`,
    seen: `${missing.length === 0 ? '' : `missing: ${listed(missing)}; `}it says ${excerpt(text)}`,
  };
}

/** The pattern is found in the text. */
function matchesPattern(output: unknown, pattern: RegExp): Finding {
  const text = outputText(output);
  // One with the flag `g` would go on where it stopped the last time.
  const isMet = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).test(text);
  return { isMet, wanted: `to match ${String(pattern)}`, seen: `it says ${excerpt(text)}` };
}

/** It is an error or contains one whose message contains a text, ignoring case. */
export function isFailure(output: unknown, message?: string): Finding {
  const error = outputError(output);
  const hasMessage = message === undefined || error?.toLowerCase().includes(message.toLowerCase());
  return {
    isMet: error !== undefined && hasMessage === true,
    wanted: message === undefined ? 'to be an error' : `to be an error that says "${message}"`,
    seen: error === undefined ? `it is none: ${excerpt(outputText(output))}` : `it says ${excerpt(error)}`,
  };
}

/** The message of a failed expectation. */
export function explained({ wanted, seen }: Finding, isNegated = false): string {
  return `expected the output ${isNegated ? 'not ' : ''}${wanted}; ${seen}`;
}

function shownCalls(output: unknown): string {
  const called = shownTools(output);
  if (called.length > 0) return `called: ${listed(called)}`;
  return tellsCalls(output) ? 'no tool was called' : 'it does not say which tools were called (`toolCalls`)';
}

function listed(names: readonly string[]): string {
  return `[${names.join(', ')}]`;
}

function excerpt(text: string): string {
  return JSON.stringify(shorten(text, 300));
}

declare module 'vitest' {
  interface Matchers<T> extends MCPMatchers {}
}

/** Matchers for the output of a tool or a workflow, or for a promise of one; all of them must be awaited. */
export interface MCPMatchers {
  toCallTool(tool: string): Promise<void>;
  toCallTools(tools: readonly string[]): Promise<void>;
  /** The tools are called one after the other; other calls may come between. */
  toHaveToolCallOrder(tools: readonly string[]): Promise<void>;
  toHaveSuccessfulWorkflow(): Promise<void>;
  /** At most so many milliseconds. */
  toHaveLatencyBelow(maxMs: number): Promise<void>;
  /** All of them, whatever the case. */
  toContainKeywords(keywords: readonly string[]): Promise<void>;
  toMatchPattern(pattern: RegExp): Promise<void>;
}

interface MatcherThis {
  readonly isNot?: boolean;
}

function matcher<Expected extends readonly unknown[]>(rule: (output: unknown, ...expected: Expected) => Finding) {
  return async function match(this: MatcherThis, output: unknown, ...expected: Expected) {
    const finding = rule(await output, ...expected);
    const { isMet, isTried = isMet } = finding;
    return { pass: this.isNot ? isTried : isMet, message: () => explained(finding, this.isNot) };
  };
}

/** Makes the matchers known to Vitest. */
export function registerMatchers(): void {
  expect.extend({
    toCallTool: matcher(callsTool),
    toCallTools: matcher(callsTools),
    toHaveToolCallOrder: matcher(callsInOrder),
    toHaveSuccessfulWorkflow: matcher(isSuccessfulWorkflow),
    toHaveLatencyBelow: matcher(isWithin),
    toContainKeywords: matcher(containsKeywords),
    toMatchPattern: matcher(matchesPattern),
  });
}
