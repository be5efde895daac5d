import { anthropicMessages } from '../../wire/anthropic-messages/codec.ts';
import { gemini } from '../../wire/gemini/codec.ts';
import { writeChatRequest } from '../../wire/openai-chat/request.ts';
import type { Connection, Environment, Provider, ReplyModel } from '../provider.ts';
import { cacheMark } from './anthropic.ts';
import { chatModel } from './chat-model.ts';

/** Models of Google Cloud's Vertex AI: Gemini, Claude, and models of other publishers as `publisher/model`. */
export const vertex: Provider = {
  name: 'vertex',
  aliases: ['vertex-ai', 'google-vertex'],
  summary: 'Vertex AI of Google Cloud: Gemini, Claude, and `publisher/model`',
  settingsNames: ['vertex-ai', 'google-vertex'],
  modelPrefixes: [],
  knownModels: [],
  keyVariables: ['GOOGLE_VERTEX_ACCESS_TOKEN', 'CLOUDSDK_AUTH_ACCESS_TOKEN'],
  baseUrlVariable: 'GOOGLE_VERTEX_BASE_URL',
  defaultBaseUrl: undefined,
  needsKey: true,
  priceName: 'google',
  environment: {
    credentialVariables: ['GOOGLE_APPLICATION_CREDENTIALS'],
    addressVariables: [
      'GOOGLE_CLOUD_PROJECT',
      'GOOGLE_VERTEX_PROJECT',
      'GOOGLE_CLOUD_LOCATION',
      'GOOGLE_VERTEX_LOCATION',
    ],
    read: (env) => ({
      baseUrl: addressIn(env),
      hasCredentials: Boolean(env.GOOGLE_APPLICATION_CREDENTIALS?.trim()),
      secrets: [],
    }),
  },
  completeBaseUrl(baseUrl, env) {
    const trimmed = baseUrl.replace(/\/+$/, '');
    const path = pathIn(env);
    // A bare host is that of a proxy in front of Vertex AI.
    return /^https?:\/\/[^/]+$/.test(trimmed) && path !== undefined ? `${trimmed}${path}` : trimmed;
  },
  async open(model, connection) {
    const authorized = await authorizedFetch(connection);
    if (model.startsWith('claude-')) return openClaude(model, connection, authorized);
    return model.includes('/') ? openOther(model, connection, authorized) : openGemini(model, connection, authorized);
  },
};

function projectIn(env: Environment): string | undefined {
  return env.GOOGLE_CLOUD_PROJECT?.trim() || env.GOOGLE_VERTEX_PROJECT?.trim() || undefined;
}

function locationIn(env: Environment): string {
  return env.GOOGLE_CLOUD_LOCATION?.trim() || env.GOOGLE_VERTEX_LOCATION?.trim() || 'global';
}

function pathIn(env: Environment): string | undefined {
  const project = projectIn(env);
  if (project === undefined) return undefined;
  return `/v1/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(locationIn(env))}`;
}

function addressIn(env: Environment): string | undefined {
  const path = pathIn(env);
  const location = locationIn(env);
  if (path === undefined || !/^[a-z0-9-]+$/.test(location)) return undefined;
  return `https://${location === 'global' ? '' : `${location}-`}aiplatform.googleapis.com${path}`;
}

type Fetch = Connection['fetch'];

/** The SDKs send keys in the headers of their APIs; Vertex AI takes an access token. */
async function authorizedFetch({ apiKey, env, fetch }: Connection): Promise<Fetch> {
  const { accessTokens } = await import('./google-token.ts');
  const tokenOf = apiKey === '' ? accessTokens(env.GOOGLE_APPLICATION_CREDENTIALS?.trim() ?? '', fetch) : undefined;
  return async (input, init) => {
    const {
      'x-goog-api-key': _google,
      'x-api-key': _anthropic,
      'anthropic-version': _version,
      ...headers
    } = Object.fromEntries(new Headers(init?.headers));
    const token = tokenOf ? await tokenOf(init?.signal ?? undefined) : apiKey;
    return fetch(input, { ...init, headers: { ...headers, authorization: `Bearer ${token}` } });
  };
}

/** The SDKs refuse to work without a key, which is not sent. */
const noKey = 'not-sent';

async function openGemini(model: string, { baseUrl, headers }: Connection, fetch: Fetch): Promise<ReplyModel> {
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
  const { sdkModel } = await import('../sdk-model.ts');
  const sdk = createGoogleGenerativeAI({ baseURL: `${baseUrl}/publishers/google`, apiKey: noKey, headers, fetch });
  return sdkModel(sdk(model), gemini);
}

function openOther(model: string, { baseUrl, headers }: Connection, fetch: Fetch): ReplyModel {
  return chatModel(model, { baseUrl: `${baseUrl}/endpoints/openapi`, headers, fetch }, ({ output, ...request }) =>
    writeChatRequest({ ...request, ...(output && { output: { name: output.name } }) }),
  );
}

/** Claude is sent the Messages API without the model, which is part of the address. */
async function openClaude(model: string, { baseUrl, headers }: Connection, fetch: Fetch): Promise<ReplyModel> {
  const { createAnthropic } = await import('@ai-sdk/anthropic');
  const url = `${baseUrl}/publishers/anthropic/models/${encodeURIComponent(model)}:rawPredict`;
  const toVertex: Fetch = (_input, init) => {
    const { model: _model, ...body } = JSON.parse(String(init?.body));
    return fetch(url, { ...init, body: JSON.stringify({ ...body, anthropic_version: 'vertex-2023-10-16' }) });
  };
  const { sdkModel } = await import('../sdk-model.ts');
  const sdk = createAnthropic({ baseURL: baseUrl, apiKey: noKey, headers, fetch: toVertex });
  return sdkModel(sdk(model), anthropicMessages, undefined, cacheMark);
}
