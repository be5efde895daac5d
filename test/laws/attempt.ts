import { asAssayError } from '../../src/domain/errors.ts';
import { faultOf } from '../../src/domain/outcome.ts';
import type { Trial } from '../../src/domain/trial.ts';
import { Threads } from '../../src/drive/targets/call/threads.ts';
import { StampedTrace } from '../../src/drive/targets/stamped-trace.ts';
import type { Target, TargetContext, TargetKind } from '../../src/drive/targets/target.ts';
import { atFixedTimes, oneTrial, type Reading } from './reader.ts';

/** A trial as a target attempts it, with the fault that ended it. */
export async function attempted(open: (context: TargetContext) => Promise<Target>, trial: Trial, more = {}) {
  const { signal } = new AbortController();
  const trace = new StampedTrace();
  await using target = await open({ directory: '/', env: {}, threads: new Threads(), signal, ...more });
  const stop = { isStopped: false, signal, onStop: () => undefined };
  const error = await target.attempt(trial, trace, stop, { afterTurn: async () => 'stop' }).then(
    () => undefined,
    (thrown: unknown) => asAssayError(thrown),
  );
  return { trace: trace.events, fault: error && faultOf(error) };
}

/** The reading of a document that a target got as its answer. */
export async function readByTarget(
  kind: TargetKind,
  config: object,
  input: unknown,
  more: Partial<TargetContext> = {},
): Promise<Reading> {
  const checked: unknown = kind.configSchema.parse(config);
  const { trace, fault } = await attempted((context) => kind.open(checked, context), trialWith(input), more);
  return oneTrial(atFixedTimes(trace), fault);
}

/** A trial of one case. */
export function trialWith(input: unknown): Trial {
  const one = { caseId: 'input', input, expected: undefined, evaluators: [] };
  const trial = { trialId: 't-1', runId: 'r-1', ordinal: 0, variant: {}, repeat: 1 };
  return { ...trial, case: one, scenario: { timeoutMs: 10_000 } } as unknown as Trial;
}
