import { defaultStoreUrl } from '../../keep/store/open-store.ts';

/** Config of a project without a config file; written out because loading the schema takes time. */
export const defaultConfig = {
  scenarios: ['.'],
  store: defaultStoreUrl,
  concurrency: 32,
  timeoutSecs: 30,
  reporters: ['console'],
  models: { providers: {}, prices: {} },
  agents: {},
  gateway: true,
  profiles: {},
  isolation: 'auto' as const,
  network: 'open' as const,
  visible: [],
  connectors: {},
  personas: {},
  evals: {},
  plugins: [],
  evaluators: [],
  limits: {},
  bundle: { include: [], exclude: [], maxMegabytes: 200 },
  worker: { tags: [] },
  webhooks: [],
  retention: {},
  judge: { samples: 1, always: false, tokenBudget: 24_000, errors: 'error' as const, cache: true },
};
