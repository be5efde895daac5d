import { AssayError } from '../../../domain/errors.ts';
import { TimeLimit, untilAborted } from '../../../shared/async.ts';
import { isRecord } from '../../../shared/json.ts';
import { SignalStop } from '../signal-stop.ts';
import { ModuleWorkerClient } from './module-worker-client.ts';
import { Threads } from './threads.ts';

/** JavaScript of a scenario: code, or a function of a module. */
export interface UserCode {
  /** An expression or the body of a function. */
  readonly code?: string | undefined;
  /** Absolute path, in place of the code. */
  readonly file?: string | undefined;
  readonly exportName: string;
  /** Names of the arguments. */
  readonly parameters: readonly string[];
}

interface CallLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Thrown with the reason why code gave no value. */
export class UserCodeFailure extends Error {}

/** JavaScript of a scenario in its own thread, from its first call until it is disposed of. */
export class UserFunction implements AsyncDisposable {
  readonly #client: ModuleWorkerClient;

  constructor({ code, file, exportName, parameters }: UserCode) {
    this.#client = new ModuleWorkerClient(new Threads(), file ?? 'the code', exportName, { code, parameters });
  }

  /** The value that the code returns; fields of the input are its arguments. */
  async call(input: Readonly<Record<string, unknown>>, { timeoutMs, signal }: CallLimits): Promise<unknown> {
    using limit = new TimeLimit(timeoutMs, signal);
    try {
      await untilAborted(this.#client.load(), limit.signal);
      using stop = new SignalStop(limit.signal);
      const answer = await this.#client.call(input, stop);
      if (answer.unusable) throw new UserCodeFailure(`it returned ${answer.unusable.reason}`);
      if (answer.thrown !== undefined) throw new UserCodeFailure(`it threw ${thrownText(answer.thrown)}`);
      return answer.result === undefined ? undefined : JSON.parse(answer.result);
    } catch (error) {
      if (signal.aborted) throw error;
      if (limit.signal.aborted) throw new UserCodeFailure(`it did not return within ${timeoutMs / 1_000} s`);
      throw error instanceof AssayError ? new UserCodeFailure(error.message) : error;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#client[Symbol.asyncDispose]();
  }
}

/** The value that code returns; it runs in its own thread, which ends with the call. */
export async function callUserCode(
  code: UserCode,
  input: Readonly<Record<string, unknown>>,
  limits: CallLimits,
): Promise<unknown> {
  await using called = new UserFunction(code);
  return await called.call(input, limits);
}

function thrownText(thrown: string): string {
  const error: unknown = JSON.parse(thrown);
  if (!isRecord(error)) return thrown;
  const { name, message } = error;
  return `${typeof name === 'string' ? `${name}: ` : ''}${String(message)}`;
}
