import { expect } from 'vitest';
import {
  callsInOrder,
  callsTool,
  callsTools,
  containsKeywords,
  explained,
  type Finding,
  isSuccessfulWorkflow,
  isWithin,
  matchesPattern,
} from './matcher-rules.ts';

declare module 'vitest' {
  interface Matchers<T> extends MCPMatchers {}
}

/** What can be expected of the output of a tool or a workflow, or of a promise of one; all of them must be awaited. */
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
    return { pass: finding.isMet, message: () => explained(finding, this.isNot) };
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
