import { AssayError } from '../../../../domain/errors.ts';
import type { Trace } from '../../../../domain/trace.ts';
import { eventSources } from '../../../judge/event-source.ts';
import { groundednessConfigSchema } from '../../../judge/mode-configs.ts';
import { judgeEvaluator } from './judge-evaluator.ts';

/** Claims of the agent are backed by what tools returned. */
export const groundedness = judgeEvaluator({
  type: 'groundedness',
  summary: 'claims of the agent are supported by tool results, quote by quote; the score is supported / claims',
  example: { passThreshold: 0.9 },
  configSchema: groundednessConfigSchema,
  reads: { 'tool-calls': 'exact' },
  refuse: refuseWithoutResults,
  loadMode: async () => (await import('../../../judge/modes/groundedness.ts')).groundedness,
});

/** Without results of tools nothing could support a claim, so no model is prompted. */
function refuseWithoutResults(trace: Trace): AssayError | undefined {
  const sourceOf = eventSources(trace);
  if (trace.some((event) => sourceOf(event) === 'tools')) return undefined;
  return new AssayError('NOT_OBSERVED', 'No tool returned anything that claims could be compared with.', {
    hint: 'Use it where the agent calls tools and reports their results, or use `llm-judge` with reference material.',
  });
}
