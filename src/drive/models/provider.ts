import type { OpenAIProvider } from '@ai-sdk/openai';
import type { WireReply } from '../wire/codec.ts';
import type { BatchApi } from './batch/batch-api.ts';
import type { ModelRequest } from './model.ts';
import type { ProviderConfig } from './models-config.ts';

/** A model of a provider: one request, one reply. */
export interface ReplyModel {
  send(request: ModelRequest, signal: AbortSignal): Promise<WireReply>;
}
/** A model of the SDK that makes embeddings. */
export type EmbeddingModel = ReturnType<OpenAIProvider['embedding']>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** How a provider is reached. */
export interface Connection {
  /** The name of the provider as the user knows it. */
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly config: ProviderConfig;
  readonly fetch: typeof globalThis.fetch;
  /** For providers whose credentials are more than a key. */
  readonly env: Environment;
}

/** Variables of a provider whose credentials or address consist of several. */
interface ProviderEnvironment {
  /** Those that stand for a key; the first must be set. */
  readonly credentialVariables: readonly string[];
  /** Those that the address is made of; the first must be set where no base URL is. */
  readonly addressVariables: readonly string[];
  read(env: Environment): {
    readonly baseUrl: string | undefined;
    readonly hasCredentials: boolean;
    readonly secrets: readonly string[];
  };
}

/** A company or a kind of server that offers models. */
export interface Provider {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  /** Further names under which the config may describe it. */
  readonly settingsNames: readonly string[];
  /** How the names of its models begin, where a model is named without its provider. */
  readonly modelPrefixes: readonly string[];
  /** A few models, for lists and suggestions. */
  readonly knownModels: readonly string[];
  /** Variables that its key is read from, the first that is set. */
  readonly keyVariables: readonly string[];
  readonly baseUrlVariable: string | undefined;
  readonly defaultBaseUrl: string | undefined;
  readonly needsKey: boolean;
  /** Absent where a key and a base URL are all that it needs. */
  readonly environment?: ProviderEnvironment;
  /** Its name in the table of prices; undefined where it is found by the base URL. */
  readonly priceName: string | undefined;
  /** A base URL as a user writes it, with the version that the SDK expects at its end. */
  completeBaseUrl(baseUrl: string, env: Environment): string;
  /** Loads what this provider needs, and the SDK of no other. */
  open(model: string, connection: Connection): Promise<ReplyModel>;
  /** The same for a model that makes embeddings; undefined where the provider has none. */
  openEmbedding?(model: string, connection: Connection): Promise<EmbeddingModel>;
  /** How its batches are spoken to, at which share of the usual price; undefined where it has none. */
  readonly batches?: { readonly priceShare: number; open(): Promise<BatchApi> } | undefined;
}

const versionAtEnd = /\/v\d+(?:alpha|beta)?\d*$/;

/** Adds the version to a base URL that has none, such as `https://api.anthropic.com`. */
export function withVersion(baseUrl: string, version: string): string {
  const trimmed = baseUrl.replace(/\/+$/, '');
  return versionAtEnd.test(trimmed) ? trimmed : `${trimmed}/${version}`;
}

/** The same for APIs whose base URL may end in any path: only a bare host is completed. */
export function withVersionOnHost(baseUrl: string, version: string): string {
  const trimmed = baseUrl.replace(/\/+$/, '');
  return /^https?:\/\/[^/]+$/.test(trimmed) ? `${trimmed}/${version}` : trimmed;
}

/** A base URL without user and password, as it may be shown. */
export function shownUrl(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return baseUrl;
  const url = new URL(baseUrl);
  if (url.username === '' && url.password === '') return baseUrl;
  url.username = '';
  url.password = '';
  return url.href.replace(/\/$/, '');
}
