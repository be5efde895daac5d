import type { UnstampedEvent } from '../../domain/trace.ts';
import { isRecord } from '../../shared/json.ts';

const blocks: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);

/** The gaps of a tool's result: content of a kind that the protocol does not have. */
export function unknownContentGaps(result: unknown): Extract<UnstampedEvent, { type: 'gap' }>[] {
  const content = isRecord(result) && Array.isArray(result.content) ? result.content : [];
  const index = content.findIndex((block) => !isRecord(block) || !blocks.has(block.type));
  if (index < 0) return [];
  const reason = 'a result has content of an unknown kind';
  return [{ type: 'gap', channels: ['tool-results'], reason, place: `content[${index}]` }];
}
