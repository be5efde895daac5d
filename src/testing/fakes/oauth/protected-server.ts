import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Era } from '../../../drive/mcp/session.ts';
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
  /** The methods of all messages to the MCP server that had a good token, in order. */
  readonly methods: (string | undefined)[];
}

interface Placement {
  /** Path of the issuer, such as `/tenant`. */
  readonly issuerPath?: string;
  /** Of the MCP server. */
  readonly era?: Era;
}

/** Starts both; they end with the test. */
export async function startProtectedServer(
  switches: OAuthSwitches = {},
  { issuerPath = '', era = 'legacy' }: Placement = {},
): Promise<ProtectedServer> {
  const authorization = new AuthorizationServer(switches);
  const authorizationHeaders: (string | undefined)[] = [];
  const methods: (string | undefined)[] = [];
  let origin = '';
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '/', 'http://any');
    const document = metadataAt(pathname, origin, issuerPath, authorization);
    if (document !== undefined) return void sendDocument(document, switches, response);
    if (pathname === '/mcp')
      return answerMcp(request, response, { origin, era, authorization, authorizationHeaders, methods });
    const own = pathname.startsWith(issuerPath) ? pathname.slice(issuerPath.length) : '';
    if (!(await authorization.handle(own, request, response))) response.writeHead(404).end();
  };
  const server = createServer((request, response) => void answer(request, response));
  origin = await listen(server, 'http');
  authorization.issuer = `${origin}${issuerPath}`;
  const { issuer } = authorization;
  return { url: `${origin}/mcp`, issuer, authorization, switches, authorizationHeaders, methods };
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

function sendDocument(
  document: unknown,
  { metadataNotJson, metadataMovedTo: location }: OAuthSwitches,
  response: ServerResponse,
): void {
  if (location !== undefined) response.writeHead(302, { location }).end();
  else if (metadataNotJson) response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
  else json(response, 200, document);
}

interface Served {
  readonly origin: string;
  readonly era: Era;
  readonly authorization: AuthorizationServer;
  readonly authorizationHeaders: (string | undefined)[];
  readonly methods: (string | undefined)[];
}

async function answerMcp(
  request: IncomingMessage,
  response: ServerResponse,
  { origin, era, authorization, authorizationHeaders, methods }: Served,
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
  methods.push(message.method);
  const isWriting = message.method === 'tools/call' && message.params?.name === 'write';
  if (isWriting && !grant.scopes.includes('files:write'))
    return refuse(403, ', error="insufficient_scope", scope="files:write"');
  if (message.id === undefined) return void response.writeHead(202).end();
  const answer = era === 'modern' ? modernAnswer(message, request, token) : legacyAnswer(message, token);
  json(response, statusOf(era, answer), { jsonrpc: '2.0', id: message.id, ...answer });
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

const inputSchema = { type: 'object', properties: {} };
const tools = ['read', 'write', 'echo'].map((name) => ({ name, description: `Runs ${name} on a file`, inputSchema }));

type Answer = { readonly result: object } | { readonly error: { readonly code: number; readonly message: string } };

const notFound = { error: { code: -32_601, message: 'Method not found' } };
const capabilities = { tools: {} };
const serverInfo = { name: 'files', version: '1.0.0' };

function legacyAnswer(message: Message, token: string): Answer {
  switch (message.method) {
    case 'initialize':
      return { result: { protocolVersion: '2025-11-25', capabilities, serverInfo } };
    case 'ping':
      return { result: {} };
    default:
      return toolAnswer(message, token);
  }
}

/** `echo` leaks the token that it got, as a careless server does. */
function toolAnswer({ method, params }: Message, token: string): Answer {
  const text = params?.name === 'echo' ? `token ${token} ${Buffer.from(token).toString('base64')}` : 'done';
  if (method === 'tools/list') return { result: { tools } };
  return method === 'tools/call' ? { result: { content: [{ type: 'text', text }] } } : notFound;
}

const modernVersion = '2026-07-28';
const metaPrefix = 'io.modelcontextprotocol/';

/** Every request names its version, in its headers as in its body; there is no handshake. */
function modernAnswer(message: Message, { headers }: IncomingMessage, token: string): Answer {
  const { method, params } = message;
  const version = (params?._meta as Message['params'])?.[`${metaPrefix}protocolVersion`];
  if (method === 'initialize') return notFound;
  if (version !== modernVersion) return { error: { code: -32_602, message: 'The protocol version is missing' } };
  if (headers['mcp-protocol-version'] !== version || headers['mcp-method'] !== method)
    return { error: { code: -32_020, message: 'The headers do not fit the body' } };
  const _meta = { [`${metaPrefix}serverInfo`]: serverInfo };
  const cache = method === 'tools/call' ? {} : { ttlMs: 60_000, cacheScope: 'private' };
  const offered = { supportedVersions: [modernVersion], capabilities };
  const answer = method === 'server/discover' ? { result: offered } : toolAnswer(message, token);
  return 'error' in answer ? answer : { result: { resultType: 'complete', ...answer.result, ...cache, _meta } };
}

function statusOf(era: Era, answer: Answer): number {
  if (era === 'legacy' || 'result' in answer) return 200;
  return answer.error.code === notFound.error.code ? 404 : 400;
}
