import { AssayError, asAssayError, type ErrorCode } from '../../../domain/errors.ts';
import { gapOf } from '../../../domain/loss.ts';
import type { EmitTrace, UnstampedEvent } from '../../../domain/trace.ts';
import { isRecord } from '../../../shared/json.ts';
import { controlFaults } from '../control/mcp-reply.ts';
import { ProtocolViolations } from '../incoming.ts';
import { lastStderr } from '../last-stderr.ts';
import type { ServerDefinition } from '../server-definition.ts';
import type { ToolChange, ToolDefinition } from '../session.ts';
import { assertSubsetFits, type ChosenSurface, surfaceName } from '../surfaces/tool-surface.ts';
import { changesText, pinTools, toolChanges } from '../tool-pins.ts';
import { assertWordingFits, type ToolRewrites } from '../tool-rewrites.ts';
import type { LogRecord } from './log-reader.ts';
import { RecordedSession, type SessionListener } from './recorded-session.ts';

/** Further events of a trial are only counted. */
const mostEvents = 20_000;
const mostSessions = 100;

interface ServerRequestFacts {
  /** How its user named it. */
  readonly label: string;
  readonly transport: ServerDefinition['transport'];
  readonly wording: ToolRewrites | null;
  readonly surface: ChosenSurface | null;
  readonly acceptsAnnouncedChanges: boolean;
}

/** One MCP server as the proxies in front of it saw it in a trial. */
export class RecordedServer {
  readonly faults: AssayError[] = [];
  readonly #facts: ServerRequestFacts;
  readonly #emit: EmitTrace;
  readonly #trialBeganAtMs: number;
  readonly #sessions = new Map<string, RecordedSession>();
  readonly #violations = new ProtocolViolations();
  #greeting: Readonly<Record<string, unknown>> | undefined;
  #tools: readonly ToolDefinition[] | undefined;
  #isChangeAnnounced = false;
  /** Calls that a proxy had played by a model. */
  simulatedCalls = 0;
  #calls = 0;
  #events = 0;
  #messagesLeftOut = 0;
  readonly #refused = new Set<string>();

  constructor(facts: ServerRequestFacts, emit: EmitTrace, trialBeganAtMs: number) {
    this.#facts = facts;
    this.#emit = emit;
    this.#trialBeganAtMs = trialBeganAtMs;
  }

  /** Whether the agent has begun to talk to it. */
  get wasStarted(): boolean {
    return this.#sessions.size > 0;
  }

  /** Ids of the proxies that stood in front of it. */
  get proxies(): readonly string[] {
    return [...this.#sessions.keys()];
  }

  take(record: LogRecord): void {
    const session = this.#sessionOf(record.proxy);
    if (!session) return;
    if (record.kind === 'message') session.message(record);
    else if (record.kind === 'oversized') session.oversized(record);
    else if (record.kind === 'surface-call') this.#surfaceCall(record);
    else if (record.kind === 'control') this.#controlled(record);
    else if (record.kind === 'unanswered') this.#unanswered(session, record);
    else if (record.kind === 'end') this.#endOf(session, record);
  }

  /** The run played the tool, and has reported it with the state. */
  #controlled({ action, at }: Extract<LogRecord, { kind: 'control' }>): void {
    if (action.kind === 'simulate') this.simulatedCalls++;
    else this.#emitEvent({ type: 'tool-control', ...action }, at);
  }

  /** Emits the facts that are certain only when no more records can come. */
  finish(): void {
    if (this.#greeting && !this.#tools) this.#emitServer([], undefined, { isUnlisted: true });
    for (const session of this.#sessions.values()) {
      session.finish();
      const { unanswered } = session;
      if (unanswered.length > 0)
        this.#violations.note('requests that were never answered', () => unanswered.join(', '));
    }
  }

  /** Notices for the report. */
  get problems(): string[] {
    return this.#violations.texts().map((text) => this.#named(text));
  }

  /** Why calls may be missing in the trace. */
  get gaps(): string[] {
    const left = this.#messagesLeftOut + Math.max(0, this.#events - mostEvents);
    const unheard = this.#refused.size;
    return [
      ...(left > 0 ? [`${left} more messages than can be stored`] : []),
      ...(unheard > 0 ? [`${unheard} more sessions than are read`] : []),
    ].map((text) => this.#named(text));
  }

  #named(text: string): string {
    return `MCP server "${this.#facts.label}": ${text}`;
  }

  #sessionOf(proxy: string): RecordedSession | undefined {
    const existing = this.#sessions.get(proxy);
    if (existing) return existing;
    if (this.#sessions.size >= mostSessions) {
      this.#refused.add(proxy);
      return undefined;
    }
    const session = new RecordedSession(this.#facts.label, this.#listener(), this.#violations);
    this.#sessions.set(proxy, session);
    return session;
  }

  #listener(): SessionListener {
    return {
      onEvent: (event, atMs) => this.#emitEvent(event, atMs),
      onLoss: (loss) => this.#emit({ ...gapOf({ ...loss, reason: this.#named(loss.reason) }), seenBy: 'recorder' }),
      onGreeting: (greeting) => {
        // A server may answer the question which versions it has without saying who it is.
        if (!isRecord(this.#greeting?.serverInfo)) this.#greeting = greeting;
      },
      onTools: (tools, atMs) => this.#compareTools(tools, atMs),
      onToolsAnnounced: () => {
        this.#isChangeAnnounced = true;
      },
      nextCallId: () => `${this.#facts.label}-${++this.#calls}`,
    };
  }

  #emitEvent(event: UnstampedEvent, atMs: number | undefined): void {
    this.#events++;
    if (this.#events > mostEvents) return;
    const at = atMs === undefined ? {} : { at: atMs - this.#trialBeganAtMs };
    this.#emit({ ...event, seenBy: 'recorder', ...at });
  }

  #compareTools(tools: readonly ToolDefinition[], atMs: number): void {
    if (this.#tools === undefined) {
      this.#tools = tools;
      this.#checkOffer(tools);
      this.#emitServer(tools, atMs);
      return;
    }
    const changes = toolChanges(this.#tools, tools);
    if (this.#isChangeAnnounced && this.#facts.acceptsAnnouncedChanges) this.#acceptTools(tools, changes, atMs);
    else this.#refuse(changes.filter(({ isAdded }) => !isAdded));
    this.#isChangeAnnounced = false;
  }

  #acceptTools(tools: readonly ToolDefinition[], changes: readonly ToolChange[], atMs: number): void {
    if (changes.length === 0) return;
    this.#tools = tools;
    const message = `The MCP server "${this.#facts.label}" announced that its tools changed: ${changesText(changes)}`;
    this.#emitEvent({ type: 'notice', message }, atMs);
    this.#emitServer(tools, atMs, { isAnnounced: true });
  }

  #refuse(changes: readonly ToolChange[]): void {
    if (changes.length === 0) return;
    const message = `The MCP server "${this.#facts.label}" changed its tools during the trial: ${changesText(changes)}.`;
    this.faults.push(new AssayError('MCP_TOOLS_CHANGED', message));
  }

  #surfaceCall({ tool, input, durationMs, output, error, at }: Extract<LogRecord, { kind: 'surface-call' }>): void {
    const failed = error === undefined ? {} : { error: { message: error } };
    this.#emitEvent({ type: 'surface-call', tool, input, durationMs, output, ...failed }, at);
  }

  #checkOffer(tools: readonly ToolDefinition[]): void {
    const { wording, surface } = this.#facts;
    const names = tools.map(({ name }) => name);
    try {
      if (wording !== null) assertWordingFits(tools, wording);
      if (surface !== null) assertSubsetFits(names, surface);
    } catch (error) {
      this.faults.push(asAssayError(error));
    }
  }

  #emitServer(
    tools: readonly ToolDefinition[],
    atMs: number | undefined,
    how: { readonly isAnnounced?: true; readonly isUnlisted?: true } = {},
  ): void {
    const { label, transport, surface } = this.#facts;
    const { serverInfo, protocolVersion } = this.#greeting ?? {};
    const { name, version } = isRecord(serverInfo) ? serverInfo : {};
    const facts = { name: text(name), version: text(version), protocolVersion: text(protocolVersion) };
    const offered = surface === null ? {} : { surface: surfaceName(surface) };
    const pins = Object.entries(pinTools(tools)).map(([tool, sha256]) => ({ name: tool, sha256 }));
    this.#emitEvent({ type: 'mcp-server', label, transport, ...facts, ...offered, ...how, tools: pins }, atMs);
  }

  #unanswered(session: RecordedSession, record: Extract<LogRecord, { kind: 'unanswered' }>): void {
    const request = session.giveUp(record);
    if (!record.isInjected) this.#addFault(record.code, record.what, controlFaults.has(record.code) ? [] : [request]);
  }

  #endOf(session: RecordedSession, end: Extract<LogRecord, { kind: 'end' }>): void {
    this.#messagesLeftOut += end.messagesLeftOut;
    if (end.endedBy === 'agent' || end.code === null) return;
    // The agent that started it ended it when no request was open: not a fault of the server.
    if (end.endedBy === 'signal' && session.isGreeted && session.unanswered.length === 0) return;
    const code = end.code === 'MCP_SERVER_DIED' && !session.isGreeted ? 'MCP_SERVER_NOT_STARTED' : end.code;
    this.#addFault(code, end.what, session.isGreeted ? session.unanswered : [], lastStderr(end.stderr));
  }

  #addFault(code: ErrorCode, what: string, owed: readonly string[], more = ''): void {
    const when = owed.length === 0 ? '' : ` while ${owed.join(', ')} waited for an answer`;
    this.faults.push(new AssayError(code, `The MCP server "${this.#facts.label}" ${what}${when}.${more}`));
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
