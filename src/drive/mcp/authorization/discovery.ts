import type { BearerChallenge } from './challenge.ts';
import { authorizationFault } from './fault.ts';
import { assertSecure, type OAuthHttp } from './oauth-http.ts';

type Json = Readonly<Record<string, unknown>>;

/** Metadata of an authorization server (RFC 8414, OpenID Connect Discovery), as far as it is used. */
export interface AuthorizationServer {
  /** Exactly as the server writes it: credentials are kept by it, and answers are compared with it. */
  readonly issuer: string;
  readonly tokenEndpoint: URL;
  readonly authorizationEndpoint: URL | undefined;
  readonly registrationEndpoint: URL | undefined;
  readonly revocationEndpoint: URL | undefined;
  readonly introspectionEndpoint: URL | undefined;
  readonly deviceAuthorizationEndpoint: URL | undefined;
  readonly codeChallengeMethods: readonly string[] | undefined;
  readonly tokenAuthMethods: readonly string[] | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly namesIssuerInAnswers: boolean;
  readonly takesMetadataDocuments: boolean;
}

/** Who issues tokens for a server, and for what. */
export interface Discovery {
  readonly server: AuthorizationServer;
  /** Identifies the MCP server in requests for tokens (RFC 8707). */
  readonly resource: string;
  /** Scopes to request when nothing else is known. */
  readonly scopes: readonly string[] | undefined;
}

interface DiscoveryRequest {
  readonly url: URL;
  readonly challenge: BearerChallenge | undefined;
  /** The only authorization server that may be used. */
  readonly issuer: string | undefined;
}

/**
 * Finds the authorization server of an MCP server, and believes only metadata that names the right ones. Undefined for a
 * server that has no metadata at all: it wants something else than OAuth.
 */
export async function discover(
  { url, challenge, issuer }: DiscoveryRequest,
  http: OAuthHttp,
  signal: AbortSignal,
): Promise<Discovery | undefined> {
  const described = await protectedResource(url, challenge, http, signal);
  // A server from before RFC 9728 is its own authorization server.
  const { resource, issuers, scopes } = described ?? ownAuthorizationServer(url);
  if (issuer !== undefined && !issuers.includes(issuer))
    throw authorizationFault(
      `its authorization server is ${issuers.join(', ')}, not ${issuer}, which the credentials belong to`,
    );
  const chosen = issuer ?? issuers[0] ?? '';
  const { server, tried } = await authorizationServer(chosen, http, signal);
  if (server) return { server, resource, scopes };
  if (!described) return undefined;
  throw authorizationFault(`its authorization server ${chosen} has no metadata at ${tried.join(', ')}`);
}

interface ProtectedResource {
  readonly resource: string;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[] | undefined;
}

/** RFC 9728. */
async function protectedResource(
  url: URL,
  challenge: BearerChallenge | undefined,
  http: OAuthHttp,
  signal: AbortSignal,
): Promise<ProtectedResource | undefined> {
  for (const address of metadataAddresses(url, challenge?.resourceMetadata)) {
    const document = await http.document(address, signal);
    if (document) return resourceIn(document, address, url);
  }
  if (challenge?.resourceMetadata !== undefined)
    throw authorizationFault(`the metadata that it names does not exist: ${challenge.resourceMetadata}`);
  return undefined;
}

function ownAuthorizationServer(url: URL): ProtectedResource {
  return { resource: canonicalAddress(url), issuers: [url.origin], scopes: undefined };
}

function metadataAddresses(url: URL, named: string | undefined): URL[] {
  if (named !== undefined) return [addressIn(named, 'the header WWW-Authenticate', 'resource_metadata')];
  const place = '/.well-known/oauth-protected-resource';
  const paths = url.pathname === '/' ? [place] : [`${place}${withoutSlash(url.pathname)}`, place];
  return paths.map((path) => new URL(path, url.origin));
}

function resourceIn(document: Json, address: URL, url: URL): ProtectedResource {
  const { resource, authorization_servers: issuers } = document;
  if (resource === undefined)
    throw authorizationFault(`${address.href} names no \`resource\`, so it is not its metadata`);
  if (typeof resource !== 'string' || !URL.canParse(resource) || !isPartOf(url, new URL(resource)))
    throw authorizationFault(`${address.href} is the metadata of ${quoted(resource)}, not of this server`);
  const [first, ...others] = textsIn(issuers) ?? [];
  if (first === undefined) throw authorizationFault(`${address.href} names no authorization server`);
  return { resource, issuers: [first, ...others], scopes: textsIn(document.scopes_supported) };
}

/** Whether a resource is the server itself, or a folder on its host that contains it. */
function isPartOf(server: URL, resource: URL): boolean {
  const folder = withoutSlash(resource.pathname);
  const path = withoutSlash(server.pathname);
  return resource.origin === server.origin && (path === folder || path.startsWith(`${folder}/`));
}

/** The address of a server as the resource that tokens are bound to. */
export function canonicalAddress(url: URL): string {
  return `${url.origin}${withoutSlash(url.pathname)}${url.search}`;
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, '');
}

/** Tries the places of both standards in the order of the specification. */
async function authorizationServer(issuer: string, http: OAuthHttp, signal: AbortSignal) {
  const url = addressIn(issuer, 'the metadata of the server', 'authorization_servers');
  const tried: string[] = [];
  for (const address of issuerAddresses(url)) {
    const document = await http.document(address, signal);
    tried.push(address.href);
    if (document) return { server: serverIn(document, address, issuer), tried };
  }
  return { server: undefined, tried };
}

function issuerAddresses(issuer: URL): URL[] {
  const path = withoutSlash(issuer.pathname);
  const oauth = `/.well-known/oauth-authorization-server${path}`;
  const openId = '/.well-known/openid-configuration';
  const paths = path === '' ? [oauth, openId] : [oauth, `${openId}${path}`, `${path}${openId}`];
  return paths.map((place) => new URL(place, issuer.origin));
}

function serverIn(document: Json, address: URL, issuer: string): AuthorizationServer {
  if (document.issuer !== issuer)
    throw authorizationFault(`${address.href} is the metadata of ${quoted(document.issuer)}, not of ${issuer}`);
  const endpoint = (key: string): URL | undefined => {
    const text = document[key];
    if (text === undefined) return undefined;
    const url = addressIn(text, address.href, key);
    assertSecure(url);
    return url;
  };
  const tokenEndpoint = endpoint('token_endpoint');
  if (!tokenEndpoint) throw authorizationFault(`${address.href} has no \`token_endpoint\``);
  return {
    issuer,
    tokenEndpoint,
    authorizationEndpoint: endpoint('authorization_endpoint'),
    registrationEndpoint: endpoint('registration_endpoint'),
    revocationEndpoint: endpoint('revocation_endpoint'),
    introspectionEndpoint: endpoint('introspection_endpoint'),
    deviceAuthorizationEndpoint: endpoint('device_authorization_endpoint'),
    codeChallengeMethods: textsIn(document.code_challenge_methods_supported),
    tokenAuthMethods: textsIn(document.token_endpoint_auth_methods_supported),
    scopes: textsIn(document.scopes_supported),
    namesIssuerInAnswers: document.authorization_response_iss_parameter_supported === true,
    takesMetadataDocuments: document.client_id_metadata_document_supported === true,
  };
}

function addressIn(text: unknown, where: string, key: string): URL {
  if (typeof text === 'string' && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text);
  throw authorizationFault(`\`${key}\` in ${where} is not an address: ${quoted(text)}`);
}

function textsIn(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}

function quoted(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 200) ?? 'nothing';
}
