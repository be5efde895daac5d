import type { ToolError } from '../../../domain/trace.ts';
import { isRecord } from '../../../shared/json.ts';

/** A thrown value as JSON text of a tool error: its own JSON fields, such as a code, beside its name and message. */
export function encodeThrown(thrown: unknown): string {
  const message = messageOf(thrown);
  const name = thrown instanceof Error ? { name: String(thrown.name) } : {};
  try {
    return JSON.stringify({ ...name, ...(isRecord(thrown) ? thrown : {}), message } satisfies ToolError);
  } catch {
    return JSON.stringify({ ...name, message } satisfies ToolError);
  }
}

/** What a thrown value says, whatever it is. */
export function messageOf(thrown: unknown): string {
  return textOf(isRecord(thrown) && 'message' in thrown ? thrown.message : thrown);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return 'a value that is not JSON';
  }
}
