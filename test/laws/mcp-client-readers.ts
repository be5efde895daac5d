import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { RunSessions } from '../../src/drive/mcp/sessions.ts';
import { mcpToolTarget } from '../../src/drive/targets/mcp/mcp-tool-target.ts';
import { bytesOfText } from '../../src/testing/support/raw-bytes.ts';
import { runSuite } from '../../src/testing/support/suite-run.ts';
import { readByTarget } from './attempt.ts';
import { listening } from './listening.ts';
import { atFixedTimes, oneTrial, type Reader, type Reading } from './reader.ts';
import { asServerSentEvents } from './spoken-reader.ts';

type Method = 'initialize' | 'tools/list' | 'tools/call';

/** Ids of the requests in the order in which a session sends them. */
const ids: Readonly<Record<Method, number>> = { initialize: 1, 'tools/list': 2, 'tools/call': 3 };

const inputSchema = { type: 'object', properties: { day: { type: 'string' } } };
const tools = [
  { name: 'book_table', description: 'Books a table', inputSchema },
  { name: 'find_table', description: 'Finds a table', inputSchema },
];
const booked = { id: 'b-17', free: ['18:00', '19:00'], total: 42.5 };

/** The messages with which a server answers each method, one per line. */
const usual: Readonly<Record<Method, readonly object[]>> = {
  initialize: [
    answerTo('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'tables', version: '1' },
    }),
  ],
  'tools/list': [answerTo('tools/list', { tools })],
  'tools/call': [
    answerTo('tools/call', { content: [{ type: 'text', text: 'It is booked.' }], structuredContent: booked }),
  ],
};

function answerTo(method: Method, result: object): object {
  return { jsonrpc: '2.0', id: ids[method], result };
}

/** Another way in which a server answers a method. */
interface Answered {
  readonly name: string;
  readonly method: Method;
  readonly messages: readonly object[];
}

const log = { method: 'notifications/message', params: { level: 'info', data: 'Looking for a table' } };

const answered: readonly Answered[] = [
  { name: 'data', method: 'tools/call', messages: usual['tools/call'] },
  {
    name: 'text after notifications',
    method: 'tools/call',
    messages: [
      { jsonrpc: '2.0', ...log },
      answerTo('tools/call', {
        content: [
          { type: 'text', text: 'It is booked.' },
          { type: 'text', text: 'See you.' },
        ],
      }),
    ],
  },
  {
    name: 'failure',
    method: 'tools/call',
    messages: [answerTo('tools/call', { isError: true, content: [{ type: 'text', text: 'No table is free.' }] })],
  },
  {
    name: 'error',
    method: 'tools/call',
    messages: [{ jsonrpc: '2.0', id: 3, error: { code: -32_000, message: 'Broken' } }],
  },
  { name: 'tools', method: 'tools/list', messages: usual['tools/list'] },
];

const linesOf = (messages: readonly object[]): string => `${messages.map((each) => JSON.stringify(each)).join('\n')}\n`;

/** A server of which one answer is a document. */
class DocumentServer {
  method: Method = 'tools/call';
  text = '';

  answer(request: IncomingMessage, response: ServerResponse): void {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    void request
      .setEncoding('utf8')
      .toArray()
      .then((parts) => {
        const { method, id } = JSON.parse(parts.join('')) as { readonly method: Method; readonly id?: number };
        if (id === undefined) return void response.writeHead(202).end();
        const lines = method === this.method ? this.text : linesOf(usual[method] ?? []);
        // A list is requested again after a call.
        const body = asServerSentEvents(lines.replaceAll(`"id":${ids[method]}`, `"id":${id}`));
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(bytesOfText(body));
      });
  }
}

/** Answers of servers as a trial reads them, which is given the server. */
function clientReader(
  name: string,
  documents: readonly Answered[],
  readFrom: (server: object, answered: Answered) => Promise<Reading>,
): Reader {
  const server = new DocumentServer();
  let url = '';
  return {
    name,
    hasClosedRoot: true,
    documents: documents.map((document) => ({
      name: document.name,
      text: linesOf(document.messages),
      async read(text) {
        Object.assign(server, { text, method: document.method });
        return readFrom({ transport: 'shttp', url, protocol: 'legacy' }, document);
      },
    })),
    async open() {
      const opened = await listening(createServer((request, response) => server.answer(request, response)));
      url = opened.url;
      return opened;
    },
  };
}

/** A call of a tool by a scenario. */
async function callOnce(server: object): Promise<Reading> {
  await using sessions = new RunSessions();
  const config = { server, tool: 'book_table' };
  return readByTarget(mcpToolTarget, config, { day: 'Monday' }, { mcpSessions: async () => sessions });
}

/** A suite of which a test fails on a whole answer: it must not pass on a damaged one. */
async function testOnce(server: object, { name }: Answered): Promise<Reading> {
  const call = { name: 'book_table', args: { day: 'Monday' }, retries: 0 };
  const other =
    name === 'failure' || name === 'error' ? { expectedError: 'overflow' } : { expectedResult: { total: 1 } };
  const { record, trace } = await runSuite({ tests: [{ ...call, ...other }] }, { server });
  const { trials } = oneTrial(atFixedTimes(trace));
  const timeless = { ...record, durationMs: 1 };
  return {
    trials: new Map([...trials].map(([key, trial]) => [key, { ...trial, record: timeless }])),
    hasProblems: true,
  };
}

/** Readers of the answers of MCP servers that Assay itself calls. */
export const mcpClientReaders: readonly Reader[] = [
  clientReader('mcp-client', answered, callOnce),
  clientReader('mcp-suite', answered, testOnce),
];
