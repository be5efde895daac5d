import type { UnstampedEvent } from '../../domain/trace.ts';
import type { Model, ModelReply } from './model.ts';

/** Counts for the trial, and not for the agent under test, whose usage stands in its turns. */
export function spentOnPersona(
  { name }: Model,
  { usage, costUsd, isReplayed }: ModelReply,
): Extract<UnstampedEvent, { type: 'usage' }> {
  const { inputTokens, outputTokens } = usage;
  return {
    type: 'usage',
    purpose: 'persona',
    model: name,
    inputTokens,
    outputTokens,
    ...(isReplayed ? { costUsd: 0 } : costUsd !== null && { costUsd }),
  };
}
