import { isRecord } from '../../../shared/json.ts';

/** Names of the tools that an output says were called, in order: its `toolCalls`, or the output itself as a list. */
export function calledTools(output: unknown): string[] {
  const calls = isRecord(output) && Array.isArray(output.toolCalls) ? output.toolCalls : output;
  return Array.isArray(calls) ? calls.flatMap((call) => toolName(call) ?? []) : [];
}

/** Whether an output says anything about calls. */
export function tellsCalls(output: unknown): boolean {
  return Array.isArray(output) || (isRecord(output) && Array.isArray(output.toolCalls));
}

/** The spellings of several model APIs. */
function toolName(call: unknown): string | undefined {
  if (typeof call === 'string') return call;
  if (!isRecord(call)) return undefined;
  const inFunction = isRecord(call.function) ? call.function.name : undefined;
  return [call.name, call.tool, call.toolName, inFunction].find((name) => typeof name === 'string');
}
