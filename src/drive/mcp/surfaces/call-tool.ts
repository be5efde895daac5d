import { AssayError } from '../../../domain/errors.ts';
import type { ControlKind } from '../../../domain/tool-control/control-event.ts';
import type { ToolError } from '../../../domain/tool-error.ts';
import { isRecord } from '../../../shared/json.ts';
import type { ModelToolCall } from '../../models/model.ts';
import { cutText } from '../../models/prompting/encode-data.ts';
import { answeredByOf } from '../control/mcp-reply.ts';
import type { McpSession, ToolCallOptions } from '../session.ts';
import type { OfferedTools } from './offered-tools.ts';

type Block = Readonly<Record<string, unknown>>;

/** Of one result; more of it would push the conversation out of the model's sight. */
const mostTokens = 25_000;

/** The result of a tool as text for a model: content without text is named, and a long text loses its middle. */
export function answerText({ content, structuredContent }: Readonly<Record<string, unknown>>): string {
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  const text = blocks.map(blockText).join('\n');
  if (text !== '') return limitedText(text);
  return structuredContent === undefined
    ? '(the tool returned nothing)'
    : limitedText(JSON.stringify(structuredContent));
}

/** A text that a model can be shown. */
export function limitedText(text: string): string {
  const cut = cutText(text, mostTokens);
  return cut ? `${cut.head}\n[… ${cut.cutCharacters} characters left out …]\n${cut.tail}` : text;
}

function blockText(block: Block): string {
  if (block.type === 'text' && typeof block.text === 'string') return block.text;
  if (block.type === 'resource' && isRecord(block.resource)) return resourceText(block.resource);
  if (block.type === 'resource_link') return `[resource ${String(block.name ?? '')}: ${String(block.uri ?? '')}]`;
  return `[${String(block.type ?? 'something')}${mimeType(block)}, not shown]`;
}

function resourceText(resource: Block): string {
  if (typeof resource.text === 'string') return resource.text;
  return `[resource ${String(resource.uri ?? '')}${mimeType(resource)}, not shown]`;
}

function mimeType(block: Block): string {
  return typeof block.mimeType === 'string' ? ` of type ${block.mimeType}` : '';
}

/** The error of a tool that needs its user to open a URL first. */
const urlElicitationRequired = -32_042;

/** A call of a model in the words of the server. */
export interface ServerCall {
  readonly tool: string;
  readonly input: unknown;
  /** Why it cannot be made; undefined where it can. */
  readonly refusal: string | undefined;
}

/** The outcome of a call for the trace, and its text for the model. */
export interface CallOutcome {
  readonly result?: unknown;
  readonly error?: ToolError;
  /** The kind of control that answered in place of the server. */
  readonly answeredBy?: ControlKind;
  readonly text: string;
  /** Why no further call can be made. */
  readonly fault?: AssayError;
}

/** Which tool of the server a model means, and with which arguments. */
export function serverCall({ tool: name, input: given }: ModelToolCall, offered: OfferedTools): ServerCall {
  const tool = offered.find(name);
  // Some models say nothing at all where a tool takes no arguments.
  const input = given ?? {};
  if (!tool) return { tool: name, input, refusal: offered.unknown(name) };
  if (isRecord(input)) return { tool: tool.ownName, input: tool.ownArguments(input), refusal: undefined };
  return { tool: tool.ownName, input, refusal: 'The arguments must be one JSON object.' };
}

/** Makes a call. A tool that fails or takes too long has answered; a server that breaks gives a fault. */
export async function callTool(
  { tool, input, refusal }: ServerCall,
  session: McpSession,
  options: ToolCallOptions,
): Promise<CallOutcome> {
  if (refusal !== undefined || !isRecord(input)) return failed({ message: refusal ?? 'It has no arguments.' });
  try {
    const answer = await session.callTool(tool, input, options);
    const by = answer.answeredBy === undefined ? {} : { answeredBy: answer.answeredBy };
    if (answer.kind === 'error') {
      const { code, message, data } = answer;
      if (code === urlElicitationRequired) return notSupported(`The tool "${tool}" asks its user to open a URL`);
      return { ...failed({ message, code, ...(data !== undefined && { data }) }), ...by };
    }
    const { result } = answer;
    const text = answerText(result);
    return result.isError === true ? { ...failed({ message: text }), result, ...by } : { result, text, ...by };
  } catch (thrown) {
    if (!(thrown instanceof AssayError) || options.signal?.aborted) throw thrown;
    const { code, message } = thrown;
    const outcome = failed({ message, code });
    const answeredBy = answeredByOf(thrown);
    // A call that Assay broke is over, and the next one may work.
    if (answeredBy) return { ...outcome, answeredBy };
    return code === 'MCP_SERVER_TIMEOUT' ? outcome : { ...outcome, fault: thrown };
  }
}

/** A valid request of the server that Assay does not support keeps the trial from being judged. */
function notSupported(what: string): CallOutcome {
  const fault = new AssayError('MCP_UNSUPPORTED', `${what}, which Assay does not support.`);
  return { ...failed({ message: fault.message, code: fault.code }), fault };
}

function failed(error: ToolError): CallOutcome {
  return { error, text: limitedText(`Error: ${error.message}`) };
}
