import { canonicalJson } from '../../shared/json.ts';
import type { ServerDefinition } from './server-definition.ts';
import type { McpSessions, OpenSessionOptions, SessionLease } from './session.ts';
import { SharedSession } from './shared-session.ts';

type LeaseOptions = Omit<OpenSessionOptions, 'onFrame'>;

/** The sessions of a run: each server is started when it is first needed, and ended with the run. */
export class RunSessions implements McpSessions {
  readonly #shared = new Map<string, SharedSession>();
  readonly #clientVersion: string | undefined;

  constructor(clientVersion?: string) {
    this.#clientVersion = clientVersion;
  }

  /** What the server is told that its client can do is part of what makes a session the same. */
  lease(definition: ServerDefinition, options: LeaseOptions): Promise<SessionLease> {
    const { directory, capabilities = {} } = options;
    const key = canonicalJson([definition, directory, capabilities]);
    const shared = this.#shared.get(key) ?? this.#share(key, definition, options);
    return shared.lease(options.signal);
  }

  #share(key: string, definition: ServerDefinition, options: LeaseOptions): SharedSession {
    const shared = new SharedSession(definition, { clientVersion: this.#clientVersion, ...options });
    this.#shared.set(key, shared);
    return shared;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#shared.values()].map((shared) => shared[Symbol.asyncDispose]()));
  }
}
