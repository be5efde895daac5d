import type { ModelApi } from '../../domain/trace-schema.ts';
import type { Usage } from '../../domain/usage.ts';
import type { Codec } from '../wire/codec.ts';
import { codecs } from '../wire/index.ts';

/** An API whose requests and replies the gateway reads: its streams are server-sent events. */
export interface GatewayApi extends Codec {
  readonly name: ModelApi;
}

/** Bedrock streams binary frames. */
export const gatewayApis = codecs.filter((codec): codec is GatewayApi => codec.name !== 'bedrock-converse');

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
