import type { Channel } from '../../domain/capability.ts';

/** Channels that a lost part of a file could have belonged to. */
export const lost = {
  answer: ['answers'],
  call: ['tool-calls', 'commands'],
  result: ['tool-results'],
  /** Of the agent: what it said and what it called. */
  reply: ['answers', 'tool-calls', 'commands'],
  message: ['answers', 'tool-calls', 'commands', 'tool-results'],
  usage: ['usage', 'cost'],
  cost: ['cost'],
  everything: ['answers', 'tool-calls', 'commands', 'tool-results', 'usage', 'cost', 'times'],
} as const satisfies Readonly<Record<string, readonly Channel[]>>;
