import * as z from 'zod';
import { authorizationFault } from './fault.ts';
import type { OAuthClient } from './tokens.ts';

const variable = z.string().regex(/^[A-Za-z_]\w*$/, 'must be the name of an environment variable, not a secret');

/** The key `oauth` of a server that is reached over HTTP. */
export function oauthSettingsSchema() {
  return z
    .strictObject({
      clientId: z
        .string()
        .min(1)
        .optional()
        .describe('client registered with the authorization server, or the https address of its metadata document'),
      clientSecretEnv: variable.optional().describe('environment variable with the secret of the client'),
      refreshTokenEnv: variable
        .optional()
        .describe('environment variable with a refresh token, for runs without a login'),
      grant: z
        .enum(['login', 'client-credentials'])
        .default('login')
        .describe('login: as the user who ran `assay mcp login`; client-credentials: as the client itself'),
      issuer: z
        .url({ protocol: /^https?$/ })
        .optional()
        .describe('the only authorization server that gets credentials'),
      scopes: z
        .array(z.string().min(1))
        .optional()
        .describe('scopes to request instead of those that the server names'),
    })
    .superRefine(({ clientId, clientSecretEnv, refreshTokenEnv, grant, issuer }, { addIssue }) => {
      const needs = (key: string, why: string): void =>
        addIssue({ code: 'custom', path: [key], message: `\`${key}\` is missing: ${why}` });
      const hasSecret = clientSecretEnv !== undefined || refreshTokenEnv !== undefined;
      if (hasSecret && issuer === undefined) needs('issuer', 'credentials are sent to no other authorization server');
      if (hasSecret && clientId === undefined) needs('clientId', 'credentials belong to a client');
      if (grant === 'client-credentials' && clientSecretEnv === undefined)
        needs('clientSecretEnv', '`grant: client-credentials` needs the secret of a client');
    });
}

export type OAuthSettings = z.output<ReturnType<typeof oauthSettingsSchema>>;

type Env = Readonly<Record<string, string | undefined>>;

/** The client that the settings of a server name; undefined where they name none. */
export function configuredClient(settings: OAuthSettings | undefined, env: Env): OAuthClient | undefined {
  if (settings?.clientId === undefined) return undefined;
  const { clientId, clientSecretEnv } = settings;
  return clientSecretEnv === undefined ? { clientId } : { clientId, clientSecret: variableOf(clientSecretEnv, env) };
}

export function variableOf(name: string, env: Env): string {
  const value = env[name];
  if (value) return value;
  throw authorizationFault(`the environment variable ${name} is not set`, 'MCP_LOGIN_REQUIRED');
}
