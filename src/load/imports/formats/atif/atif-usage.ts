import type { TraceEventOf, UnstampedEvent } from '../../../../domain/trace.ts';
import { isRecord } from '../../../../shared/json.ts';
import { amountOf, type JsonObject, nameOf, objectOf } from '../../coerce.ts';
import type { ImportedTrial } from '../../import-format.ts';

type Figures = Pick<ImportedTrial, 'usage' | 'costUsd'>;

/** Adds up the metrics of steps. A sum in which one figure is missing is not a figure. */
export class StepUsage {
  #hasMetrics = false;
  #lacksTokens = false;
  #lacksCost = false;
  #input = 0;
  #output = 0;
  #costUsd = 0;

  /** The usage of a step as an event; undefined where a token count is missing. */
  add(step: JsonObject): UnstampedEvent | undefined {
    // A step that no model took part in has none.
    if (step.llm_call_count === 0) return undefined;
    const metrics = isRecord(step.metrics) ? step.metrics : undefined;
    const inputTokens = amountOf(metrics?.prompt_tokens);
    const outputTokens = amountOf(metrics?.completion_tokens);
    const costUsd = amountOf(metrics?.cost_usd);
    this.#hasMetrics ||= metrics !== undefined;
    this.#lacksTokens ||= inputTokens === undefined || outputTokens === undefined;
    this.#lacksCost ||= costUsd === undefined;
    this.#input += inputTokens ?? 0;
    this.#output += outputTokens ?? 0;
    this.#costUsd += costUsd ?? 0;
    if (inputTokens === undefined || outputTokens === undefined) return undefined;
    return { type: 'usage', inputTokens, outputTokens, ...parts(step, objectOf(metrics), costUsd) };
  }

  /** Totals of the trajectory: those that it reports, or else the complete sums of its steps. */
  totals(finalMetrics: JsonObject): Figures {
    const inputTokens = amountOf(finalMetrics.total_prompt_tokens);
    const outputTokens = amountOf(finalMetrics.total_completion_tokens);
    const isReported = inputTokens !== undefined && outputTokens !== undefined;
    const isComplete = this.#hasMetrics && !this.#lacksTokens;
    const sum = isComplete ? { inputTokens: this.#input, outputTokens: this.#output } : null;
    const cost = this.#hasMetrics && !this.#lacksCost ? this.#costUsd : null;
    return {
      usage: isReported ? { inputTokens, outputTokens } : sum,
      costUsd: amountOf(finalMetrics.total_cost_usd) ?? cost,
    };
  }
}

function parts(step: JsonObject, metrics: JsonObject, costUsd: number | undefined): Partial<TraceEventOf<'usage'>> {
  const ours = objectOf(objectOf(metrics.extra).assay);
  const optional = {
    model: nameOf(step.model_name),
    cachedInputTokens: amountOf(metrics.cached_tokens),
    reasoningTokens: amountOf(ours.reasoningTokens),
    cacheWriteInputTokens: amountOf(ours.cacheWriteInputTokens),
    costUsd,
  };
  return Object.fromEntries(Object.entries(optional).filter(([, part]) => part !== undefined));
}
