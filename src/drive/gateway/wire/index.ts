import { anthropicMessages } from './anthropic-messages.ts';
import { gemini } from './gemini.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import type { WireApi } from './wire-api.ts';

/** Every API that the gateway understands. */
export const wireApis: readonly WireApi[] = [anthropicMessages, openaiChat, openaiResponses, gemini];
