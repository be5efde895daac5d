import { canonicalJson, isRecord } from '../../shared/json.ts';
import type { ComparedCall } from './player.ts';

/** A call in the forms in which calls are compared; `exactly` counts for the strict comparison only. */
export function comparedCall(tool: string, args: unknown, exactly?: unknown): ComparedCall {
  return {
    tool,
    exact: canonicalJson([tool, args, exactly]),
    normalised: canonicalJson([tool, normalised(args)]),
  };
}

/** Absent and null keys are the same, and so are texts that differ in the space around them and in their line ends. */
function normalised(value: unknown): unknown {
  if (typeof value === 'string') return value.normalize('NFC').replaceAll('\r\n', '\n').trim();
  if (Array.isArray(value)) return value.map(normalised);
  if (!isRecord(value)) return value;
  const filled = Object.entries(value).filter(([, part]) => part !== null && part !== undefined);
  return Object.fromEntries(filled.map(([key, part]) => [key, normalised(part)]));
}
