import { AssayError } from '../../domain/errors.ts';
import type { ModelApi } from '../../domain/trace-schema.ts';
import type { RouteTarget } from './route.ts';

/** One provider of a program. */
export interface ProgramRoute {
  readonly target: RouteTarget;
  /** The variables that a client of the API takes its address and its key from. */
  readonly urlVariable: string;
  readonly keyVariable: string;
}

interface ProviderDefaults extends Omit<ProgramRoute, 'target'> {
  readonly url: string;
}

const openai = {
  url: 'https://api.openai.com/v1',
  urlVariable: 'OPENAI_BASE_URL',
  keyVariable: 'OPENAI_API_KEY',
};

const providers: Readonly<Record<ModelApi, ProviderDefaults>> = {
  'openai-chat': openai,
  'openai-responses': openai,
  'anthropic-messages': {
    url: 'https://api.anthropic.com',
    urlVariable: 'ANTHROPIC_BASE_URL',
    keyVariable: 'ANTHROPIC_API_KEY',
  },
  gemini: {
    url: 'https://generativelanguage.googleapis.com',
    urlVariable: 'GOOGLE_GEMINI_BASE_URL',
    keyVariable: 'GEMINI_API_KEY',
  },
};

/** Where the requests of a program go: to one provider, or each API to its own. */
export function programRoutes(
  api: ModelApi | undefined,
  upstream: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): ProgramRoute[] {
  if (upstream !== undefined && !(/^https?:\/\//.test(upstream) && URL.canParse(upstream))) {
    throw new AssayError('USAGE', `--upstream must be an http or https URL, not "${upstream}".`);
  }
  const chosen = api === undefined ? (upstream === undefined ? allProviders() : [openai]) : [providers[api]];
  return chosen.map(({ url, urlVariable, keyVariable }) => {
    const key = env[keyVariable]?.trim();
    const baseUrl = new URL(upstream ?? env[urlVariable]?.trim() ?? url);
    return { target: { baseUrl, keys: key ? [key] : [], passesOtherKeys: true }, urlVariable, keyVariable };
  });
}

function allProviders(): ProviderDefaults[] {
  return [...new Set(Object.values(providers))];
}
