export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

type Environment = Readonly<Record<string, string | undefined>>;

const proxyVariables = ['http_proxy', 'https_proxy', 'all_proxy'].flatMap((name) => [name, name.toUpperCase()]);

/** `fetch`, through the proxies that the environment names; what speaks to proxies is loaded where one is named. */
export function fetchIn(env: Environment): Fetch {
  if (!proxyVariables.some((name) => env[name]?.trim())) return fetch;
  let loaded: Promise<Fetch> | undefined;
  return async (url, init) => {
    loaded ??= import('./proxied-fetch.ts').then(({ proxiedFetch }) => proxiedFetch(env));
    return (await loaded)(url, init);
  };
}
