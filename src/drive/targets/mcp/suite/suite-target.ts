import { AssayError } from '../../../../domain/errors.ts';
import { readSuiteInput, type SuiteInput } from '../../../../domain/mcp/suite-tests.ts';
import { onlyServerName } from '../../../../domain/tools/known-tools.ts';
import type { Trial } from '../../../../domain/trial.ts';
import { untilAborted } from '../../../../shared/async.ts';
import { trialControl } from '../../../mcp/control/trial-control.ts';
import type { StampedTrace } from '../../stamped-trace.ts';
import type { StopRequest, Target, TargetContext } from '../../target.ts';
import type { SuiteConfig } from '../mcp-suite-target.ts';
import { attemptSuite } from './attempt-suite.ts';
import { openTape } from './suite-server.ts';

/** The suite of a case; one that cannot be run is an error of its author. */
function usableInput(value: unknown): SuiteInput {
  const parsed = readSuiteInput(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
    throw new AssayError('FILE_INVALID', `The suite cannot be read: ${problems.join('; ')}`);
  }
  return parsed.data;
}

/** A server that suites are run against. */
export class SuiteTarget implements Target {
  readonly #config: SuiteConfig;
  readonly #context: TargetContext;
  /** The last of those that answer requests of the server. */
  #answering: Promise<unknown> = Promise.resolve();

  constructor(config: SuiteConfig, context: TargetContext) {
    this.#config = config;
    this.#context = context;
  }

  async attempt(trial: Trial, trace: StampedTrace, stop: StopRequest): Promise<undefined> {
    const { emit } = trace;
    const input = usableInput(trial.case.input);
    const tape = openTape(this.#context, trial, emit);
    const control = trialControl(trial, emit, onlyServerName, this.#context, tape);
    const options = { config: this.#config, context: this.#context, emit, clock: trace, signal: stop.signal, control };
    if (input.kind === 'oauth2') {
      if (tape?.kind === 'replay') throw new AssayError('TOOL_REPLAY_MISS', 'A login cannot be replayed.');
      const { attemptOAuthSuite } = await import('../oauth/attempt-oauth-suite.ts');
      return void (await attemptOAuthSuite(input, options));
    }
    const run = async (): Promise<void> => {
      await attemptSuite(input, options);
      await tape?.conclude();
    };
    if (input.kind !== 'sampling' && input.kind !== 'elicitation') return void (await run());
    // A request of the server does not name the call that caused it, so only one call may run at a time.
    const turn = this.#answering.then(() => (stop.isStopped ? undefined : run()));
    this.#answering = turn.catch(() => undefined);
    return void (await untilAborted(turn, stop.signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
