import type { Loss } from '../../../domain/loss.ts';
import { isRecord } from '../../../shared/json.ts';
import { Repeats } from '../../../shared/repeats.ts';
import type { JsonObject, WirePart, WireReply } from '../codec.ts';
import {
  anyContent,
  areArguments,
  idByPlace,
  namelessTool,
  readBlocks,
  resultText,
  withoutArguments,
} from '../content-blocks.ts';
import { DocumentStream, replyOf } from '../reply.ts';
import { usageIn } from '../reported-usage.ts';
import { contentText, errorTextIn, recordIn, recordsIn, someText, textIn } from '../values.ts';

/** States of a response that has not ended. */
const openStates: ReadonlySet<unknown> = new Set(['in_progress', 'queued']);

/** Items that hold neither words nor calls. */
const silentItems: ReadonlySet<unknown> = new Set(['compaction', 'mcp_list_tools', 'additional_tools']);

/** Calls of tools that have names; the others are tools of the provider, which are named by their type. */
const namedCalls: ReadonlySet<unknown> = new Set([
  'function_call',
  'custom_tool_call',
  'mcp_call',
  'mcp_approval_request',
]);

/** Reads a response; undefined for any other document. */
export function readResponse(document: unknown): WireReply | undefined {
  if (!isRecord(document) || !Array.isArray(document.output)) return undefined;
  const unplaced: Loss[] = [];
  const { status } = document;
  const reason = textIn(recordIn(document.incomplete_details).reason) || someText(status);
  return replyOf({
    id: document.id,
    model: document.model,
    parts: readOutput(document.output, unplaced),
    stopReason: openStates.has(status) ? undefined : reason,
    usage: usageIn(document),
    error:
      status === 'failed' || isRecord(document.error) ? (errorTextIn(document) ?? 'the response failed') : undefined,
    unplaced,
  });
}

/** An item that is listed again is one item. */
function readOutput(output: readonly unknown[], unplaced: Loss[]): WirePart[] {
  const repeats = new Repeats();
  return output.flatMap((item, index) => {
    const place = `output[${index}]`;
    const id = someText(recordIn(item).id);
    const standing = id === undefined ? 'first' : repeats.standingOf(item, id);
    if (standing === 'contradicted')
      unplaced.push({ channels: anyContent, reason: `two different items have the id ${id}`, place });
    return standing === 'again' ? [] : readItem(item, place, unplaced, () => idByPlace(index));
  });
}

/** Reads one item of a response; one of an unknown kind is added to `unplaced`. */
export function readItem(item: unknown, place: string, unplaced: Loss[], makeUpId: () => string): WirePart[] {
  const { type, content, summary } = recordIn(item);
  if (type === 'reasoning') return [{ kind: 'thinking', text: contentText(summary) || contentText(content) }];
  if (type === 'message') return readMessageItem(content, place, unplaced);
  if (isRecord(item) && typeof type === 'string') {
    if (type.endsWith('_call') || type === 'mcp_approval_request') return readCall(item, makeUpId, place, unplaced);
    if (type.endsWith('_call_output')) return [{ kind: 'result', result: outputOf(item) }];
    if (silentItems.has(type)) return [{ kind: 'thinking', text: '' }];
  }
  const reason = isRecord(item) ? `an item of the unknown type ${String(type)}` : 'an item is not an object';
  unplaced.push({ channels: anyContent, reason, place });
  return [];
}

/** The parts of one message are one text; several messages are several. */
function readMessageItem(content: unknown, place: string, unplaced: Loss[]): WirePart[] {
  if (content === undefined || content === null || (Array.isArray(content) && content.length === 0)) {
    unplaced.push({ channels: ['answers'], reason: 'a message has no content', place });
    return [];
  }
  const parts = readBlocks(content, `${place}.content`, unplaced);
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  return [{ kind: 'text', text: texts.join('') }, ...parts.filter(({ kind }) => kind !== 'text')];
}

/** Calls of functions, and of the provider's built-in tools. */
function readCall(item: JsonObject, makeUpId: () => string, place: string, unplaced: Loss[]): WirePart[] {
  const { type, id, call_id: itemId, name, status: _, arguments: args, input, action, output, error, ...rest } = item;
  const callId = someText(itemId, id) ?? makeUpId();
  const tool = someText(name) ?? (namedCalls.has(type) ? namelessTool : String(type).replace(/_call$/, ''));
  const given = args ?? input;
  const isOfClient = type === 'function_call' || type === 'custom_tool_call';
  if (!areArguments(given) && isOfClient) unplaced.push(withoutArguments({ tool }, place));
  const call: WirePart = { kind: 'call', call: { callId, tool, arguments: given ?? action ?? rest } };
  if (isOfClient || type === 'mcp_approval_request') return [call];
  return [call, ...resultOfCall(item, callId, tool, output, error)];
}

/** A tool that the provider runs has its result in the item of its call, where it has one at all. */
function resultOfCall(item: JsonObject, callId: string, tool: string, output: unknown, error: unknown): WirePart[] {
  const isError = item.status === 'failed' || (error !== undefined && error !== null);
  const content = someText(output) ?? (isError ? (errorTextIn({ error }) ?? 'the call failed') : undefined);
  if (content === undefined) return [];
  return [{ kind: 'result', result: { callId, tool, content, ...(isError && { isError: true }) } }];
}

function outputOf({ call_id: callId, output }: JsonObject) {
  return { callId: textIn(callId), content: resultText(output) };
}

/** Reads the events of a response; the last of them holds the whole of it. */
export class ResponseStream extends DocumentStream {
  #response: JsonObject | undefined;
  #isEnded = false;
  readonly #doneItems = new Set<unknown>();

  constructor() {
    super(readResponse);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  addEvent({ type, response, delta, ...event }: JsonObject): boolean {
    if (isRecord(response)) this.#response = response;
    if (type === 'response.output_item.done') this.#doneItems.add(recordIn(event.item).id);
    if (type === 'response.completed' || type === 'response.incomplete') this.#end(response);
    else if (type === 'response.failed') this.fail(recordIn(response));
    else if (type === 'error') this.fail(event);
    return type === 'response.output_text.delta' && textIn(delta) !== '';
  }

  protected document(): JsonObject | undefined {
    return this.#response;
  }

  /** Items that were done stand in the whole response too. */
  #end(response: unknown): void {
    this.#isEnded = isRecord(response);
    const listed = new Set(recordsIn(recordIn(response).output).map(({ id }) => id));
    const missing = [...this.#doneItems].find((id) => id !== undefined && !listed.has(id));
    if (missing !== undefined) this.unknownEvent(`the response does not hold its item ${String(missing)}`);
  }
}
