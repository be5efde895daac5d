import type { Loss } from '../../domain/loss.ts';
import { isRecord, resemblesJson } from '../../shared/json.ts';
import type { JsonObject, WireCall, WirePart } from './codec.ts';
import { areArguments, idByPlace, namelessTool, withoutArguments } from './content-blocks.ts';
import { recordIn, someText } from './values.ts';

/** The calls that a message lists beside its content, and OpenAI's format before it had tools. */
export function readCalls(
  { tool_calls: written, function_call: older }: JsonObject,
  place: string,
  unplaced: Loss[],
  idOfUnnamed: (index: number) => string = idByPlace,
): WirePart[] {
  const isListed = Array.isArray(written) ? written.length > 0 : written !== undefined && written !== null;
  if (isListed || !isRecord(older)) return readCallList(written, `${place}.tool_calls`, unplaced, idOfUnnamed);
  return readCallList([{ function: older }], `${place}.function_call`, unplaced, idOfUnnamed);
}

/** Reads a list of calls in OpenAI's notation or in one that libraries made of it. A call without an id gets one. */
export function readCallList(
  written: unknown,
  place: string,
  unplaced: Loss[],
  idOfUnnamed: (index: number) => string = idByPlace,
): WirePart[] {
  if (written === undefined || written === null) return [];
  const list: readonly unknown[] = Array.isArray(written) ? written : [isRecord(written) ? written : undefined];
  return list.flatMap((item, index): WirePart[] => {
    const at = `${place}[${index}]`;
    const call = readCall(item);
    if (!call) unplaced.push({ channels: ['tool-calls'], reason: 'a call is of an unknown kind', place: at });
    else if (!areArguments(call.arguments)) unplaced.push(withoutArguments(call, at));
    if (!call) return [];
    const { callId, arguments: given } = call;
    return [{ kind: 'call', call: { ...call, callId: callId || idOfUnnamed(index), arguments: given ?? '{}' } }];
  });
}

/** The id is empty where the call has none; undefined for an item that is not a call. */
function readCall(item: unknown): WireCall | undefined {
  // Some agents list the names of the tools that they called, and nothing else.
  if (typeof item === 'string') {
    return item === '' || resemblesJson(item) ? undefined : { callId: '', tool: item, arguments: '{}' };
  }
  if (!isRecord(item)) return undefined;
  const isNested = isRecord(item.function) || isRecord(item.custom);
  const called = isNested ? recordIn(item.function ?? item.custom) : item;
  const tool = someText(called.name, called.toolName, called.tool, called.tool_name, called.function);
  if (tool === undefined && !isNested) return undefined;
  return {
    callId: idIn(item) ?? '',
    tool: tool ?? namelessTool,
    arguments: called.arguments ?? called.args ?? called.input ?? called.params ?? called.parameters,
  };
}

/** Ids are texts, or numbers in some libraries. */
function idIn({ id, toolCallId, tool_call_id, call_id, action_id }: JsonObject): string | undefined {
  return someText(
    ...[id, toolCallId, tool_call_id, call_id, action_id].map((each) =>
      typeof each === 'number' ? String(each) : each,
    ),
  );
}
