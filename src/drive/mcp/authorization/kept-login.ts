import * as z from 'zod';
import { parseJson } from '../../../shared/json.ts';
import { lazySchema } from '../../../shared/lazy-schema.ts';
import { type Keyring, keepIn } from './keyring.ts';

/** A client that was registered with one authorization server, and is never used with another. */
const keptClientSchema = lazySchema(() =>
  z.object({ clientId: z.string(), clientSecret: z.string().optional(), redirectUri: z.string() }),
);
export type KeptClient = z.infer<typeof keptClientSchema>;

const keptLoginSchema = lazySchema(() =>
  z.object({
    clientId: z.string(),
    clientSecret: z.string().optional(),
    accessToken: z.string().optional(),
    refreshToken: z.string().optional(),
    scopes: z.array(z.string()).optional(),
    expiresAtMs: z.number().optional(),
  }),
);
/** Tokens for one resource of one authorization server, with the client that they were issued to. */
export type KeptLogin = z.infer<typeof keptLoginSchema>;

/** The keyring of Windows takes no longer values. */
const longestValue = 2_400;

/** Logins in a keyring, by the issuer that they belong to. */
export class KeptLogins {
  readonly #keyring: Keyring;

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  async client(issuer: string): Promise<KeptClient | undefined> {
    return keptClientSchema.safeParse(await this.#read(clientAccount(issuer))).data;
  }

  keepClient(issuer: string, client: KeptClient): Promise<void> {
    return keepIn(this.#keyring, clientAccount(issuer), JSON.stringify(client));
  }

  async login(issuer: string, resource: string): Promise<KeptLogin | undefined> {
    return keptLoginSchema.safeParse(await this.#read(loginAccount(issuer, resource))).data;
  }

  /** The access token is left out where both do not fit: it can be had again. */
  keepLogin(issuer: string, resource: string, login: KeptLogin): Promise<void> {
    const whole = JSON.stringify(login);
    const { accessToken: _accessToken, ...renewable } = login;
    const fits = whole.length <= longestValue || login.refreshToken === undefined;
    return keepIn(this.#keyring, loginAccount(issuer, resource), fits ? whole : JSON.stringify(renewable));
  }

  /** Whether there was a login. */
  async forget(issuer: string, resource: string): Promise<boolean> {
    await this.#keyring.delete(clientAccount(issuer));
    return this.#keyring.delete(loginAccount(issuer, resource));
  }

  async #read(account: string): Promise<unknown> {
    const text = await this.#keyring.get(account);
    return text === undefined ? undefined : parseJson(text);
  }
}

function clientAccount(issuer: string): string {
  return `mcp-client ${issuer}`;
}

function loginAccount(issuer: string, resource: string): string {
  return `mcp-login ${issuer} ${resource}`;
}
