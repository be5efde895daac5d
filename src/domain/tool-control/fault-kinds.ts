import * as z from 'zod';

/** Where a call was acted on: in front of a program, an MCP server, a model, or a tool that Assay calls itself. */
export const borderSchema = z.enum(['cli', 'mcp', 'model', 'call']);
export type Border = z.infer<typeof borderSchema>;

/** Where a kind of fault can happen, and what it can have. */
export interface KindFacts {
  readonly borders: readonly Border[];
  /** Keys of a fault that only some kinds have. */
  readonly keys: readonly string[];
  /** Whether it can happen before the tool runs. */
  readonly isUpfront: boolean;
}

const everywhere = ['cli', 'mcp', 'model', 'call'] as const;
/** A tool that is called directly is called once, and an answer of it that cannot be read leaves nothing to judge. */
const underWay = ['cli', 'mcp', 'model'] as const;
const ofTools = ['cli', 'mcp', 'call'] as const;
const ofAgents = ['cli', 'mcp'] as const;

/** Kinds of faults in the words of files, and where each can happen. */
export const faultKinds = {
  error: { borders: everywhere, keys: ['message', 'exitCode', 'status'], isUpfront: true },
  'rate-limit': { borders: everywhere, keys: ['message', 'exitCode', 'retryAfterSecs'], isUpfront: true },
  latency: { borders: everywhere, keys: ['ms'], isUpfront: false },
  timeout: { borders: underWay, keys: [], isUpfront: true },
  dropped: { borders: ['mcp', 'model'], keys: [], isUpfront: true },
  'server-restart': { borders: ['mcp'], keys: ['betweenCalls'], isUpfront: true },
  'tool-removed': { borders: ['mcp'], keys: ['announced'], isUpfront: false },
  empty: { borders: everywhere, keys: [], isUpfront: false },
  truncated: { borders: everywhere, keys: [], isUpfront: false },
  huge: { borders: ofTools, keys: ['bytes'], isUpfront: false },
  malformed: { borders: ofAgents, keys: [], isUpfront: false },
  'schema-breaking': { borders: ofTools, keys: [], isUpfront: false },
  stale: { borders: ofAgents, keys: [], isUpfront: false },
} as const satisfies Readonly<Record<string, KindFacts>>;

export type FaultKind = keyof typeof faultKinds;

export const faultKindsSchema = z.enum(Object.keys(faultKinds) as [FaultKind, ...FaultKind[]]);
