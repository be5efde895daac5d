import { bedrockConverse } from '../../../wire/bedrock-converse/codec.ts';
import type { Dialect } from './dialect.ts';
import { conversationIn, exchangeOf, requireList } from './exchange.ts';

/** Amazon Bedrock's Converse, without streams. */
export const converse: Dialect = {
  name: 'converse',
  environment: (url) => ({ AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url }),
  taskOf({ method, pathname }) {
    if (method !== 'POST' || !/^\/model\/[^/]+\/converse$/.test(pathname)) return undefined;
    return {
      kind: 'converse',
      open(body) {
        requireList(body, 'messages');
        const request = bedrockConverse.readRequest(body, pathname);
        return exchangeOf(bedrockConverse, conversationIn(converse.name, request), request, body);
      },
    };
  },
  renderError: (_status, message) => ({ message }),
};
