import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';

/** Kinds of actions that an agent takes with its tools, whatever the agent calls the tool. */
export const actionKindSchema = lazySchema(() =>
  z.enum(['shell', 'read', 'edit', 'search', 'fetch', 'skill', 'delegate', 'mcp', 'other']),
);
export type ActionKind = z.infer<typeof actionKindSchema>;

/** The report that lets silence mean "no action of this kind". */
export const reportOfKind = {
  shell: 'shell-calls',
  read: 'read-calls',
  edit: 'edit-calls',
  search: 'search-calls',
  fetch: 'fetch-calls',
  skill: 'skill-calls',
  delegate: 'delegate-calls',
  mcp: 'mcp-calls',
  other: 'other-calls',
} as const satisfies Record<ActionKind, string>;

/** Facts that a target, an agent or a file may report about a trial besides the answer itself. */
export const reportSchema = lazySchema(() =>
  z.enum(['tool-calls', 'usage', 'cost', 'latency', 'streaming', ...Object.values(reportOfKind), 'subagent-calls']),
);
export type Report = z.infer<typeof reportSchema>;

/** The kinds of observations that a trace holds, each of which can be complete or not. */
export const channels = [
  'answers',
  'tool-calls',
  'tool-results',
  'commands',
  'files',
  'state',
  'page',
  'approvals',
  'usage',
  'cost',
  'times',
  'requests',
] as const;
export const channelSchema = lazySchema(() => z.enum(channels));
export type Channel = z.infer<typeof channelSchema>;

/** Capability that an evaluator may require and a target may declare. */
export type Capability = 'call-answer' | 'turns' | 'judge' | 'workspace';
