import { AssayError } from '../../../domain/errors.ts';
import type { EmitTrace, UnstampedEvent } from '../../../domain/trace.ts';
import { formatDuration } from '../../../shared/format.ts';
import type { AgentExit, AgentKind } from '../../agents/agent.ts';

/** A model that has not answered for this long is taken to be out of order. */
const longestWaitMs = 60_000;

/** Events that show that the agent got something from its model, or was at work with it. */
const signsOfWork: ReadonlySet<UnstampedEvent['type']> = new Set([
  'message',
  'reasoning',
  'tool-call',
  'tool-result',
  'command',
  'usage',
]);

/**
 * Watches whether the agent waits for its model. Several agents retry against a dead provider, or wait for one that
 * hangs, without printing anything: the only sign is a silence in which no tool runs.
 */
export class ModelWait {
  readonly #timeoutMs: number;
  readonly #work: AgentKind['reports']['work'];
  readonly #hasModel: boolean;
  readonly #openCalls = new Set<string>();
  #quietSinceMs = performance.now();
  #waitedMs: number | undefined;
  #sawCalls = false;
  #hadRunningCommand = false;

  constructor(timeoutMs: number, kind: Pick<AgentKind, 'reports' | 'isScripted'>) {
    this.#timeoutMs = timeoutMs;
    this.#work = kind.reports.work;
    this.#hasModel = !kind.isScripted;
  }

  /** Passes events on. */
  watch(emit: EmitTrace): EmitTrace {
    return (event) => {
      this.#note(event);
      emit(event);
    };
  }

  /** To be called before the agent starts. */
  begin(): void {
    this.#waitedMs = undefined;
    this.#quietSinceMs = performance.now();
    this.#openCalls.clear();
  }

  /** To be called when the time is up, before the agent is ended: later events are not a sign of work. */
  timeIsUp(): void {
    this.#waitedMs ??= this.#openCalls.size > 0 ? 0 : performance.now() - this.#quietSinceMs;
  }

  /** Why an agent that was ended by the time limit cannot be judged; undefined where it was at work. */
  faultOf({ timedOut }: AgentExit): AssayError | undefined {
    const waitedMs = this.#waitedMs ?? 0;
    const isKnown = this.#work !== 'unknown' || this.#sawCalls;
    if (!timedOut || !this.#hasModel || !isKnown || this.#hadRunningCommand) return undefined;
    if (waitedMs < Math.min(longestWaitMs, this.#timeoutMs / 2)) return undefined;
    const silence = `the last ${formatDuration(waitedMs)} of ${formatDuration(this.#timeoutMs)}`;
    const what =
      this.#work === 'at-end' ? 'the agent ran no command' : 'no message came from its model and no tool ran';
    return new AssayError('MODEL_TIMEOUT', `The agent's model did not answer: in ${silence}, ${what}.`, {
      hint: 'Check that the provider answers; raise `run.timeout_secs` if the model needs that long for one answer.',
    });
  }

  #note(event: Parameters<EmitTrace>[0]): void {
    if (event.type === 'command' && event.cutShortBy === 'stopped-trial') this.#hadRunningCommand = true;
    if (this.#waitedMs !== undefined || !signsOfWork.has(event.type)) return;
    this.#quietSinceMs = performance.now();
    if (event.type === 'tool-call') {
      this.#sawCalls = true;
      this.#openCalls.add(event.callId);
    } else if (event.type === 'tool-result') this.#openCalls.delete(event.callId);
  }
}
