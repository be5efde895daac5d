import type { AgentKind, AgentSettings } from '../agents/agent.ts';
import type { RouteTarget } from './route.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a value of an agent's settings comes from and goes to: one of its settings, or one of its variables. */
type Place = 'setting' | { readonly variable: string };

/** One provider of an agent, and the places in which its address and its keys stand. */
interface AgentRoute {
  readonly target: RouteTarget;
  readonly url: Place;
  /** In the order of the keys of the target. */
  readonly keys: readonly Place[];
}

/** The variables that clients of the known providers take their address and their keys from. */
const knownVariables: Readonly<Record<string, readonly string[]>> = {
  OPENAI_BASE_URL: ['OPENAI_API_KEY'],
  ANTHROPIC_BASE_URL: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
  GOOGLE_GEMINI_BASE_URL: ['GEMINI_API_KEY'],
  COPILOT_PROVIDER_BASE_URL: ['COPILOT_PROVIDER_API_KEY'],
};

/** The providers that an agent would send its requests to; none where the gateway cannot stand in for them. */
export function agentRoutes(kind: AgentKind, settings: AgentSettings, env: Environment): AgentRoute[] {
  const { modelApi } = kind;
  if (!modelApi || settings.gateway === false) return [];
  const inherited = new Set(kind.inheritedVariables);
  const valueIn = (name: string): string | undefined =>
    (settings.env[name] ?? (inherited.has(name) ? env[name] : undefined)) || undefined;
  const keysIn = (variables: readonly string[]) =>
    variables.flatMap((variable) => {
      const key = valueIn(variable);
      return key === undefined ? [] : [{ key, place: { variable } }];
    });
  const apiKey = settings.apiKey ? [{ key: settings.apiKey, place: 'setting' as const }] : [];
  if (modelApi.api === null) {
    const ofVariables = Object.entries(knownVariables).flatMap(([variable, keyVariables]) =>
      routeTo(valueIn(variable), { variable }, keysIn(keyVariables)),
    );
    return [...routeTo(settings.baseUrl, 'setting', apiKey), ...ofVariables];
  }
  const url = settings.baseUrl ?? modelApi.urlVariables.map(valueIn).find(Boolean) ?? modelApi.defaultUrl;
  return routeTo(url ?? undefined, 'setting', [...apiKey, ...keysIn(modelApi.keyVariables)]);
}

function routeTo(
  url: string | undefined,
  place: Place,
  keys: readonly { readonly key: string; readonly place: Place }[],
): AgentRoute[] {
  if (url === undefined || !/^https?:\/\//.test(url) || !URL.canParse(url)) return [];
  const target = { baseUrl: new URL(url), keys: keys.map(({ key }) => key) };
  return [{ target, url: place, keys: keys.map((key) => key.place) }];
}

/** The address of the gateway for one provider, with its placeholders. */
interface GatewayPlace {
  readonly route: AgentRoute;
  readonly url: string;
  readonly placeholders: readonly string[];
}

/** Settings and environment with which an agent goes to the gateway, and knows no key of its providers. */
export function routedAgent(
  kind: AgentKind,
  settings: AgentSettings,
  env: Environment,
  places: readonly GatewayPlace[],
): { readonly settings: AgentSettings; readonly env: Environment } {
  const { urlVariables = [], keyVariables = [] } = kind.modelApi ?? {};
  const withheld = new Set([...urlVariables, ...keyVariables, ...kind.keyVariables]);
  const isKept = ([name]: readonly [string, unknown]): boolean => !withheld.has(name);
  const variables = Object.fromEntries(Object.entries(settings.env).filter(([name]) => !urlVariables.includes(name)));
  let { baseUrl, apiKey } = settings;
  for (const { route, url, placeholders } of places) {
    if (route.url === 'setting') baseUrl = url;
    else variables[route.url.variable] = url;
    for (const [index, place] of route.keys.entries()) {
      const placeholder = placeholders[index] ?? '';
      if (place === 'setting') apiKey = placeholder;
      else variables[place.variable] = placeholder;
    }
    // An agent that insists on a key has one to send, although its provider wants none.
    if (route.keys.length === 0 && (kind.keyVariables.length > 0 || route.url === 'setting')) apiKey = placeholders[0];
  }
  const directly = [env.NO_PROXY ?? env.no_proxy, '127.0.0.1'].filter(Boolean).join(',');
  return {
    settings: { ...settings, baseUrl, apiKey, env: { ...variables, NO_PROXY: directly, no_proxy: directly } },
    env: Object.fromEntries(Object.entries(env).filter(isKept)),
  };
}
