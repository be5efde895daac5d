import type { ModelMessage, ModelRequest } from './model.ts';
import type { CallOptions, Provider } from './provider.ts';

type Prompt = CallOptions['prompt'];
type FunctionTool = Extract<NonNullable<CallOptions['tools']>[number], { type: 'function' }>;
type ResponseFormat = Extract<NonNullable<CallOptions['responseFormat']>, { type: 'json' }>;

/** A request in the words of the SDK. */
export function callOptions(request: ModelRequest, provider: Provider): CallOptions {
  const { system, messages, tools, output, temperature, maxOutputTokens, seed } = request;
  return {
    prompt: [
      ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
      ...messages.map(toPrompt),
    ],
    ...(tools?.length && { tools: tools.map(toTool) }),
    ...(output && {
      responseFormat: { type: 'json', name: output.name, schema: output.schema as ResponseFormat['schema'] & object },
    }),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(seed !== undefined && { seed }),
    providerOptions: provider.optionsFor(request),
  };
}

function toTool({ name, description, inputSchema }: NonNullable<ModelRequest['tools']>[number]): FunctionTool {
  return { type: 'function', name, description, inputSchema: inputSchema as FunctionTool['inputSchema'] };
}

function toPrompt(message: ModelMessage): Prompt[number] {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.content }] };
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
