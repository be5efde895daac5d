import { logLevels } from '../../domain/mcp/suites.ts';
import { inputCapabilities, metaKeys } from '../../drive/mcp/protocol-versions.ts';
import type { OpenSessionOptions, ServerFacts } from '../../drive/mcp/session.ts';
import { isRecord } from '../../shared/json.ts';
import type { RequestFinding, RuleText } from '../definitions/rule.ts';
import { shownMessage } from './answer-text.ts';
import { protocolRules } from './protocol-rules.ts';
import type { Suspect } from './simulated-client.ts';

type Message = Readonly<Record<string, unknown>>;
type Direction = Parameters<NonNullable<OpenSessionOptions['onFrame']>>[0];

/** Requests that are repeated to find out whether the server asks a client for what it does not offer. */
const mostSuspects = 5;

/** Stands for the opening of the session. */
const atOpening: Suspect = { method: 'ping', params: {} };

const levels: readonly string[] = logLevels;
const ofJsonRpc: ReadonlySet<number> = new Set([-32_700, -32_600, -32_601, -32_602, -32_603]);
const ofModern: ReadonlySet<number> = new Set([-32_020, -32_021, -32_022]);

/** Capabilities that a server declares before it sends a notification. */
const needs: Readonly<Record<string, readonly [capability: string, part?: string]>> = {
  'notifications/message': ['logging'],
  'notifications/tools/list_changed': ['tools', 'listChanged'],
  'notifications/prompts/list_changed': ['prompts', 'listChanged'],
  'notifications/resources/list_changed': ['resources', 'listChanged'],
  'notifications/resources/updated': ['resources', 'subscribe'],
};

/** Looks at every message of a session for what the answers alone do not show. */
export class FrameWatch {
  readonly #found = new Map<RuleText, string>();
  readonly #progress = new Map<unknown, number>();
  readonly #notifications = new Set<string>();
  readonly #errorCodes = new Set<unknown>();
  /** Requests for a level of log messages that are not answered yet. */
  readonly #levelRequests = new Map<unknown, number>();
  #lowestLevel = 0;
  #logs: { readonly isWanted: boolean; readonly level: string }[] = [];
  #requestsLogs = false;
  /** Requests to the server that are not answered yet. */
  readonly #open = new Map<unknown, Suspect>();
  readonly #suspects = new Set<Suspect>();

  /** A server that is started again knows nothing of the level that was set. */
  restart(): void {
    this.#lowestLevel = 0;
    this.#levelRequests.clear();
    this.#open.clear();
  }

  /** The first requests that were open while the server sent a request to its client. */
  get suspects(): readonly Suspect[] {
    return [...this.#suspects].slice(0, mostSuspects);
  }

  see(direction: Direction, message: unknown): void {
    if (!isRecord(message)) return;
    if (direction === 'to-server') this.#sent(message);
    else if (typeof message.method === 'string') this.#called(message.method, message);
    else this.#answered(message);
  }

  /** The first problem of each kind. */
  findings({ era, capabilities }: ServerFacts): RequestFinding[] {
    const found = new Map(this.#found);
    const note = (rule: RuleText, message: string): void => void (found.has(rule) || found.set(rule, message));
    for (const code of this.#errorCodes)
      if (!isCodeOf(era, code)) note(protocolRules.errorCodeInvalid, `The code ${shownMessage(String(code))}.`);
    for (const method of this.#notifications) {
      const [capability, part] = needs[method] ?? [];
      if (capability === undefined || isDeclared(capabilities[capability], part)) continue;
      const name = part === undefined ? capability : `${capability}.${part}`;
      note(protocolRules.capabilityUndeclared, `It sends \`${method}\` without \`${name}\`.`);
    }
    const unwanted = this.#logs.find(({ isWanted }) => !isWanted);
    if (unwanted) note(protocolRules.logBelowLevel, `A message of the level ${shownMessage(unwanted.level)}.`);
    else if (era === 'modern' && this.#logs.length > 0 && !this.#requestsLogs)
      note(protocolRules.logBelowLevel, 'A message for requests without `logLevel`.');
    return [...found].map(([rule, message]) => ({ rule, message }));
  }

  #sent({ id, method, params }: Message): void {
    if (!isRecord(params)) return;
    if (id !== undefined && typeof method === 'string' && method !== 'initialize')
      this.#open.set(id, { method, params });
    if (method === 'logging/setLevel') this.#levelRequests.set(id, levels.indexOf(String(params.level)));
    if (!isRecord(params._meta)) return;
    const { progressToken } = params._meta;
    if (progressToken !== undefined) this.#progress.set(progressToken, Number.NEGATIVE_INFINITY);
    if (params._meta[metaKeys.logLevel] !== undefined) this.#requestsLogs = true;
  }

  #answered({ id, error }: Message): void {
    const level = this.#levelRequests.get(id);
    if (this.#levelRequests.delete(id) && level !== undefined && error === undefined) this.#lowestLevel = level;
    this.#open.delete(id);
    if (isRecord(error)) this.#errorCodes.add(error.code);
  }

  #called(method: string, { id, params }: Message): void {
    const data = isRecord(params) ? params : {};
    if (id !== undefined && Object.hasOwn(inputCapabilities, method))
      for (const one of this.#open.size === 0 ? [atOpening] : this.#open.values()) this.#suspects.add(one);
    if (id !== undefined) return;
    if (method in needs) this.#notifications.add(method);
    if (method === 'notifications/progress') this.#progressed(data);
    if (method === 'notifications/message') {
      const level = String(data.level);
      this.#keepLog({ level, isWanted: levels.indexOf(level) >= this.#lowestLevel });
    }
  }

  #keepLog(log: { readonly isWanted: boolean; readonly level: string }): void {
    if (this.#logs.length === 0 || !log.isWanted) this.#logs = [log];
  }

  #progressed({ progressToken, progress }: Message): void {
    const rule = protocolRules.progressMalformed;
    const before = this.#progress.get(progressToken);
    const token = shownMessage(JSON.stringify(progressToken) ?? 'no token');
    if (before === undefined) this.note(rule, `No request has the token ${token}.`);
    else if (typeof progress !== 'number') this.note(rule, '`progress` is not a number.');
    else {
      if (progress <= before) this.note(rule, `After ${before} comes ${progress}.`);
      this.#progress.set(progressToken, progress);
    }
  }

  /** Keeps the first problem of a kind. */
  note(rule: RuleText, message: string): void {
    if (!this.#found.has(rule)) this.#found.set(rule, message);
  }
}

function isDeclared(capability: unknown, part: string | undefined): boolean {
  return isRecord(capability) && (part === undefined || capability[part] === true);
}

/** Codes outside of the reserved range belong to the server; the code for a missing resource has another rule. */
function isCodeOf(era: ServerFacts['era'], code: unknown): boolean {
  if (typeof code !== 'number' || !Number.isInteger(code)) return false;
  if (code < -32_768 || code > -32_000 || ofJsonRpc.has(code)) return true;
  if (era === 'modern' && code <= -32_020) return ofModern.has(code);
  return code >= -32_099;
}
