import { createHash, randomBytes } from 'node:crypto';
import type { AuthorizationServer, Discovery } from './discovery.ts';
import { authorizationFault } from './fault.ts';

/** One request for a code: everything that its answer is checked against. */
interface CodeRequest {
  /** The page where the user agrees. */
  readonly url: URL;
  readonly state: string;
  /** Proves to the token endpoint that the same program requested the code (PKCE). */
  readonly verifier: string;
  readonly redirectUri: string;
  readonly server: AuthorizationServer;
}

interface CodeRequestOptions {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[] | undefined;
}

/** Prepares a request for a code; refuses authorization servers that would not check PKCE. */
export function codeRequest({ server, resource }: Discovery, options: CodeRequestOptions): CodeRequest {
  const { clientId, redirectUri, scopes } = options;
  const { issuer, authorizationEndpoint, codeChallengeMethods } = server;
  if (!authorizationEndpoint) throw authorizationFault(`${issuer} has no \`authorization_endpoint\``);
  if (!codeChallengeMethods?.includes('S256'))
    throw authorizationFault(`${issuer} does not name S256 in \`code_challenge_methods_supported\``);
  const request = authorizationRequest(authorizationEndpoint, { clientId, redirectUri, scopes, resource });
  return { ...request, redirectUri, server };
}

interface AuthorizationFields extends Omit<CodeRequestOptions, 'scopes'> {
  readonly scopes?: readonly string[] | undefined;
  readonly resource: string | undefined;
  /** How the verifier is announced; suites also try requests without one. */
  readonly method?: 'S256' | 'plain' | 'none';
  readonly params?: Readonly<Record<string, string>>;
}

/** The page where a user agrees, and what its answer is checked against; the verifier is empty where none is announced. */
export function authorizationRequest(endpoint: URL, fields: AuthorizationFields) {
  const { clientId, redirectUri, scopes = [], resource, method = 'S256', params = {} } = fields;
  const state = randomBytes(16).toString('base64url');
  const verifier = method === 'none' ? '' : randomBytes(32).toString('base64url');
  const challenge = method === 'S256' ? s256(verifier) : verifier;
  const url = new URL(endpoint);
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    ...(challenge !== '' && { code_challenge: challenge, code_challenge_method: method }),
    ...(resource !== undefined && { resource }),
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...params,
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return { url, state, verifier };
}

export function s256(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** The code in an answer; nothing of an answer is believed before it is certain who sent it. */
export function codeIn(answer: URLSearchParams, { state, server }: CodeRequest): string {
  const { issuer, namesIssuerInAnswers } = server;
  if (answer.get('state') !== state) throw authorizationFault('the answer belongs to another login (wrong `state`)');
  const iss = answer.get('iss');
  if (iss === null && namesIssuerInAnswers) throw authorizationFault(`the answer does not name its issuer ${issuer}`);
  if (iss !== null && iss !== issuer) throw authorizationFault(`the answer comes from ${iss}, not from ${issuer}`);
  const error = answer.get('error');
  const description = answer.get('error_description');
  if (error !== null) {
    const why = description === null ? error : `${error}: ${description}`;
    throw authorizationFault(`the login was refused (${why.slice(0, 200)})`, 'MCP_LOGIN_REQUIRED');
  }
  const code = answer.get('code');
  if (code === null || code === '') throw authorizationFault('the answer has neither a code nor an error');
  return code;
}
