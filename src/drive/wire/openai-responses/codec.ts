import type { Codec } from '../codec.ts';
import { ResponseStream, readResponse } from './reply.ts';
import { readResponsesRequest, writeResponsesRequest } from './request.ts';
import { writeResponse, writeResponseStream } from './write-reply.ts';

/** OpenAI's Responses. */
export const openaiResponses: Codec = {
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
};
