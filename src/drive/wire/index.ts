import { anthropicMessages } from './anthropic-messages/codec.ts';
import { bedrockConverse } from './bedrock-converse/codec.ts';
import type { Codec } from './codec.ts';
import { gemini } from './gemini/codec.ts';
import { openaiChat } from './openai-chat/codec.ts';
import { openaiResponses } from './openai-responses/codec.ts';

/** Every API of model providers that is spoken here. */
export const codecs: readonly Codec[] = [anthropicMessages, openaiChat, openaiResponses, gemini, bedrockConverse];
