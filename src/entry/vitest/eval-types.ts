/** Era or version of the protocol that is spoken; by default what the server has. */
type ServerProtocol = 'auto' | 'legacy' | 'modern' | '2026-07-28';

/** How a server is reached, as a test writes it; a program is started in the current folder. */
export type ServerConfig =
  | {
      readonly transport?: 'stdio';
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
      readonly protocol?: ServerProtocol;
    }
  | {
      readonly transport?: 'shttp' | 'http' | 'streamable-http';
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly protocol?: ServerProtocol;
    }
  | {
      readonly transport: 'sse';
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly reconnect?: boolean;
      readonly reconnectInterval?: number;
      readonly maxReconnectAttempts?: number;
    };

/** One piece of what a tool answered. */
export interface MCPContent {
  readonly type: string;
  readonly text?: string;
  readonly [field: string]: unknown;
}

/** A call in an output: scorers and matchers look at its name. */
export interface MCPToolCall {
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** It never reached a tool: there is none of this name, or the arguments are not an object. */
  readonly refused?: true;
}

/**
 * The answer of a tool as the server sent it, with or without `isError`. The call and its latency are there for the
 * matchers; they are not enumerable, so the result still equals the server's answer.
 */
export interface MCPCallResult {
  readonly content: readonly MCPContent[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly toolCalls: readonly MCPToolCall[];
  /** Milliseconds. */
  readonly latency: number;
  readonly [field: string]: unknown;
}

/** The output of a task that calls tools. */
export interface MCPToolResult {
  readonly content?: readonly MCPContent[];
  readonly result?: unknown;
  readonly toolCalls?: readonly MCPToolCall[];
  readonly latency?: number;
  readonly executionTime?: number;
  readonly success?: boolean;
  readonly error?: string;
}

/** The requests of a user in a workflow, and the expected results. */
export interface WorkflowStep {
  readonly user: string;
  readonly expectTools?: readonly string[];
  /** Must be in the last message or the last result of the step, whatever the case. */
  readonly expectedState?: string;
}

/** The result of a workflow that a model drove. */
export interface MCPWorkflowResult {
  /** Every expected state was found and no call failed. */
  readonly success: boolean;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
  readonly toolCalls: readonly (MCPToolCall & { readonly result?: unknown; readonly error?: string })[];
  /** Milliseconds. */
  readonly executionTime: number;
  /** Why it did not succeed. */
  readonly error?: string;
}

/** The operations of tests on a running server. */
export interface MCPTestUtils {
  /** Rejects when the server answers with an error of the protocol, does not answer in time, or is gone. */
  callTool(name: string, args?: Readonly<Record<string, unknown>>): Promise<MCPCallResult>;
  /** Lets a model use the tools of the server for each step. */
  runWorkflow(steps: readonly WorkflowStep[]): Promise<MCPWorkflowResult>;
}

/** One input of an evaluation, and what is expected of it. */
export interface MCPTestCase<Input = unknown, Expected = unknown> {
  readonly input: Input;
  readonly expected?: Expected;
  readonly name?: string;
  readonly description?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The context of a task and its scorers beside the input. */
export interface MCPTestContext {
  readonly server: ServerConfig;
  readonly tools: readonly { readonly name: string; readonly description?: string | undefined }[];
  readonly testCase: MCPTestCase;
  readonly utils: MCPTestUtils;
}

/** Gives a number from 0 to 1 for an output. */
export interface EvalScorer {
  readonly name: string;
  score(output: unknown, expected: unknown, context: MCPTestContext): number | Promise<number>;
  explain?(output: unknown, expected: unknown, context: MCPTestContext): string | Promise<string>;
}

/** The evaluation that `describeEval` runs. */
export interface MCPTestConfig<Input = unknown, Expected = unknown> {
  readonly name: string;
  readonly description?: string;
  readonly server: ServerConfig;
  readonly data:
    | readonly MCPTestCase<Input, Expected>[]
    | (() => readonly MCPTestCase<Input, Expected>[] | Promise<readonly MCPTestCase<Input, Expected>[]>);
  readonly task: (input: Input, context: MCPTestContext) => unknown;
  readonly scorers: readonly EvalScorer[];
  /** Drives workflows, as provider/model; anthropic/claude-sonnet-4-5 by default. */
  readonly model?: string;
  /** The threshold for the mean score of a case; 0.8 by default. */
  readonly threshold?: number;
  /** Milliseconds for starting the server, and for each case; 60,000 by default. */
  readonly timeout?: number;
}

/** The result of one scorer. */
export interface EvalScore {
  readonly scorerName: string;
  readonly score: number;
  readonly explanation?: string;
}

/** The result of one case. */
export interface EvalResult {
  readonly testCase: MCPTestCase;
  readonly output: unknown;
  readonly scores: readonly EvalScore[];
  readonly overallScore: number;
  readonly passed: boolean;
  /** Milliseconds. */
  readonly executionTime: number;
  readonly error?: Error;
}

/** The figures of all cases together. */
export interface EvalStats {
  readonly totalTests: number;
  readonly passedTests: number;
  readonly failedTests: number;
  readonly averageScore: number;
  readonly averageExecutionTime: number;
}

/** The result of an evaluation. */
export interface EvalSuiteResult {
  readonly results: readonly EvalResult[];
  readonly stats: EvalStats;
  readonly passed: boolean;
}

/** A case whose task calls one tool. */
export type ToolCallTestCase = MCPTestCase<
  { readonly operation: string; readonly [argument: string]: unknown },
  { readonly result?: unknown; readonly tools?: readonly string[]; readonly error?: string }
>;

/** A case whose task lets a model work. */
export type WorkflowTestCase = MCPTestCase<
  { readonly query: string; readonly [detail: string]: unknown },
  { readonly result?: unknown; readonly tools?: readonly string[]; readonly success?: boolean }
>;
