import { AssayError, asAssayError } from '../../../../domain/errors.ts';
import type { EmitTrace } from '../../../../domain/trace.ts';
import type { Trial } from '../../../../domain/trial.ts';
import { counted } from '../../../../shared/format.ts';
import type { McpControl } from '../../../mcp/control/mcp-control.ts';
import { reportRefused } from '../../../mcp/result-losses.ts';
import type { ServerDefinition } from '../../../mcp/server-definition.ts';
import type { McpRequestOptions, McpSession, SessionLease, ToolChange } from '../../../mcp/session.ts';
import { changesText } from '../../../mcp/tool-pins.ts';
import type { TrialTape } from '../../../tape/tool-tapes.ts';
import type { TargetContext } from '../../target.ts';

/** How often a suite gets a new session after its server broke. */
const mostReopenings = 3;

/** The server of a suite: opened again after it broke, a few times. */
export class SuiteServer implements AsyncDisposable {
  readonly lease: SessionLease;
  readonly #limits: McpRequestOptions;
  readonly #emit: EmitTrace;
  #heard: McpSession | undefined;
  #hearing: Disposable | undefined;
  #reopenings = 0;
  #reopening: Promise<McpSession> | undefined;

  constructor(lease: SessionLease, limits: McpRequestOptions, emit: EmitTrace) {
    this.lease = lease;
    this.#limits = limits;
    this.#emit = emit;
  }

  /** A session that works; those who ask at the same time wait for the same one. */
  async working(): Promise<McpSession> {
    const { session } = this.lease;
    if (!session.broken) return this.#hear(session);
    this.#reopening ??= this.#reopen(session.broken).finally(() => {
      this.#reopening = undefined;
    });
    return this.#hear(await this.#reopening);
  }

  /** Another user of the session may have opened it again. */
  #hear(session: McpSession): McpSession {
    if (this.#heard === session) return session;
    this.#hearing?.[Symbol.dispose]();
    this.#hearing = reportRefused(session, this.#emit);
    this.#heard = session;
    return session;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hearing?.[Symbol.dispose]();
    await this.lease[Symbol.asyncDispose]();
  }

  async #reopen(broken: Error): Promise<McpSession> {
    if (this.#reopenings < mostReopenings) {
      this.#reopenings++;
      return this.lease.reopen(this.#limits);
    }
    const { code, message, hint } = asAssayError(broken);
    const times = counted(mostReopenings, 'time');
    throw new AssayError(code, `Not run, because the server failed again after ${times}: ${message}`, { hint });
  }
}

interface LeaseLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Client capabilities reported to the server. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  readonly control: McpControl;
}

/** The session of the run with a server, which is opened for the first lease. */
export async function leaseServer(
  server: ServerDefinition,
  { directory, env, mcpSessions }: TargetContext,
  limits: LeaseLimits,
): Promise<SessionLease> {
  if (!mcpSessions) throw new AssayError('INTERNAL', 'The MCP sessions of the run are missing.');
  return (await mcpSessions()).lease(server, { directory, env, ...limits });
}

/** The recording of a trial without a work directory; undefined where its tools are neither recorded nor replayed. */
export function openTape(
  { toolTapes, directory }: TargetContext,
  trial: Trial,
  emit: EmitTrace,
): TrialTape | undefined {
  return toolTapes?.()?.open(trial, { scenario: directory }, emit);
}

/** Earlier results are of other tools. Whether this trial counts is decided for all processes of the run at once. */
export function noteEarlierChanges(changes: readonly ToolChange[], emit: EmitTrace): void {
  if (changes.length === 0) return;
  emit({ type: 'notice', message: `The tools of the server changed earlier in the run: ${changesText(changes)}` });
}
