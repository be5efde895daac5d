import type { Codec } from '../codec.ts';
import { recordIn } from '../values.ts';
import { ConverseStream, readConverseReply } from './reply.ts';
import { conversePath, readConverseRequest, writeConverseRequest } from './request.ts';
import { writeConverseReply, writeConverseStream } from './write-reply.ts';

/** Amazon Bedrock's Converse, which is the same for all of its models. */
export const bedrockConverse: Codec = {
  name: 'bedrock-converse',
  isCall: (pathname) => conversePath.test(pathname),
  readRequest: readConverseRequest,
  writeRequest: writeConverseRequest,
  withModel: (body, pathname, model) => ({
    body,
    pathname: pathname.replace(/(?<=\/model\/)[^/]+/, encodeURIComponent(model)),
  }),
  withMaxOutputTokens: (body, maxTokens) => ({
    ...body,
    inferenceConfig: { ...recordIn(body.inferenceConfig), maxTokens },
  }),
  readReply: readConverseReply,
  openStream: () => new ConverseStream(),
  writeReply: writeConverseReply,
  writeStream: writeConverseStream,
  firstToken: /"contentBlockDelta"/,
  isFact: (data) => !/"contentBlock(?:Start|Delta|Stop)"/.test(data),
};
