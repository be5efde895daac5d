import type { OpenAIProvider } from '@ai-sdk/openai';
import { fileText, type ModelFile } from '../attachments/attached-file.ts';
import type { Codec } from '../wire/codec.ts';
import type { ModelMessage, ModelRequest } from './model.ts';
import type { ReplyModel } from './provider.ts';
import { AnsweredError } from './provider-errors.ts';
import { inRequestedForm } from './requested-form.ts';

type SdkLanguageModel = ReturnType<OpenAIProvider['chat']>;
/** Input of the SDK. */
type CallOptions = Parameters<SdkLanguageModel['doGenerate']>[0];
/** The part of its output that is used. */
type CallResult = Pick<Awaited<ReturnType<SdkLanguageModel['doGenerate']>>, 'response'>;
/** The part of a language model of the SDK that is used; the same for all providers. */
interface LanguageModel {
  doGenerate(options: CallOptions): PromiseLike<CallResult>;
}
/** Options that only one provider has. */
type ProviderOptions = NonNullable<CallOptions['providerOptions']>;

type Prompt = CallOptions['prompt'];
type UserPart = Extract<Prompt[number], { role: 'user' }>['content'][number];
type FunctionTool = Extract<NonNullable<CallOptions['tools']>[number], { type: 'function' }>;
type ResponseFormat = Extract<NonNullable<CallOptions['responseFormat']>, { type: 'json' }>;

/**
 * A model whose requests its SDK writes. The codec reads the reply: the SDK makes zeros of tokens that were not reported,
 * and passes over content that it does not know. `cacheMark` goes to system texts that other requests have too.
 */
export function sdkModel(
  model: LanguageModel,
  codec: Codec,
  optionsFor: (request: ModelRequest) => ProviderOptions = () => ({}),
  cacheMark: ProviderOptions = {},
): ReplyModel {
  return {
    async send(request, abortSignal) {
      const result = await model.doGenerate({
        ...callOptions(request, cacheMark),
        providerOptions: optionsFor(request),
        abortSignal,
      });
      const body = result.response?.body;
      const reply = codec.readReply(body);
      if (!reply || reply.error !== undefined) throw new AnsweredError(200, JSON.stringify(body) ?? '', {});
      return request.output && !request.tools?.length ? inRequestedForm(reply) : reply;
    },
  };
}

/** A request in the words of the SDK. */
function callOptions(
  { system, repeatsSystem, messages, tools, output, temperature, maxOutputTokens, seed }: ModelRequest,
  cacheMark: ProviderOptions,
): CallOptions {
  const marked = repeatsSystem ? { providerOptions: cacheMark } : {};
  return {
    prompt: [
      ...(system === undefined ? [] : [{ role: 'system' as const, content: system, ...marked }]),
      ...messages.map(toPrompt),
    ],
    ...(tools?.length && { tools: tools.map(toTool) }),
    ...(output && {
      responseFormat: { type: 'json', name: output.name, schema: output.schema as ResponseFormat['schema'] & object },
    }),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(seed !== undefined && { seed }),
  };
}

function toTool({ name, description, inputSchema }: NonNullable<ModelRequest['tools']>[number]): FunctionTool {
  return { type: 'function', name, description, inputSchema: inputSchema as FunctionTool['inputSchema'] };
}

function toPrompt(message: ModelMessage): Prompt[number] {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.content }, ...(message.files ?? []).map(toPart)] };
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          // Some providers refuse a text that is empty.
          ...(message.content === '' ? [] : [{ type: 'text' as const, text: message.content }]),
          ...(message.toolCalls ?? []).map(({ callId, tool, input }) => ({
            type: 'tool-call' as const,
            toolCallId: callId,
            toolName: tool,
            input,
          })),
        ],
      };
    case 'tool': {
      const { callId: toolCallId, tool: toolName, content: value } = message;
      const part = { type: 'tool-result' as const, toolCallId, toolName, output: { type: 'text' as const, value } };
      return { role: 'tool', content: [part] };
    }
  }
}

function toPart({ name: filename, mediaType, read }: ModelFile): UserPart {
  const data = read?.() ?? new Uint8Array();
  if (mediaType === 'text/plain') return { type: 'text', text: fileText(filename, data) };
  return { type: 'file', filename, mediaType, data };
}
