import { onTestFinished } from 'vitest';
import { asAssayError } from '../../domain/errors.ts';
import type { ModelReply, ModelRequest, Models } from '../../drive/models/model.ts';
import { modelsConfigSchema } from '../../drive/models/models-config.ts';
import { type ModelsOptions, openModels } from '../../drive/models/open-models.ts';
import { type ScriptedModel, type ScriptSource, startScriptedModel } from '../../drive/models/scripted/index.ts';
import type { Clock } from '../../drive/pacing/clock.ts';
import { redactionOf } from '../../shared/redaction/redaction.ts';

/** A key that must never be seen anywhere but in a request's header. */
export const secretKey = 'sk-test-4f9d2c81e7ab4d0c9a35';

/** The variables that every provider reads its key from, all with the same secret. */
export const keys = { OPENAI_API_KEY: secretKey, ANTHROPIC_API_KEY: secretKey, GEMINI_API_KEY: secretKey };

/** A scripted model server that is closed when the test has finished. */
export async function scripted(source: ScriptSource): Promise<ScriptedModel> {
  const server = await startScriptedModel(source);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

type Options = Omit<ModelsOptions, 'config' | 'redact'> &
  Partial<Pick<ModelsOptions, 'redact'>> & { readonly config?: unknown };

/** The models of a project that are closed when the test has finished. */
export function opened({ config = {}, ...options }: Options): Models {
  const models = openModels({ redact: redactionOf([]), ...options, config: modelsConfigSchema.parse(config) });
  onTestFinished(() => models[Symbol.asyncDispose]());
  return models;
}

/** A clock whose waits end at once and only move its hands; it keeps the requested waits. */
export function skippingClock(realNowMs: () => number = Date.now): Clock & { readonly waitedMs: number[] } {
  const waitedMs: number[] = [];
  let skippedMs = 0;
  return {
    waitedMs,
    nowMs: () => realNowMs() + skippedMs,
    async wait(ms, signal) {
      signal.throwIfAborted();
      waitedMs.push(ms);
      skippedMs += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/** Asks a user's question. */
export function question(content: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return { messages: [{ role: 'user', content }], ...more };
}

const never = new AbortController().signal;

/** Asks a model by its name. */
export async function ask(models: Models, name: string, request: ModelRequest, signal = never): Promise<ModelReply> {
  return (await models.find(name)).generate(request, signal);
}

/** The error that a promise rejects with. */
export async function failureOf(promise: Promise<unknown>) {
  return promise.then(
    (value) => {
      throw new Error(`expected a failure, got ${JSON.stringify(value)}`);
    },
    (error: unknown) => asAssayError(error),
  );
}
