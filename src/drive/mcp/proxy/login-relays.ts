import { AssayError } from '../../../domain/errors.ts';
import type { Authorization } from '../authorization/authorization.ts';
import type { Authorizations } from '../authorization/authorizations.ts';
import { type HttpServerDefinition, isHttpServer } from '../server-definition.ts';
import { httpAddressOf } from '../wire/http-address.ts';
import { WireError } from '../wire/wire.ts';
import { LoginRelay } from './login-relay.ts';
import type { ProxiedServer } from './open-recording.ts';

type Servers = Readonly<Record<string, ProxiedServer>>;
type Environment = Readonly<Record<string, string | undefined>>;

/** The logins of a run, and where they come from. */
interface Logins {
  readonly authorizations: Authorizations;
  /** Of the user. */
  readonly env: Environment;
}

/** For the question whether a login is needed, and for its tokens. */
const timeoutMs = 30_000;

/** Relays in front of those servers of a trial that require a login. */
export class LoginRelays implements AsyncDisposable {
  /** All servers, as the proxies of the agent reach them. */
  readonly servers: Servers;
  readonly #relays: ReadonlyMap<string, LoginRelay>;

  private constructor(servers: Servers, relays: ReadonlyMap<string, LoginRelay>) {
    this.servers = servers;
    this.#relays = relays;
  }

  static async open(servers: Servers, logins: Logins): Promise<LoginRelays> {
    const relays = new Map<string, LoginRelay>();
    const reached: Record<string, ProxiedServer> = {};
    const opened = new LoginRelays(reached, relays);
    try {
      for (const [label, server] of Object.entries(servers)) {
        const relay = isHttpServer(server.definition) ? await relayTo(label, server.definition, logins) : undefined;
        if (relay) relays.set(label, relay);
        reached[label] = relay ? { ...server, definition: relay.definition } : server;
      }
      return opened;
    } catch (error) {
      await opened[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Why a server could not be logged in to. */
  faultsOf(label: string): readonly AssayError[] {
    return this.#relays.get(label)?.faults ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#relays.values()].map((relay) => relay[Symbol.asyncDispose]()));
  }
}

async function relayTo(
  label: string,
  definition: HttpServerDefinition,
  { authorizations, env }: Logins,
): Promise<LoginRelay | undefined> {
  const authorization = authorizations.to(definition, env);
  if (!authorization || !(await isLoggedIn(label, definition, authorization, env))) return undefined;
  return LoginRelay.open({ label, definition, authorization, env });
}

/** Whether tokens are there for a server that requires them; without a login no agent need be started. */
async function isLoggedIn(
  label: string,
  definition: HttpServerDefinition,
  authorization: Authorization,
  env: Environment,
): Promise<boolean> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    if (definition.oauth) return (await authorization.headers(signal)).authorization !== undefined;
    const challenge = await challengeOf(definition, env, signal);
    if (challenge === undefined) return false;
    return await authorization.answer({ status: 401, challenge, sent: {}, refusalsBefore: 0 }, signal);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new AssayError(error.end.code, `The MCP server "${label}" ${error.end.what}.`);
  }
}

/** Asks without a token; an address that does not answer is the matter of the proxy, which reports it. */
async function challengeOf(
  definition: HttpServerDefinition,
  env: Environment,
  signal: AbortSignal,
): Promise<string | null | undefined> {
  try {
    const { url, headers, fetch } = httpAddressOf(definition, env);
    const isStream = definition.transport === 'sse';
    const response = await fetch(url, {
      method: isStream ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      ...(!isStream && { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }) }),
      redirect: 'manual',
      signal,
    });
    await response.body?.cancel();
    return response.status === 401 ? response.headers.get('www-authenticate') : undefined;
  } catch {
    return undefined;
  }
}
