import type { EventCodec } from '../codec.ts';
import { serverSentEvent } from '../values.ts';
import { MessageStream, readMessageReply, writtenInMessage } from './reply.ts';
import { readMessagesRequest, withLimit, writeMessagesRequest } from './request.ts';
import { writeMessageReply, writeMessageStream } from './write-reply.ts';

/** Anthropic's Messages. */
export const anthropicMessages: EventCodec = {
  name: 'anthropic-messages',
  isCall: (pathname) => /\/messages\/?$/.test(pathname),
  readRequest: readMessagesRequest,
  writeRequest: writeMessagesRequest,
  withModel: (body, pathname, model) => ({ body: { ...body, model }, pathname }),
  withMaxOutputTokens: withLimit,
  readReply: readMessageReply,
  openStream: () => new MessageStream(),
  writeReply: writeMessageReply,
  writeStream: writeMessageStream,
  firstToken: /content_block_delta/,
  isFact: (data) => /"type"\s*:\s*"(?:message_start|message_delta|message_stop|error)"/.test(data),
  writtenIn: writtenInMessage,
  streamError: (message) =>
    serverSentEvent({ type: 'error', error: { type: 'invalid_request_error', message } }, 'error'),
};
