import { createServer, type Server } from 'node:http';
import { WebSocketServer } from 'ws';
import { a2aConnector } from '../../src/drive/connectors/a2a/a2a-connector.ts';
import { aguiConnector } from '../../src/drive/connectors/ag-ui/ag-ui-connector.ts';
import { httpConnector } from '../../src/drive/connectors/http/http-connector.ts';
import { langgraphConnector } from '../../src/drive/connectors/langgraph.ts';
import { websocketConnector } from '../../src/drive/connectors/websocket/websocket-connector.ts';
import { bytesOfText } from '../../src/testing/support/raw-bytes.ts';
import {
  a2aDocuments,
  a2aStreams,
  aguiDocuments,
  httpDocuments,
  httpStreams,
  langgraphDocuments,
  websocketDocuments,
} from './connector-documents.ts';
import type { Reader } from './reader.ts';
import { type Reply, type Spoken, spokenReader } from './spoken-reader.ts';

/** Sends the frames of a document, and closes a connection on which more is waited for. */
function websocketServer(reply: () => Reply): Server {
  const server = createServer();
  new WebSocketServer({ server }).on('connection', (socket) =>
    socket.on('message', () => {
      const frames = reply().body.split('\n');
      for (const frame of frames) if (frame !== '') socket.send(frame);
      socket.close(1011);
    }),
  );
  return server;
}

/** Gives its card, answers once, and knows nothing of a task that is still running. */
function a2aServer(reply: () => Reply): Server {
  return createServer(async (request, response) => {
    if (request.method === 'GET') return void response.end(JSON.stringify(cardFor(`http://${request.headers.host}`)));
    const { method } = JSON.parse((await request.setEncoding('utf8').toArray()).join('')) as { method: string };
    if (method === 'GetTask') return void response.writeHead(404).end();
    const { body, contentType } = reply();
    response.writeHead(200, { 'content-type': contentType }).end(bytesOfText(body));
  });
}

function cardFor(url: string): object {
  const interfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
  return { name: 'Clerk', version: '1', capabilities: { streaming: true }, supportedInterfaces: interfaces };
}

const spoken: readonly Spoken[] = [
  { name: 'http', kind: httpConnector, documents: httpDocuments },
  { name: 'http, streamed', kind: httpConnector, documents: httpStreams },
  { name: 'websocket', kind: websocketConnector, documents: websocketDocuments, serverOf: websocketServer },
  { name: 'langgraph', kind: langgraphConnector, documents: langgraphDocuments },
  { name: 'ag-ui', kind: aguiConnector, documents: aguiDocuments },
  { name: 'a2a', kind: a2aConnector, documents: a2aDocuments, serverOf: a2aServer },
  { name: 'a2a, streamed', kind: a2aConnector, documents: a2aStreams, serverOf: a2aServer },
];

/** Readers of the answers of agents that speak a protocol of their own. */
export const connectorReaders: readonly Reader[] = spoken.map(spokenReader);
