import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConnectorKind } from '../../src/drive/connectors/connector.ts';
import { conversationConfigSchema } from '../../src/drive/conversation/conversation-config.ts';
import { conversationTargetWith } from '../../src/drive/conversation/conversation-target.ts';
import type { TargetContext } from '../../src/drive/targets/target.ts';
import { bytesOfText } from '../../src/testing/support/raw-bytes.ts';
import { attempted, trialWith } from './attempt.ts';
import { atFixedTimes, oneTrial, type Reader, type Reading } from './reader.ts';

/** A document that a server answers with, and the connector that reads it. */
export interface SpokenDocument {
  readonly name: string;
  readonly text: string;
  readonly config: object;
  /** Of the reply, by default JSON. */
  readonly contentType?: string;
  /** Facts that the author of the scenario knows the agent to report. */
  readonly reports?: readonly string[];
  /** The bytes of the reply, where the document has them in another form. */
  bodyOf?(text: string): string;
}

/** A connector as a trial uses it. */
export interface Spoken {
  readonly name: string;
  readonly kind: ConnectorKind;
  readonly documents: readonly SpokenDocument[];
  /** Under the address of the server. */
  readonly path?: string;
  /** For connectors that need more than their server. */
  contextAt?(url: string): Partial<TargetContext> & Partial<AsyncDisposable>;
  /** Answers with a document; by default whatever the request is. */
  serverOf?(reply: () => Reply): Server;
}

/** What a server answers with. */
export interface Reply {
  readonly body: string;
  readonly contentType: string;
}

/** Events of a stream, one per line of the document, as a server sends them. */
export function asServerSentEvents(text: string): string {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => `data: ${line}\n\n`).join('');
}

const usualContentType = 'application/json';

/** Conversations with an agent that answers with a document, through its connector and the target of conversations. */
export function spokenReader({ name, kind, documents, path = '', contextAt, serverOf = answering }: Spoken): Reader {
  let reply: Reply = { body: '', contentType: usualContentType };
  let address = '';
  const converse = async ({ config, reports, contentType, bodyOf }: SpokenDocument, text: string): Promise<Reading> => {
    reply = { body: bodyOf?.(text) ?? text, contentType: contentType ?? usualContentType };
    const url = `${address}${path}`;
    const context = contextAt?.(url) ?? {};
    try {
      return await hold(kind, { config, baseUrl: url, ...(reports && { reports }) }, context);
    } finally {
      await context[Symbol.asyncDispose]?.();
    }
  };
  return {
    name,
    connector: kind.type,
    documents: documents.map((document) => ({ ...document, read: (text) => converse(document, text) })),
    async open() {
      const server = serverOf(() => reply);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      return { [Symbol.asyncDispose]: () => closed(server) };
    },
  };
}

function answering(reply: () => Reply): Server {
  const answer: RequestListener = (request, response) => {
    const { body, contentType } = reply();
    request.resume().on('end', () => response.writeHead(200, { 'content-type': contentType }).end(bytesOfText(body)));
  };
  return createServer(answer);
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** One turn of a conversation, as a trial holds it. */
async function hold(kind: ConnectorKind, spec: object, more: Partial<TargetContext>): Promise<Reading> {
  const config = conversationConfigSchema().parse({
    connectors: { agent: { type: kind.type, ...spec } },
    userMessages: ['A table for two, please.'],
  });
  const open = (context: TargetContext) => conversationTargetWith([kind]).open(config, context);
  const { trace, fault } = await attempted(open, trialWith(undefined), more);
  return oneTrial(atFixedTimes(trace), fault);
}
