import type { TraceEventOf } from '../../../domain/trace.ts';
import { observationOf, type StepCall, toolCallOf } from './call-steps.ts';
import { extraOf, type Metrics, type Step } from './trajectory.ts';

interface DraftStep {
  readonly source: Step['source'];
  readonly at: number;
  message: string | undefined;
  reasoning?: string;
  readonly calls: StepCall[];
  usage?: TraceEventOf<'usage'>;
  /** A later event of the agent begins a new step. */
  isOver: boolean;
}

/** Puts the events of one agent into steps: what it thought, said, called and spent in one go. */
export class StepBuilder {
  readonly #steps: DraftStep[] = [];

  get size(): number {
    return this.#steps.length;
  }

  prompt(source: 'user' | 'system', at: number, text: string): void {
    this.#steps.push({ source, at, message: text, calls: [], isOver: true });
  }

  say(at: number, text: string): void {
    const step = this.#agentStep(at, (open) => open.message === undefined && open.calls.length === 0);
    step.message = text;
  }

  think(at: number, text: string): void {
    const step = this.#agentStep(
      at,
      (open) => open.reasoning === undefined && open.message === undefined && open.calls.length === 0,
    );
    step.reasoning = text;
  }

  /** An id is unique within a step, because observations refer to it. */
  call(at: number, call: StepCall): void {
    this.#agentStep(at, ({ calls }) => calls.every(({ id }) => id !== call.id)).calls.push(call);
  }

  answered(): void {
    const last = this.#steps.at(-1);
    if (last && last.calls.length > 0) last.isOver = true;
  }

  spend(usage: TraceEventOf<'usage'>): void {
    const last = this.#steps.at(-1);
    const isFree = last?.source === 'agent' && last.usage === undefined;
    const step = isFree ? last : this.#agentStep(usage.at, () => false);
    step.usage = usage;
  }

  steps(timeOf: (at: number) => string | undefined): Step[] {
    return this.#steps.map((draft, index) => stepOf(draft, index + 1, timeOf(draft.at)));
  }

  #agentStep(at: number, hasRoom: (open: DraftStep) => boolean): DraftStep {
    const last = this.#steps.at(-1);
    if (last && last.source === 'agent' && !last.isOver && hasRoom(last)) return last;
    const begun: DraftStep = { source: 'agent', at, message: undefined, calls: [], isOver: false };
    this.#steps.push(begun);
    return begun;
  }
}

function stepOf({ source, message, reasoning, calls, usage }: DraftStep, number: number, timestamp?: string): Step {
  const results = calls.flatMap((call) => observationOf(call) ?? []);
  return {
    step_id: number,
    ...(timestamp !== undefined && { timestamp }),
    source,
    ...(usage?.model !== undefined && { model_name: usage.model }),
    message: message ?? '',
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map(toolCallOf) }),
    ...(results.length > 0 && { observation: { results } }),
    ...(usage && { metrics: metricsOf(usage) }),
  };
}

function metricsOf(usage: TraceEventOf<'usage'>): Metrics {
  const { inputTokens, outputTokens, cachedInputTokens, costUsd, reasoningTokens, cacheWriteInputTokens } = usage;
  const extra = extraOf({ reasoningTokens, cacheWriteInputTokens });
  return {
    ...(inputTokens !== undefined && { prompt_tokens: inputTokens }),
    ...(outputTokens !== undefined && { completion_tokens: outputTokens }),
    ...(cachedInputTokens !== undefined && { cached_tokens: cachedInputTokens }),
    ...(costUsd !== undefined && { cost_usd: costUsd }),
    ...(extra && { extra }),
  };
}
