import type { Loss } from '../../domain/loss.ts';
import { isRecord } from '../../shared/json.ts';

const blocks: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);

/** The losses of a tool's result: content that the protocol does not have, or that does not say how the call ended. */
export function unknownContent(result: unknown): Loss[] {
  if (!isRecord(result)) return [];
  const { content, structuredContent, isError } = result;
  if (isError !== undefined && isError !== null && typeof isError !== 'boolean')
    return lost('a result does not say whether the call failed', 'isError');
  if (content === undefined) return structuredContent === undefined ? lost('a result has no content', 'content') : [];
  if (!Array.isArray(content)) return lost('the content of a result is not a list', 'content');
  const index = content.findIndex((block) => !isBlock(block));
  return index < 0 ? [] : lost('a result has content of an unknown kind', `content[${index}]`);
}

function isBlock(block: unknown): boolean {
  if (!isRecord(block) || !blocks.has(block.type)) return false;
  return block.type !== 'text' || typeof block.text === 'string';
}

function lost(reason: string, place: string): Loss[] {
  return [{ channels: ['tool-results'], reason, place }];
}
