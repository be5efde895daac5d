import type { EventCodec } from '../codec.ts';
import { recordIn, serverSentEvent } from '../values.ts';
import { GeminiStream, readGeminiReply, writtenInPiece } from './reply.ts';
import { modelPath, readGeminiRequest, withLimit, writeGeminiRequest } from './request.ts';
import { writeGeminiReply, writeGeminiStream } from './write-reply.ts';

/** Google's Gemini. */
export const gemini: EventCodec = {
  name: 'gemini',
  isCall: (pathname) => modelPath.test(pathname) && !pathname.endsWith(':countTokens'),
  readRequest: readGeminiRequest,
  writeRequest: writeGeminiRequest,
  withModel: (body, pathname, model) => ({
    body,
    pathname: pathname.replace(modelPath, (path) => path.replace(/(?<=\/models\/)[^/:]+/, encodeURIComponent(model))),
  }),
  withMaxOutputTokens: (body, maxOutputTokens) => {
    const key = 'generation_config' in body ? 'generation_config' : 'generationConfig';
    return { ...body, [key]: withLimit(recordIn(body[key]), maxOutputTokens) };
  },
  readReply: readGeminiReply,
  openStream: () => new GeminiStream(),
  writeReply: writeGeminiReply,
  writeStream: writeGeminiStream,
  firstToken: /"(?:text|functionCall)"\s*:/,
  isFact: () => true,
  writtenIn: writtenInPiece,
  streamError: (message) => serverSentEvent({ error: { code: 402, status: 'FAILED_PRECONDITION', message } }),
};
