import { AssayError } from '../../../../domain/errors.ts';
import { type ObservedCall, observedCalls } from '../../../../domain/tools/tool-calls.ts';
import type { Trace } from '../../../../domain/trace.ts';

/** The calls that Assay broke on purpose, and all calls; throws where no fault acted, because nothing was tested then. */
export function brokenCalls(trace: Trace): {
  readonly calls: readonly ObservedCall[];
  readonly broken: ObservedCall[];
} {
  const calls = observedCalls(trace);
  const broken = calls.filter(({ answeredBy }) => answeredBy === 'fault');
  if (broken.length > 0) return { calls, broken };
  throw new AssayError('NOT_OBSERVED', 'No fault broke a call in this trial, so nothing can be said about recovery.', {
    hint: 'Check that `faults` name tools that the agent calls, or remove the assertion.',
  });
}

/** Whether two calls are of the same tool. */
export function isSameTool(a: ObservedCall, b: ObservedCall): boolean {
  return a.tool === b.tool && a.server === b.server;
}
