import type { Loss } from '../../domain/loss.ts';
import { isRecord } from '../../shared/json.ts';
import type { JsonObject, WireCall, WirePart, WireResult } from './codec.ts';
import { contentText, recordIn, recordsIn, someText, textIn } from './values.ts';

/** Everything that a block of an unknown kind could have been. */
export const anyContent = ['answers', 'tool-calls', 'tool-results'] as const;

/** Stands for the missing name of a call. */
export const namelessTool = '';

/** Kinds of blocks whose text is a part of the answer. */
const textTypes: ReadonlySet<unknown> = new Set(['text', 'output_text', 'input_text', 'text-plain']);

const thinkingTypes: ReadonlySet<unknown> = new Set([
  ...['thinking', 'redacted_thinking', 'reasoning', 'reasoning_text', 'summary_text', 'reasoning_content'],
  ...['think', 'thought', 'step-start', 'compaction'],
]);

const callTypes: ReadonlySet<unknown> = new Set([
  ...['tool_use', 'server_tool_use', 'mcp_tool_use', 'tool_call', 'tool-call', 'dynamic-tool', 'function_call'],
  ...['custom_tool_call', 'server_tool_call', 'toolUse'],
]);

/** Results have many types in Anthropic's API: one for each tool that the provider runs. */
const resultType = /^(?:\w+_)?tool_result$|^tool-result$|^function_call_output$|^server_tool_call_result$|^toolResult$/;

/** Files, references and the like: known to hold neither words nor calls. */
const otherTypes: ReadonlySet<unknown> = new Set([
  ...['image', 'image_url', 'input_image', 'document', 'file', 'input_file', 'audio', 'input_audio', 'video'],
  ...['container_upload', 'search_result', 'source-url', 'source-document', 'source', 'attachment', 'media'],
  ...['tool_reference', 'fallback'],
]);

/** Blocks of Gemini and Bedrock have no type: one key says what they are. */
const otherKeys = [
  ...['inlineData', 'inline_data', 'fileData', 'file_data', 'image', 'document', 'video', 'audio', 'cachePoint'],
  ...['guardContent', 'searchResult'],
];

/** A call that has no id gets one by its place: two of them are two calls. */
export function idByPlace(index: number): string {
  return `call_${index + 1}`;
}

/** Reads blocks of a message in the form of any API; those of an unknown kind are added to `unplaced`. */
export function readBlocks(
  content: unknown,
  place: string,
  unplaced: Loss[],
  idOfUnnamed: (index: number) => string = idByPlace,
): WirePart[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return blocks.flatMap((block, index) => {
    const part = readBlock(block, index);
    const at = `${place}[${index}]`;
    if (!part) unplaced.push({ channels: anyContent, reason: unknownBlock(block), place: at });
    else if (part.kind === 'call') return [namedCall(part.call, index, at)];
    return part ? [part] : [];
  });

  function namedCall(call: WireCall, index: number, at: string): WirePart {
    if (!areArguments(call.arguments)) unplaced.push(withoutArguments(call, at));
    return { kind: 'call', call: call.callId === '' ? { ...call, callId: idOfUnnamed(index) } : call };
  }
}

/** Arguments are a text or data; a number or the like in their place is not. */
export function areArguments(written: unknown): boolean {
  return typeof written === 'string' || (typeof written === 'object' && written !== null);
}

/** The gap of a call whose arguments are missing. */
export function withoutArguments({ tool }: Pick<WireCall, 'tool'>, place: string): Loss {
  return { channels: ['tool-calls'], reason: `a call of \`${tool}\` came without its arguments`, place };
}

function unknownBlock(block: unknown): string {
  if (!isRecord(block)) return 'a block of the content is not an object';
  const kind =
    typeof block.type === 'string' ? `type ${block.type}` : `kind (${Object.keys(block).slice(0, 3).join(', ')})`;
  return `a block of the content is of an unknown or broken ${kind}`;
}

/** Undefined for a block of an unknown kind, or one whose content is missing. */
function readBlock(block: unknown, index: number): WirePart | undefined {
  if (!isRecord(block)) return undefined;
  return block.type === undefined ? readKeyed(block, index) : readTyped(block);
}

function readTyped(block: JsonObject): WirePart | undefined {
  const { type } = block;
  if (textTypes.has(type)) return textPart(block.text);
  if (type === 'refusal') return textPart(block.refusal ?? block.text);
  if (thinkingTypes.has(type)) return { kind: 'thinking', text: textIn(block.thinking ?? block.think ?? block.text) };
  if (callTypes.has(type)) return callPart(block);
  if (type === 'tool-invocation') return callPart(recordIn(block.toolInvocation));
  if (typeof type !== 'string') return undefined;
  if (resultType.test(type)) return { kind: 'result', result: resultIn(block) };
  if (otherTypes.has(type) || type.startsWith('data-')) return { kind: 'block', block };
  // The AI SDK puts the name of the tool into the type.
  const isNamed = type.startsWith('tool-') && typeof block.toolCallId === 'string' && 'input' in block;
  return isNamed ? callPart({ ...block, name: type.slice('tool-'.length) }) : undefined;
}

function readKeyed(block: JsonObject, index: number): WirePart | undefined {
  const { text, thought, reasoningContent, functionCall, toolUse, functionResponse, toolResult } = block;
  if (thought === true) return { kind: 'thinking', text: textIn(text) };
  if (isRecord(reasoningContent)) {
    return { kind: 'thinking', text: textIn(recordIn(reasoningContent.reasoningText).text) };
  }
  if (text !== undefined) return textPart(text);
  if (isRecord(functionCall)) return callPart({ args: {}, ...functionCall });
  if (isRecord(toolUse)) return callPart(toolUse);
  if (isRecord(functionResponse)) return { kind: 'result', result: resultIn(functionResponse) };
  if (isRecord(toolResult)) return { kind: 'result', result: resultIn(toolResult) };
  return (
    readExecution(block, index) ??
    (otherKeys.some((key) => block[key] !== undefined) ? { kind: 'block', block } : undefined)
  );
}

/** Code that Gemini writes and runs itself; the result follows its code. */
function readExecution(
  { executableCode: code, codeExecutionResult: outcome }: JsonObject,
  index: number,
): WirePart | undefined {
  const tool = 'code_execution';
  if (isRecord(code)) return callPart({ id: `code_${index + 1}`, name: tool, args: code });
  if (!isRecord(outcome)) return undefined;
  return { kind: 'result', result: { callId: `code_${index}`, tool, content: textIn(outcome.output) } };
}

function textPart(text: unknown): WirePart | undefined {
  return typeof text === 'string' ? { kind: 'text', text } : undefined;
}

/** The id is empty where the block has none. */
function callPart(block: JsonObject): WirePart {
  const callId = someText(block.id, block.toolCallId, block.tool_call_id, block.call_id, block.toolUseId);
  const tool = someText(block.name, block.toolName, block.tool_name, block.tool) ?? namelessTool;
  const written = block.input ?? block.args ?? block.arguments;
  const server = someText(block.server_name);
  const call = { callId: callId ?? '', tool, arguments: written };
  return { kind: 'call', call: server === undefined ? call : { ...call, server } };
}

function resultIn(block: JsonObject): WireResult {
  const tool = someText(block.name, block.toolName);
  const callId = someText(block.tool_use_id, block.toolUseId, block.toolCallId, block.call_id, block.id) ?? '';
  const failed = recordIn(block.content).type;
  const isError =
    block.is_error === true || block.isError === true || block.status === 'error' || /_error$/.test(String(failed));
  const content = resultText(block.content ?? block.response ?? block.output ?? block.result);
  return { callId, ...(tool !== undefined && { tool }), content, ...(isError && { isError: true }) };
}

/** The text of a result; data is given as JSON. */
export function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (content === undefined || content === null) return '';
  const blocks = recordsIn(content);
  const isText = blocks.length > 0 && Array.isArray(content) && blocks.every(({ text }) => typeof text === 'string');
  if (isText) return contentText(content);
  // Clients that wrap a text use one of these names.
  const wrapped = isRecord(content) ? (content.output ?? content.content ?? content.result) : undefined;
  return typeof wrapped === 'string' ? wrapped : JSON.stringify(content);
}
