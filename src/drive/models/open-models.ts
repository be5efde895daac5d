import { AssayError } from '../../domain/errors.ts';
import type { HttpClient } from '../../shared/http/http-client.ts';
import { assertMayReceive } from '../../shared/project-trust.ts';
import { type Redact, redactionOf } from '../../shared/redaction/redaction.ts';
import { unsetVariables } from '../../shared/variables.ts';
import { type Clock, systemClock } from '../pacing/clock.ts';
import { type Pace, Paces } from '../pacing/pace.ts';
import type { BatchedCalls } from './batch/batched-calls.ts';
import { Breaker, withBreaker } from './breaker.ts';
import { type EndCall, withDeadline, withPace } from './deadline.ts';
import { Limiter, withLimits } from './limiter.ts';
import type { Model, Models } from './model.ts';
import { defaultProviderConfig, type ModelsConfig } from './models-config.ts';
import { findPrice, type Price, reducedPrice } from './prices.ts';
import type { Connection } from './provider.ts';
import { providerModel } from './provider-model.ts';
import {
  allProviderSettings,
  type MissingSetting,
  type ProviderSettings,
  providerSettings,
  serverOf,
} from './provider-settings.ts';
import { Recordings } from './recordings.ts';
import { type ReplayMode, withReplay } from './replay.ts';
import { type ResolvedModel, resolveModel } from './resolve-model.ts';
import { RetryBudget, withRetries } from './retry.ts';
import { type Send, sendThrough } from './send-request.ts';
import { Spending, withSpending } from './spending.ts';

export interface ModelsOptions {
  readonly config: ModelsConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes out secrets beside the keys of providers, before a reply is recorded or an error shown. */
  readonly redact: Redact;
  /** Where calls are recorded and replayed from; left out, every call is made. */
  readonly replay?: { readonly mode: ReplayMode; readonly directory: string } | undefined;
  /** No call is made that could take the cost of all calls above this. */
  readonly maxUsd?: number | undefined;
  /** Shared with others who spend; it has its own limit. */
  readonly spending?: Spending | undefined;
  /** Shared with others who send requests for the same run; its own where it is left out. */
  readonly paces?: Paces | undefined;
  /** Calls are answered from batches, and those without a reply are collected for the next one. */
  readonly batch?: BatchedCalls | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

/** Shared by all calls to one provider. */
interface ProviderLane {
  readonly limiter: Limiter;
  readonly breaker: Breaker;
  readonly retries: RetryBudget;
}

/** Opens the models of a project; nothing is loaded or connected before one is prompted. */
export function openModels(options: ModelsOptions): Models {
  return new ProjectModels(options);
}

class ProjectModels implements Models {
  readonly #options: ModelsOptions;
  readonly #clock: Clock;
  readonly #spending: Spending;
  readonly #redact: Redact;
  readonly #replay: { readonly mode: Exclude<ReplayMode, 'off'>; readonly recordings: Recordings } | undefined;
  readonly #beganMs: number;
  readonly #models = new Map<string, Model>();
  readonly #lanes = new Map<string, ProviderLane>();
  readonly #paces: Paces;
  readonly #underWay = new Set<EndCall>();
  #client: Promise<HttpClient> | undefined;

  constructor(options: ModelsOptions) {
    const { config, env, replay, maxUsd, spending, redact } = options;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#paces = options.paces ?? new Paces(this.#clock);
    this.#beganMs = this.#clock.nowMs();
    this.#spending = spending ?? new Spending(maxUsd);
    const withoutKeys = redactionOf(allProviderSettings(config, env).flatMap(({ secrets }) => secrets));
    this.#redact = (text) => redact(withoutKeys(text));
    if (!replay || replay.mode === 'off') return;
    this.#replay = { mode: replay.mode, recordings: new Recordings(replay.directory, this.#redact) };
  }

  async find(name: string): Promise<Model> {
    const resolved = resolveModel(name, this.#options.config);
    const opened = this.#models.get(resolved.name);
    if (opened) return opened;
    const { config, env } = this.#options;
    const settings = providerSettings(resolved.provider, resolved.providerName, config, env);
    const model = { ...this.#modelOf(resolved, settings), server: serverOf(settings) };
    this.#models.set(resolved.name, model);
    return model;
  }

  spentUsd(): number {
    return this.#spending.spentUsd;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#underWay) end(new AssayError('INTERRUPTED', 'The models of the run were closed.'));
    const client = await this.#client;
    client?.[Symbol.dispose]();
  }

  /** A replayed call needs no key, so a missing one is reported only when a request has to be sent. */
  #modelOf(resolved: ResolvedModel, settings: ProviderSettings): Model {
    const { batch } = this.#options;
    if (batch) return this.#batchedModel(resolved, settings, batch);
    if (!this.#replay || this.#replay.mode === 'record') {
      if (settings.missing) throw notSetUp(resolved, settings.missing);
      if (!this.#replay) return this.#providerModel(resolved, settings);
    }
    const { missing } = settings;
    const inner = missing
      ? { name: resolved.name, generate: () => Promise.reject(notSetUp(resolved, missing)) }
      : this.#providerModel(resolved, settings);
    return withReplay(inner, { ...this.#replay, beganMs: this.#beganMs, nowMs: () => this.#clock.nowMs() });
  }

  /** Nothing is sent, so none of the rules of a call applies. */
  #batchedModel(resolved: ResolvedModel, settings: ProviderSettings, batch: BatchedCalls): Model {
    const { batches } = resolved.provider;
    if (settings.missing) throw notSetUp(resolved, settings.missing);
    if (!batches) throw noBatches(resolved.name);
    const usual = this.#priceOf(resolved, settings);
    const price = async (): Promise<Price | null> => {
      const found = await usual();
      return found && reducedPrice(found, batches.priceShare);
    };
    const connect = async () => this.#connection(settings, batch.sendOf(settings.name));
    return providerModel(resolved, { connect, price, redact: this.#redact, clock: this.#clock });
  }

  /** The layers of a call, from the provider outwards; docs/explanation/decisions/0005-model-calls.md says why in this order. */
  #providerModel(resolved: ResolvedModel, settings: ProviderSettings): Model {
    const { random = Math.random } = this.#options;
    const { limiter, breaker, retries } = this.#laneOf(settings);
    const clock = this.#clock;
    const price = this.#priceOf(resolved, settings);
    const pace = this.#paces.of(originOf(settings), settings.apiKey ?? '');
    const connect = () => this.#connect(settings, pace);
    let model = providerModel(resolved, { connect, price, redact: this.#redact, clock });
    model = withBreaker(model, breaker);
    model = withSpending(model, this.#spending, price);
    model = withLimits(model, limiter);
    model = withRetries(model, { budget: retries, clock, random, countWait: (ms) => pace.countWait(ms) });
    // Outermost: the time until it is a call's turn is not part of its time limit.
    return withPace(withDeadline(model, settings.config.timeoutSecs * 1_000, this.#underWay), pace);
  }

  #laneOf({ name, config: { concurrency, requestsPerMinute } }: ProviderSettings): ProviderLane {
    const clock = this.#clock;
    const lane = this.#lanes.get(name) ?? {
      limiter: new Limiter({ concurrency, requestsPerMinute, clock }),
      breaker: new Breaker(name, clock),
      retries: new RetryBudget(),
    };
    this.#lanes.set(name, lane);
    return lane;
  }

  /** Looked up once, and not before it is needed: the table of prices is large. */
  #priceOf({ name, model, provider }: ResolvedModel, { baseUrl }: ProviderSettings): () => Promise<Price | null> {
    const { prices } = this.#options.config;
    let found: Promise<Price | null> | undefined;
    return () => {
      found ??= findPrice({ name, model, priceName: provider.priceName, baseUrl }, prices);
      return found;
    };
  }

  async #connect(settings: ProviderSettings, pace: Pace): Promise<Connection> {
    assertTrustedAddress(settings);
    const { env } = this.#options;
    this.#client ??= import('../../shared/http/http-client.ts').then(({ HttpClient: Client }) => new Client({ env }));
    return this.#connection(settings, sendThrough(await this.#client, pace));
  }

  #connection({ baseUrl = '', apiKey = '', headers, config }: ProviderSettings, send: Send): Connection {
    return { baseUrl, apiKey, headers, config, send, env: this.#options.env };
  }
}

/** A key that the user set for a provider goes to another address only where the user agreed to that address. */
function assertTrustedAddress({ provider, baseUrl, apiKey, config }: ProviderSettings): void {
  const { baseUrl: writtenUrl = '', apiKey: writtenKey } = config;
  const isOwnKey = writtenKey !== undefined && !writtenKey.includes('${');
  if (writtenUrl === '' || writtenUrl.includes('${') || !baseUrl || !apiKey || isOwnKey) return;
  const { defaultBaseUrl, keyVariables } = provider;
  if (defaultBaseUrl && new URL(defaultBaseUrl).origin === new URL(baseUrl).origin) return;
  assertMayReceive(baseUrl, writtenKey ?? keyVariables[0] ?? 'your key');
}

function originOf({ name, baseUrl }: ProviderSettings): string {
  return baseUrl === undefined ? name : new URL(baseUrl).origin;
}

function notSetUp({ name }: ResolvedModel, { what, hint }: MissingSetting): AssayError {
  return new AssayError('MODEL_NO_KEY', `${name} is not available: ${what}.`, { hint });
}

/** The error for a model whose provider takes no batches. */
export function noBatches(name: string): AssayError {
  return new AssayError('USAGE', `${name} cannot judge in batches: its provider has none, or none that Assay speaks.`, {
    hint: 'Use a judge model of openai or anthropic, or leave out --batch.',
  });
}

/**
 * The same models with other keys for some providers. `${VAR}` in a key is expanded when a model is prompted; one
 * that is not set does not take the place of a key that the config has.
 */
export function withApiKeys(
  config: ModelsConfig,
  apiKeys: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
): ModelsConfig {
  const changed = Object.entries(apiKeys).flatMap(([name, apiKey]) => {
    const settings = config.providers[name] ?? defaultProviderConfig;
    const isUnset = unsetVariables(apiKey, env).length > 0 && settings.apiKey !== undefined;
    return isUnset ? [] : [[name, { ...settings, apiKey }] as const];
  });
  const providers = { ...config.providers, ...Object.fromEntries(changed) };
  return changed.length === 0 ? config : { ...config, providers };
}
