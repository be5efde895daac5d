import type { RunningUsage } from './agent.ts';

/** Adds up requests by their model; a request that is reported again replaces what was known of it. */
export class UsageSum {
  readonly #requests = new Map<string, RunningUsage>();

  note(requestId: string, usage: RunningUsage): void {
    this.#requests.set(requestId, usage);
  }

  get byModel(): RunningUsage[] {
    const sums = new Map<string | undefined, RunningUsage>();
    for (const usage of this.#requests.values()) {
      const before = sums.get(usage.model);
      sums.set(usage.model, before === undefined ? usage : added(before, usage));
    }
    return [...sums.values()];
  }
}

function added(a: RunningUsage, b: RunningUsage): RunningUsage {
  return {
    model: a.model,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
  };
}
