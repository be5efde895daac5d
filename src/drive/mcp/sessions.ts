import { AssayError } from '../../domain/errors.ts';
import { canonicalJson } from '../../shared/json.ts';
import { Authorizations } from './authorization/authorizations.ts';
import { IncomingHandlers } from './incoming.ts';
import { openSession } from './open-session.ts';
import { type ServerDefinition, serverLabel } from './server-definition.ts';
import type {
  McpRequestOptions,
  McpSession,
  McpSessions,
  OpenSessionOptions,
  SessionLease,
  ToolChange,
} from './session.ts';
import { changesText, pinTools, toolChanges } from './tool-pins.ts';
import { SharedTools, ToolWatch } from './tool-watch.ts';
import { withinLimits } from './wire/within-limits.ts';

interface Open {
  readonly session: McpSession;
  readonly tools: SharedTools;
}

/** One server of a run, used by many: opened once, and opened again for all of them after it broke. */
class SharedSession implements AsyncDisposable {
  readonly #definition: ServerDefinition;
  readonly #options: OpenSessionOptions;
  readonly #closing = new AbortController();
  #current: Open | undefined;
  #incoming = new IncomingHandlers();
  /** Kept when it failed too, so a server that cannot be opened is not waited for again and again. */
  #opening: Promise<Open> | undefined;

  /** The time limit is that of the first lease; the end of the run is the only signal. */
  constructor(definition: ServerDefinition, options: OpenSessionOptions) {
    this.#definition = definition;
    this.#options = { ...options, signal: this.#closing.signal };
  }

  /** `onReturned` is called when the lease is over. */
  async lease(signal: AbortSignal | undefined, onReturned?: () => Promise<void>): Promise<SessionLease> {
    const what = (): string => `the MCP server "${serverLabel(this.#definition)}"`;
    let latest = await withinLimits(this.#working(), { signal }, () => `${what()}${this.#strays()}`);
    const current = (): Open => {
      latest = this.#current ?? latest;
      return latest;
    };
    const acceptsAnnounced = this.#definition.toolChanges !== 'refuse';
    const watch = new ToolWatch(latest.tools, acceptsAnnounced);
    return {
      pins: pinTools(latest.tools.latest),
      pinAgain: async (options) => {
        const tools = await watch.begin(current().session, options);
        return { tools, changesInRun: toolChanges(current().tools.first, tools) };
      },
      get isChangeAnnounced() {
        return acceptsAnnounced && current().tools.isAnnouncedBy(current().session);
      },
      get session() {
        return current().session;
      },
      reopen: async (options) => (await withinLimits(this.#working(), options, what())).session,
      announcedChanges: async (options) =>
        (await watch.announcedChanges(current().session, options)).filter(({ isAccepted }) => isAccepted),
      changesSincePinned: (options) => watch.changes(current().session, options),
      assertPinned: (options, tools) => assertPinned(watch, current().session, options, tools),
      [Symbol.asyncDispose]: async () => onReturned?.(),
    };
  }

  #working(): Promise<Open> {
    if (!this.#opening || this.#current?.session.broken) {
      const broken = this.#current;
      this.#current = undefined;
      this.#opening = this.#open(broken);
      // The callers that wait for it see the failure.
      this.#opening.catch(() => undefined);
    }
    return this.#opening;
  }

  /** A server that logs to its stdout sends lines that are not messages. */
  #strays(): string {
    return this.#incoming.violations
      .texts()
      .map((text) => `, which sent ${text}`)
      .join('');
  }

  /** A broken session is closed before its successor is started, so there are never two. */
  async #open(broken: Open | undefined): Promise<Open> {
    await broken?.session[Symbol.asyncDispose]();
    this.#incoming = new IncomingHandlers();
    const session = await openSession(this.#definition, this.#options, this.#incoming);
    try {
      const { timeoutMs, signal } = this.#options;
      const tools = broken?.tools ?? new SharedTools(await session.listTools({ timeoutMs, signal }));
      tools.listenTo(session);
      this.#current = { session, tools };
      return this.#current;
    } catch (error) {
      await session[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    const open = await this.#opening?.catch(() => undefined);
    await open?.session[Symbol.asyncDispose]();
  }
}

async function assertPinned(
  watch: ToolWatch,
  session: McpSession,
  options: McpRequestOptions,
  tools?: readonly string[],
): Promise<readonly ToolChange[]> {
  const changes = await watch.changes(session, options);
  const refused = changes.filter(
    ({ tool, isAdded, isAccepted }) => !isAdded && !isAccepted && (tools === undefined || tools.includes(tool)),
  );
  if (refused.length === 0) return changes.filter(({ isAccepted }) => isAccepted);
  const message = `The tools of the MCP server "${session.facts.label}" changed during the run: ${changesText(refused)}.`;
  throw new AssayError('MCP_TOOLS_CHANGED', message);
}

type LeaseOptions = Omit<OpenSessionOptions, 'onFrame'>;

/** The sessions of a run: each server is started when it is first needed, and ended with the run. */
export class RunSessions implements McpSessions {
  readonly #shared = new Map<string, SharedSession>();
  readonly #ofTrials = new Set<SharedSession>();
  readonly authorizations = new Authorizations();
  readonly #clientVersion: string | undefined;

  constructor(clientVersion?: string) {
    this.#clientVersion = clientVersion;
  }

  /** The client capabilities are part of the key of a session. What a trial controls, it does not share. */
  lease(definition: ServerDefinition, options: LeaseOptions): Promise<SessionLease> {
    const { directory, capabilities = {}, control } = options;
    if (control && (control.isActive || definition.transport === 'mock')) return this.#own(definition, options);
    const key = canonicalJson([definition, directory, capabilities]);
    const shared = this.#shared.get(key) ?? this.#share(key, definition, options);
    return shared.lease(options.signal);
  }

  async #own(definition: ServerDefinition, options: LeaseOptions): Promise<SessionLease> {
    const own = this.#newSession(definition, options);
    this.#ofTrials.add(own);
    const end = async (): Promise<void> => {
      this.#ofTrials.delete(own);
      await own[Symbol.asyncDispose]();
    };
    try {
      return await own.lease(options.signal, end);
    } catch (error) {
      await end();
      throw error;
    }
  }

  #share(key: string, definition: ServerDefinition, { control: _control, ...options }: LeaseOptions): SharedSession {
    const shared = this.#newSession(definition, options);
    this.#shared.set(key, shared);
    return shared;
  }

  #newSession(definition: ServerDefinition, options: LeaseOptions): SharedSession {
    return new SharedSession(definition, {
      clientVersion: this.#clientVersion,
      authorizations: this.authorizations,
      ...options,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#shared.values(), ...this.#ofTrials];
    await Promise.all(all.map((session) => session[Symbol.asyncDispose]()));
  }
}
