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
  const state = randomBytes(16).toString('base64url');
  const verifier = randomBytes(32).toString('base64url');
  const url = new URL(authorizationEndpoint);
  const fields = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: s256(verifier),
    code_challenge_method: 'S256',
    resource,
    ...(scopes && scopes.length > 0 && { scope: scopes.join(' ') }),
  };
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return { url, state, verifier, redirectUri, server };
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
