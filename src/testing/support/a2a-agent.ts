import type { IncomingMessage } from 'node:http';
import { isRecord } from '../../shared/json.ts';
import { bodyOf, serve } from './http-server.ts';

interface RpcRequest {
  readonly method: string;
  readonly params: Record<string, unknown>;
  readonly headers: IncomingMessage['headers'];
}

type Result = Readonly<Record<string, unknown>>;

interface A2aAgentOptions {
  /** Of the protocol. */
  readonly version?: '1.0' | '0.3';
  /** Fields of the card that differ from a usual one. */
  readonly card?: Result;
}

/** An A2A agent over JSON-RPC: a function answers each request with one result, or with several as a stream. */
export async function startA2aAgent(
  answer: (request: RpcRequest, number: number) => Result | readonly Result[],
  { version = '1.0', card = {} }: A2aAgentOptions = {},
) {
  const requests: RpcRequest[] = [];
  const url = await serve(async (request, response) => {
    if (request.method === 'GET') {
      const path = request.url ?? '';
      if (path !== '/.well-known/agent-card.json') return response.writeHead(404).end();
      return response.end(JSON.stringify({ ...cardAt(`${url}/rpc`, version), ...card }));
    }
    const { id, method, params } = JSON.parse(await bodyOf(request));
    requests.push({ method, params, headers: request.headers });
    const result = answer({ method, params, headers: request.headers }, requests.length);
    const body = (one: Result) =>
      JSON.stringify({ jsonrpc: '2.0', id, ...(isRecord(one.error) ? one : { result: one }) });
    if (!Array.isArray(result))
      return response.setHeader('content-type', 'application/json').end(body(result as Result));
    response.setHeader('content-type', 'text/event-stream');
    return response.end(result.map((one: Result) => `data: ${body(one)}\n\n`).join(''));
  });
  return { url, requests };
}

function cardAt(url: string, version: '1.0' | '0.3'): Result {
  const common = { name: 'Clerk', description: 'Books', version: '1', capabilities: { streaming: true }, skills: [] };
  if (version === '0.3') return { ...common, url, protocolVersion: '0.3.0', preferredTransport: 'JSONRPC' };
  const grpc = { url: 'https://127.0.0.1:1', protocolBinding: 'GRPC', protocolVersion: '1.0' };
  return { ...common, supportedInterfaces: [grpc, { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }] };
}
