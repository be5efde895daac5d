import type { Loss } from '../../domain/loss.ts';
import { isRecord } from '../../shared/json.ts';

const blocks: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);

/** The losses of a tool's result: content of a kind that the protocol does not have. */
export function unknownContent(result: unknown): Loss[] {
  const content = isRecord(result) && Array.isArray(result.content) ? result.content : [];
  const index = content.findIndex((block) => !isRecord(block) || !blocks.has(block.type));
  if (index < 0) return [];
  const reason = 'a result has content of an unknown kind';
  return [{ channels: ['tool-results'], reason, place: `content[${index}]` }];
}
