import { authorizationFault } from './fault.ts';
import type { OAuthSettings } from './oauth-settings.ts';
import type { OAuthClient } from './tokens.ts';

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
