import type { Redact } from '../../shared/redaction/redaction.ts';
import { callOptions } from './call-options.ts';
import { classifyFailure } from './classify-failure.ts';
import type { Clock } from './clock.ts';
import type { Model } from './model.ts';
import type { Price } from './prices.ts';
import type { LanguageModel } from './provider.ts';
import { readReply } from './read-reply.ts';
import type { ResolvedModel } from './resolve-model.ts';

interface ProviderModelParts {
  /** Loads the SDK; called when the model is first asked. */
  open(): Promise<LanguageModel>;
  price(): Promise<Price | null>;
  readonly redact: Redact;
  readonly clock: Clock;
}

/** A model as its provider answers: one request, one attempt. */
export function providerModel({ name, provider, model }: ResolvedModel, parts: ProviderModelParts): Model {
  let opening: Promise<LanguageModel> | undefined;
  return {
    name,
    async generate(request, signal, unanswered) {
      opening ??= parts.open();
      const [languageModel, price] = await Promise.all([opening, parts.price()]);
      signal.throwIfAborted();
      const began = performance.now();
      const settle = unanswered?.begin();
      try {
        const result = await languageModel.doGenerate({ ...callOptions(request, provider), abortSignal: signal });
        settle?.();
        return readReply(result, { model, price, latencyMs: Math.round(performance.now() - began) });
      } catch (thrown) {
        signal.throwIfAborted();
        const failure = classifyFailure(thrown, { name, nowMs: parts.clock.nowMs(), redact: parts.redact });
        if (!failure.traits.mayBeBilled) settle?.();
        throw failure;
      }
    },
  };
}
