import type { EventCodec } from '../codec.ts';
import { serverSentEvent, textIn } from '../values.ts';
import { ResponseStream, readResponse } from './reply.ts';
import { readResponsesRequest, writeResponsesRequest } from './request.ts';
import { writeResponse, writeResponseStream } from './write-reply.ts';

/** OpenAI's Responses. */
export const openaiResponses: EventCodec = {
  name: 'openai-responses',
  isCall: (pathname) => /\/responses\/?$/.test(pathname),
  readRequest: readResponsesRequest,
  writeRequest: writeResponsesRequest,
  withModel: (body, pathname, model) => ({ body: { ...body, model }, pathname }),
  withMaxOutputTokens: (body, maxOutputTokens) => ({ ...body, max_output_tokens: maxOutputTokens }),
  readReply: readResponse,
  openStream: () => new ResponseStream(),
  writeReply: writeResponse,
  writeStream: writeResponseStream,
  firstToken: /"type"\s*:\s*"response\.[\w.]*\.delta"/,
  isFact: (data) => /"type"\s*:\s*"(?:response\.(?:created|completed|incomplete|failed)|error)"/.test(data),
  // Everything that comes in pieces is repeated whole in later events.
  writtenIn: ({ delta }) => textIn(delta),
  streamError: (message) => {
    const response = { object: 'response', status: 'failed', error: { code: 'insufficient_quota', message } };
    return serverSentEvent({ type: 'response.failed', response }, 'response.failed');
  },
};
