import { canonicalJson } from '../../../shared/json.ts';
import { expandVariables } from '../../../shared/variables.ts';
import type { HttpServerDefinition } from '../server-definition.ts';
import type { Authorization, AuthorizationHeaders } from './authorization.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The authorizations of a run: sessions with the same server share one, because a refresh token may work only once. */
export class Authorizations {
  readonly #shared = new Map<string, Authorization>();

  /** Undefined where the definition itself says what proves who sends the requests. */
  to(definition: HttpServerDefinition, env: Env): Authorization | undefined {
    const { url: text, headers, oauth } = definition;
    const names = Object.keys(headers).map((name) => name.toLowerCase());
    const address = expandVariables(text, env);
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (!url || names.includes('authorization') || url.username !== '' || url.password !== '') return undefined;
    const key = canonicalJson([url.href, oauth ?? null]);
    const shared = this.#shared.get(key) ?? onDemand(url, definition, env);
    this.#shared.set(key, shared);
    return shared;
  }
}

/** Loads nothing before the settings or a refusal require a token. */
function onDemand(url: URL, { oauth }: HttpServerDefinition, env: Env): Authorization {
  let loading: Promise<Authorization> | undefined;
  let loaded: Authorization | undefined;
  const load = async (): Promise<Authorization> => {
    loading ??= import('./bearer-authorization.ts').then(
      ({ BearerAuthorization }) => new BearerAuthorization({ url, settings: oauth, env }),
    );
    loaded = await loading;
    return loaded;
  };
  const none: AuthorizationHeaders = {};
  return {
    headers: async (signal) => (loaded || oauth ? (await load()).headers(signal) : none),
    answer: async (refusal, signal) => (await load()).answer(refusal, signal),
    redact: (text) => loaded?.redact(text) ?? text,
  };
}
