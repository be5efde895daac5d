import { anthropicMessages } from '../../wire/anthropic-messages/codec.ts';
import type { JsonObject, WireRequest } from '../../wire/codec.ts';
import { gemini } from '../../wire/gemini/codec.ts';
import { openaiChat } from '../../wire/openai-chat/codec.ts';
import { httpModel } from '../http-model.ts';
import { type Environment, type Provider, plainProvider, withPathOnHost } from '../provider.ts';
import { writeClaudeRequest } from './anthropic.ts';
import { accessTokens } from './google-token.ts';
import { writeWithoutSchema } from './openai-requests.ts';

/** Models of Google Cloud's Vertex AI: Gemini, Claude, and models of other publishers as `publisher/model`. */
export const vertex: Provider = {
  ...plainProvider,
  name: 'vertex',
  aliases: ['vertex-ai', 'google-vertex'],
  summary: 'Vertex AI of Google Cloud: Gemini, Claude, and `publisher/model`',
  keyVariables: ['GOOGLE_VERTEX_ACCESS_TOKEN', 'CLOUDSDK_AUTH_ACCESS_TOKEN'],
  baseUrlVariable: 'GOOGLE_VERTEX_BASE_URL',
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
    const path = pathIn(env);
    // A bare host is that of a proxy in front of Vertex AI.
    return path === undefined ? plainProvider.completeBaseUrl(baseUrl) : withPathOnHost(baseUrl, path);
  },
  open(model, { baseUrl, apiKey, headers, send, env }) {
    const tokenOf = apiKey === '' ? accessTokens(env.GOOGLE_APPLICATION_CREDENTIALS?.trim() ?? '', send) : undefined;
    return httpModel({
      ...apiOf(model, baseUrl),
      model,
      send,
      headers: async (_body, _url, signal) => ({
        ...headers,
        authorization: `Bearer ${tokenOf ? await tokenOf(signal) : apiKey}`,
      }),
    });
  },
};

/** The API of a model, which depends on its publisher. */
function apiOf(model: string, baseUrl: string): Pick<Parameters<typeof httpModel>[0], 'codec' | 'url' | 'write'> {
  if (model.startsWith('claude-')) {
    const url = `${baseUrl}/publishers/anthropic/models/${encodeURIComponent(model)}:rawPredict`;
    return { codec: anthropicMessages, url, write: writeVertexClaude };
  }
  if (!model.includes('/'))
    return { codec: gemini, url: `${baseUrl}/publishers/google/models/${model}:generateContent` };
  return { codec: openaiChat, url: `${baseUrl}/endpoints/openapi/chat/completions`, write: writeWithoutSchema };
}

/** Claude is sent the Messages API without the model, which is part of the address. */
function writeVertexClaude(request: WireRequest): JsonObject {
  const { model: _, ...body } = writeClaudeRequest(request);
  return { ...body, anthropic_version: 'vertex-2023-10-16' };
}

function projectIn(env: Environment): string | undefined {
  return env.GOOGLE_CLOUD_PROJECT?.trim() || env.GOOGLE_VERTEX_PROJECT?.trim() || undefined;
}

function locationIn(env: Environment): string {
  return env.GOOGLE_CLOUD_LOCATION?.trim() || env.GOOGLE_VERTEX_LOCATION?.trim() || 'global';
}

function pathIn(env: Environment): string | undefined {
  const project = projectIn(env);
  if (project === undefined) return undefined;
  return `v1/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(locationIn(env))}`;
}

function addressIn(env: Environment): string | undefined {
  const path = pathIn(env);
  const location = locationIn(env);
  if (path === undefined || !/^[a-z0-9-]+$/.test(location)) return undefined;
  return `https://${location === 'global' ? '' : `${location}-`}aiplatform.googleapis.com/${path}`;
}
