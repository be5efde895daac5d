import type { WireReply } from '../wire/codec.ts';
import type { BatchApi } from './batch/batch-api.ts';
import type { ModelRequest } from './model.ts';
import type { ProviderConfig } from './models-config.ts';
import type { Send } from './send-request.ts';

/** A model of a provider: one request, one reply. */
export interface ReplyModel {
  send(request: ModelRequest, signal: AbortSignal): Promise<WireReply>;
}

/** A model that makes embeddings. */
export interface EmbeddingModel {
  /** The vectors in the order of the texts; those that cannot be read are left out. */
  embed(
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly vectors: readonly (readonly number[])[]; readonly inputTokens: number | undefined }>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** How a provider is reached. */
export interface Connection {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly config: ProviderConfig;
  readonly send: Send;
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
  /** Further names of it, under which the config may describe it too. */
  readonly aliases: readonly string[];
  readonly summary: string;
  /** The provider whose settings it has where the config has none under its own names. */
  readonly settingsOf?: string;
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
  /** A base URL as a user writes it, with the version that the API has at its end. */
  completeBaseUrl(baseUrl: string, env: Environment): string;
  open(model: string, connection: Connection): ReplyModel;
  /** The same for a model that makes embeddings; absent where the provider has none. */
  openEmbedding?(model: string, connection: Connection): EmbeddingModel;
  /** How its batches are spoken to, at which share of the usual price; absent where it has none. */
  readonly batches?: { readonly priceShare: number; open(): Promise<BatchApi> };
}

/** Facts of a provider that says nothing else. */
export const plainProvider = {
  aliases: [],
  modelPrefixes: [],
  knownModels: [],
  keyVariables: [],
  baseUrlVariable: undefined,
  defaultBaseUrl: undefined,
  needsKey: true,
  priceName: undefined,
  completeBaseUrl: trimmed,
} satisfies Partial<Provider>;

/** Names under which the config may have settings of a provider. */
export function settingsNames({ aliases, settingsOf }: Provider): readonly string[] {
  return settingsOf === undefined ? aliases : [...aliases, settingsOf];
}

const versionAtEnd = /\/v\d+(?:alpha|beta)?\d*$/;

/** Adds the version to a base URL that has none, such as `https://api.anthropic.com`. */
export function withVersion(baseUrl: string, version: string): string {
  const url = trimmed(baseUrl);
  return versionAtEnd.test(url) ? url : `${url}/${version}`;
}

/** The same for APIs whose base URL may end in any path: only a bare host is completed. */
export function withPathOnHost(baseUrl: string, path: string): string {
  const url = trimmed(baseUrl);
  return /^https?:\/\/[^/]+$/.test(url) ? `${url}/${path}` : url;
}

function trimmed(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '');
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
