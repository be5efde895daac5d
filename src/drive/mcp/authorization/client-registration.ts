import type { AuthorizationServer } from './discovery.ts';
import { authorizationFault } from './fault.ts';
import type { KeptClient } from './kept-login.ts';
import type { OAuthHttp } from './oauth-http.ts';
import type { OAuthClient } from './tokens.ts';

/** Checks that a client of the settings can be used: an https address is a metadata document. */
export function assertUsable({ clientId }: OAuthClient, { issuer, takesMetadataDocuments }: AuthorizationServer): void {
  const isDocument = clientId.startsWith('https://');
  if (isDocument && new URL(clientId).pathname === '/')
    throw authorizationFault(`the metadata document ${clientId} has no path`, 'MCP_LOGIN_REQUIRED');
  if (isDocument && !takesMetadataDocuments)
    throw authorizationFault(`${issuer} does not take metadata documents such as ${clientId} as clients`);
}

/** Registers this program with an authorization server (RFC 7591). */
export async function registerClient(
  { issuer, registrationEndpoint }: AuthorizationServer,
  redirectUri: string,
  http: OAuthHttp,
  signal: AbortSignal,
): Promise<KeptClient> {
  if (!registrationEndpoint)
    throw authorizationFault(
      `${issuer} registers no clients by itself: register one there, and set \`oauth.clientId\``,
      'MCP_LOGIN_REQUIRED',
    );
  const wanted = {
    client_name: 'Assay',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  };
  const { status, body, summary } = await http.json(registrationEndpoint, wanted, signal);
  const { client_id: clientId, client_secret: clientSecret } = body;
  if (status < 200 || status > 299 || typeof clientId !== 'string')
    throw authorizationFault(`${issuer} did not register Assay as a client: ${summary}`);
  return { clientId, redirectUri, ...(typeof clientSecret === 'string' && { clientSecret }) };
}
