import type { Usage } from '../../domain/usage.ts';
import { anthropicMessages } from '../wire/anthropic-messages/codec.ts';
import type { EventCodec } from '../wire/codec.ts';
import { gemini } from '../wire/gemini/codec.ts';
import { openaiChat } from '../wire/openai-chat/codec.ts';
import { openaiResponses } from '../wire/openai-responses/codec.ts';

/** The APIs whose requests and replies the gateway reads; Bedrock streams binary frames. */
export const gatewayApis: readonly EventCodec[] = [anthropicMessages, openaiChat, openaiResponses, gemini];

/** The end of a reply, as far as it arrived. */
export interface CallReply {
  readonly respondedAs: string | undefined;
  readonly stopReason: string | undefined;
  readonly usage: Usage | undefined;
  /** An error that came with HTTP status 200, inside the stream. */
  readonly error: string | undefined;
  /** The provider marked the end of its reply. */
  readonly isComplete: boolean;
}
