import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { bodyOf, listen } from '../../support/http-server.ts';
import { AuthorizationServer, json } from './authorization-server.ts';
import type { OAuthSwitches } from './switches.ts';

/** An MCP server with an authorization server in front of it, on loopback. */
export interface ProtectedServer {
  /** Address of the MCP server, which is also the resource that tokens are for. */
  readonly url: string;
  readonly issuer: string;
  readonly authorization: AuthorizationServer;
  /** May be changed while it runs. */
  readonly switches: OAuthSwitches;
  /** The `Authorization` of every request to the MCP server, in order. */
  readonly authorizationHeaders: (string | undefined)[];
}

interface Placement {
  /** Path of the issuer, such as `/tenant`. */
  readonly issuerPath?: string;
}

/** Starts both; they end with the test. */
export async function startProtectedServer(
  switches: OAuthSwitches = {},
  { issuerPath = '' }: Placement = {},
): Promise<ProtectedServer> {
  const authorization = new AuthorizationServer(switches);
  const authorizationHeaders: (string | undefined)[] = [];
  let origin = '';
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '/', 'http://any');
    const document = metadataAt(pathname, origin, issuerPath, authorization);
    if (document !== undefined) return void sendDocument(document, switches, response);
    if (pathname === '/mcp') return answerMcp(request, response, { origin, authorization, authorizationHeaders });
    const own = pathname.startsWith(issuerPath) ? pathname.slice(issuerPath.length) : '';
    if (!(await authorization.handle(own, request, response))) response.writeHead(404).end();
  };
  const server = createServer((request, response) => void answer(request, response));
  origin = await listen(server, 'http');
  authorization.issuer = `${origin}${issuerPath}`;
  return { url: `${origin}/mcp`, issuer: authorization.issuer, authorization, switches, authorizationHeaders };
}

function metadataAt(
  path: string,
  origin: string,
  issuerPath: string,
  { switches, issuer, metadata }: AuthorizationServer,
): unknown {
  const { noMetadata, noResourceMetadata, openIdOnly } = switches;
  if (noMetadata) return undefined;
  if (path === '/.well-known/oauth-protected-resource/mcp' && !noResourceMetadata)
    return {
      resource: switches.otherResource ? 'https://bank.example.com/mcp' : `${origin}/mcp`,
      authorization_servers: switches.noAuthorizationServers ? [] : [issuer],
      scopes_supported: ['files:read'],
    };
  const place = {
    none: `/.well-known/oauth-authorization-server${issuerPath}`,
    inserted: `/.well-known/openid-configuration${issuerPath}`,
    appended: `${issuerPath}/.well-known/openid-configuration`,
  }[openIdOnly ?? 'none'];
  return path === place ? metadata : undefined;
}

function sendDocument(document: unknown, { metadataNotJson }: OAuthSwitches, response: ServerResponse): void {
  if (metadataNotJson) response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
  else json(response, 200, document);
}

interface Served {
  readonly origin: string;
  readonly authorization: AuthorizationServer;
  readonly authorizationHeaders: (string | undefined)[];
}

async function answerMcp(
  request: IncomingMessage,
  response: ServerResponse,
  { origin, authorization, authorizationHeaders }: Served,
): Promise<void> {
  const { quietChallenge, noMetadata, noResourceMetadata } = authorization.switches;
  const header = request.headers.authorization;
  authorizationHeaders.push(header);
  const body = await bodyOf(request);
  const about = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
  const named = quietChallenge || noResourceMetadata || noMetadata ? '' : `, ${about}`;
  const refuse = (status: number, words: string): void => {
    const challenge = quietChallenge ? 'Bearer' : `Bearer realm="files, all of them"${words}${named}`;
    response.writeHead(status, noMetadata ? {} : { 'www-authenticate': challenge }).end(`refused ${header ?? ''}`);
  };
  const token = header?.replace(/^Bearer /, '');
  if (token === undefined) return refuse(401, ', scope="files:read"');
  const grant = authorization.validate(token, `${origin}/mcp`);
  if (typeof grant === 'string') return refuse(401, `, error="invalid_token", error_description="${grant}"`);
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const message = JSON.parse(body) as Message;
  const isWriting = message.method === 'tools/call' && message.params?.name === 'write';
  if (isWriting && !grant.scopes.includes('files:write'))
    return refuse(403, ', error="insufficient_scope", scope="files:write"');
  if (message.id === undefined) return void response.writeHead(202).end();
  json(response, 200, { jsonrpc: '2.0', id: message.id, ...resultOf(message, token) });
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

const inputSchema = { type: 'object', properties: {} };
const tools = ['read', 'write', 'echo'].map((name) => ({ name, description: `Runs ${name} on a file`, inputSchema }));

/** `echo` leaks the token that it got, as a careless server does. */
function resultOf({ method, params }: Message, token: string): Record<string, unknown> {
  const text = params?.name === 'echo' ? `token ${token} ${Buffer.from(token).toString('base64')}` : 'done';
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'files', version: '1.0.0' },
        },
      };
    case 'tools/list':
      return { result: { tools } };
    case 'tools/call':
      return { result: { content: [{ type: 'text', text }] } };
    case 'ping':
      return { result: {} };
    default:
      return { error: { code: -32601, message: 'Method not found' } };
  }
}
