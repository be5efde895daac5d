import type { Channel } from '../../domain/capability.ts';

/** Channels that a lost part of a file could have belonged to. */
export const lost = {
  answer: ['answers'],
  /** The end of a call that was not seen was not seen either. */
  call: ['tool-calls', 'commands', 'tool-results'],
  result: ['tool-results'],
  message: ['answers', 'tool-calls', 'commands', 'tool-results'],
  usage: ['usage', 'cost'],
  cost: ['cost'],
  everything: ['answers', 'tool-calls', 'commands', 'tool-results', 'usage', 'cost', 'times'],
} as const satisfies Readonly<Record<string, readonly Channel[]>>;
