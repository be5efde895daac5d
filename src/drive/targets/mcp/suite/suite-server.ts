import { AssayError, asAssayError } from '../../../../domain/errors.ts';
import { counted } from '../../../../shared/format.ts';
import type { McpRequestOptions, McpSession, SessionLease } from '../../../mcp/session.ts';

/** How often a suite gets a new session after its server broke. */
const mostReopenings = 3;

/** The server of a suite: opened again after it broke, a few times. */
export class SuiteServer {
  readonly lease: SessionLease;
  readonly #limits: McpRequestOptions;
  #reopenings = 0;
  #reopening: Promise<McpSession> | undefined;

  constructor(lease: SessionLease, limits: McpRequestOptions) {
    this.lease = lease;
    this.#limits = limits;
  }

  /** A session that works; those who ask at the same time wait for the same one. */
  async working(): Promise<McpSession> {
    const { session } = this.lease;
    if (!session.broken) return session;
    this.#reopening ??= this.#reopen(session.broken).finally(() => {
      this.#reopening = undefined;
    });
    return this.#reopening;
  }

  async #reopen(broken: Error): Promise<McpSession> {
    if (this.#reopenings < mostReopenings) {
      this.#reopenings++;
      return this.lease.reopen(this.#limits);
    }
    const { code, message, hint } = asAssayError(broken);
    const times = counted(mostReopenings, 'time');
    throw new AssayError(code, `Not tried, because the server broke again after ${times}: ${message}`, { hint });
  }
}
