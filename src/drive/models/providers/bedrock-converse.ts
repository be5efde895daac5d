import { isRecord, parseJson } from '../../../shared/json.ts';
import type { CallOptions, CallResult, LanguageModel } from '../provider.ts';
import { AnsweredError } from '../provider-errors.ts';

interface ConverseConnection {
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  /** The headers of a request, which say who sends it. */
  authorized(url: URL, body: string): Readonly<Record<string, string>>;
}

type Block = Readonly<Record<string, unknown>>;
type Turn = { readonly role: 'user' | 'assistant'; readonly content: Block[] };

/** A model of Bedrock by its Converse API, as the SDK defines a model. */
export function converseModel(model: string, { baseUrl, fetch, authorized }: ConverseConnection): LanguageModel {
  const url = new URL(`${baseUrl}/model/${encodeURIComponent(model)}/converse`);
  return {
    async doGenerate(options) {
      const form = formOf(options, model);
      const body = JSON.stringify(bodyOf(options, form));
      const signal = options.abortSignal ?? null;
      const response = await fetch(url.href, { method: 'POST', headers: authorized(url, body), body, signal });
      const text = await response.text();
      if (!response.ok) throw new AnsweredError(response.status, text, Object.fromEntries(response.headers));
      const answer = parseJson(text);
      const message = isRecord(answer) && isRecord(answer.output) ? answer.output.message : undefined;
      if (!isRecord(answer) || !isRecord(message) || !Array.isArray(message.content)) {
        throw new AnsweredError(response.status, text, {});
      }
      return resultOf(answer, message.content.filter(isRecord), form);
    },
  };
}

/** A tool whose input is the answer: Bedrock has no other way to enforce a JSON Schema. */
interface Form {
  readonly name: string;
  readonly schema: unknown;
}

/** Only these models can be made to call a certain tool; others get the form from the prompt alone. */
const formModels = /(?:^|[./])(?:anthropic\.claude|amazon\.nova)/;

function formOf({ responseFormat, tools = [] }: CallOptions, model: string): Form | undefined {
  if (responseFormat?.type !== 'json' || !responseFormat.schema || tools.length > 0) return undefined;
  return formModels.test(model) ? { name: responseFormat.name ?? 'answer', schema: responseFormat.schema } : undefined;
}

function bodyOf({ prompt, tools = [], temperature, maxOutputTokens }: CallOptions, form: Form | undefined): Block {
  const system = prompt.flatMap((message) => (message.role === 'system' ? [{ text: message.content }] : []));
  const inferenceConfig = {
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxTokens: maxOutputTokens }),
  };
  const specs = tools.flatMap((tool) =>
    tool.type === 'function' ? [toolSpec(tool.name, tool.description ?? tool.name, tool.inputSchema)] : [],
  );
  const toolConfig = form
    ? { tools: [toolSpec(form.name, 'Gives the answer', form.schema)], toolChoice: { tool: { name: form.name } } }
    : { tools: specs };
  return {
    messages: turnsOf(prompt),
    ...(system.length > 0 && { system }),
    ...(Object.keys(inferenceConfig).length > 0 && { inferenceConfig }),
    ...(toolConfig.tools.length > 0 && { toolConfig }),
  };
}

function toolSpec(name: string, description: string, schema: unknown): Block {
  return { toolSpec: { name, description, inputSchema: { json: schema } } };
}

/** Turns alternate, and results of tools stand in turns of the user. */
function turnsOf(prompt: CallOptions['prompt']): Turn[] {
  const turns: Turn[] = [];
  for (const message of prompt) {
    if (message.role === 'system') continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const content = message.content.map(blockOf);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  return turns;
}

type Part = Exclude<CallOptions['prompt'][number], { role: 'system' }>['content'][number];

function blockOf(part: Part): Block {
  switch (part.type) {
    case 'text':
      return { text: part.text };
    case 'file':
      return fileBlock(part);
    case 'tool-call':
      return { toolUse: { toolUseId: part.toolCallId, name: part.toolName, input: objectIn(part.input) } };
    case 'tool-result': {
      const { output } = part;
      const text = 'value' in output && typeof output.value === 'string' ? output.value : JSON.stringify(output);
      return { toolResult: { toolUseId: part.toolCallId, content: [{ text }] } };
    }
    default:
      throw Object.assign(new Error(`Bedrock is not sent parts of the type ${part.type}.`), {
        name: 'AI_UnsupportedFunctionalityError',
      });
  }
}

type FilePart = Extract<Part, { type: 'file' }>;

/** Bedrock takes names of documents without a dot. */
function fileBlock({ mediaType, data, filename = 'file' }: FilePart): Block {
  const source = { bytes: data instanceof Uint8Array ? Buffer.from(data).toString('base64') : String(data) };
  const [kind, format] = mediaType.split('/');
  if (kind === 'image') return { image: { format, source } };
  return { document: { format: 'pdf', name: filename.replace(/\.\w+$/, '').replace(/[^\w -]+/g, '-'), source } };
}

/** Bedrock takes objects only. */
function objectIn(input: unknown): Block {
  return isRecord(input) ? input : { input };
}

function resultOf(answer: Block, blocks: readonly Block[], form: Form | undefined): CallResult {
  const content = blocks.flatMap(({ text, toolUse }): CallResult['content'] => {
    if (typeof text === 'string') return [{ type: 'text', text }];
    if (!isRecord(toolUse)) return [];
    const input = JSON.stringify(toolUse.input ?? {});
    if (form && toolUse.name === form.name) return [{ type: 'text', text: input }];
    return [{ type: 'tool-call', toolCallId: String(toolUse.toolUseId), toolName: String(toolUse.name), input }];
  });
  // Beside the answer in the requested form, other words would make it unreadable.
  const answered = form && blocks.some(({ toolUse }) => isRecord(toolUse) && toolUse.name === form.name);
  const raw = typeof answer.stopReason === 'string' ? answer.stopReason : undefined;
  return {
    content: answered ? content.slice(-1) : content,
    finishReason: { unified: answered ? 'stop' : (finishReasons[raw ?? ''] ?? 'other'), raw },
    usage: usageOf(answer.usage),
  };
}

const finishReasons: Readonly<Record<string, CallResult['finishReason']['unified']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  guardrail_intervened: 'content-filter',
  content_filtered: 'content-filter',
};

/** The input of Bedrock does not contain what was read from or written to its cache. */
function usageOf(usage: unknown): CallResult['usage'] {
  const figures = isRecord(usage) ? usage : {};
  const figure = (key: string): number | undefined => {
    const value = figures[key];
    return typeof value === 'number' ? value : undefined;
  };
  const [noCache, output] = [figure('inputTokens'), figure('outputTokens')];
  const [cacheRead, cacheWrite] = [figure('cacheReadInputTokens'), figure('cacheWriteInputTokens')];
  const total = noCache === undefined ? undefined : noCache + (cacheRead ?? 0) + (cacheWrite ?? 0);
  return {
    inputTokens: { total, noCache, cacheRead, cacheWrite },
    outputTokens: { total: output, text: output, reasoning: undefined },
  };
}
