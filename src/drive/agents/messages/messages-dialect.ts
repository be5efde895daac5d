import type { JsonObject } from '../json-shapes.ts';

/** What one request or all of them have used. */
export interface TokenCounts {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

/** What the stream tells of the result of a shell command. */
export interface ShellResult {
  readonly text: string;
  readonly isError: boolean;
  /** What the agent tells beside the content. */
  readonly details: JsonObject;
}

/** Where the agents differ that print their work as messages in the manner of Anthropic's API. */
export interface MessagesDialect {
  readonly shellTool: string;
  /** Null when the stream does not tell. */
  exitCodeOf(result: ShellResult): number | null;
  /** The counts of a `usage` object; input includes what was read from a cache. */
  countsOf(usage: JsonObject): TokenCounts;
  /** Whether an assistant message is in truth the agent's own report that its provider has failed. */
  isProviderError(line: JsonObject, text: string): boolean;
}
