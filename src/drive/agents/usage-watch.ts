import type { EmitTrace } from '../../domain/trace.ts';
import type { AgentSession } from './agent.ts';
import { type SessionFiles, SessionFollower } from './session-files.ts';

/** Knows what an agent used: from what it prints, or else from what it writes down. */
export class UsageWatch {
  readonly #session: AgentSession;
  readonly #follower: SessionFollower | undefined;
  #wasPrinted = false;

  constructor(session: AgentSession, files: SessionFiles | undefined) {
    this.#session = session;
    this.#follower = files && new SessionFollower(session.home, files, (soFar) => session.noteUsage(soFar));
  }

  readonly emit: EmitTrace = (event) => {
    if (event.type === 'usage') this.#wasPrinted = true;
    this.#session.emit(event);
  };

  /** To be called when the agent has ended; an agent that was stopped has often not printed what it used. */
  finish(): void {
    if (!this.#follower) return;
    this.#follower[Symbol.dispose]();
    if (this.#wasPrinted) return;
    this.#follower.catchUp();
    for (const { model, ...usage } of this.#follower.sum.byModel) {
      this.#session.emit({ type: 'usage', seenBy: 'agent', ...(model === undefined ? {} : { model }), ...usage });
    }
  }
}
