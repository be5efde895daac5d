import type { Reporter } from '../reporter.ts';

/** Traces for observability tools: a line is a request that a collector takes at `/v1/traces`. */
export const otlpReporter: Reporter = {
  name: 'otlp',
  summary: 'OTLP/JSON traces with gen_ai attributes and evaluation results, one trial a line',
  fileName: 'traces.jsonl',
  async *render(run) {
    const { tracesOf } = await import('./trial-spans.ts');
    yield* tracesOf(run);
  },
};
