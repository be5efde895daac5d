import { setTimeout as pause } from 'node:timers/promises';
import { isRecord } from '../../shared/json.ts';
import type { McpRequestOptions, McpSession, ToolChange, ToolDefinition } from './session.ts';
import { toolChanges } from './tool-pins.ts';

/** An announcement may be on its way when the list already shows the change. */
const announcementDelayMs = 250;

/** The tools of a server as its users share them. */
export class SharedTools {
  /** As the server defined them when the run began. */
  readonly first: readonly ToolDefinition[];
  /** As they were listed last. */
  latest: readonly ToolDefinition[];
  #announcementsAtLatest = 0;
  #announcer: McpSession | undefined;
  /** How often the server has announced a change. */
  announcements = 0;
  #onAnnouncement = new Set<() => void>();

  constructor(first: readonly ToolDefinition[]) {
    this.first = first;
    this.latest = first;
  }

  /** Takes a new list; one that differs although nothing was announced since the last one is not an announced one. */
  list(tools: readonly ToolDefinition[]): void {
    const isUnannounced = this.announcements === this.#announcementsAtLatest;
    if (isUnannounced && toolChanges(this.latest, tools).length > 0) this.#announcer = undefined;
    this.latest = tools;
    this.#announcementsAtLatest = this.announcements;
  }

  /** Whether the server announced its tools as they are now; one that was started again has announced nothing. */
  isAnnouncedBy(session: McpSession): boolean {
    return this.#announcer === session;
  }

  listenTo(session: McpSession): void {
    session.onNotification('notifications/tools/list_changed', () => {
      this.announcements++;
      this.#announcer = session;
      for (const listener of this.#onAnnouncement) listener();
    });
  }

  /** Whether another announcement than those until now comes within a moment. */
  async isAnnouncedSoon(session: McpSession): Promise<boolean> {
    const { tools } = session.facts.capabilities;
    if (!isRecord(tools) || tools.listChanged !== true) return false;
    const before = this.announcements;
    const giveUp = new AbortController();
    const listener = (): void => giveUp.abort();
    this.#onAnnouncement.add(listener);
    await pause(announcementDelayMs, undefined, { signal: giveUp.signal }).catch(() => undefined);
    this.#onAnnouncement.delete(listener);
    return this.announcements > before;
  }
}

/** The tools of a server while one user has it: how they changed, and whether the server announced that. */
export class ToolWatch {
  readonly #shared: SharedTools;
  readonly #acceptsAnnounced: boolean;
  #known: readonly ToolDefinition[];
  #announcementsBefore: number;

  constructor(shared: SharedTools, acceptsAnnounced: boolean) {
    this.#shared = shared;
    this.#acceptsAnnounced = acceptsAnnounced;
    this.#known = shared.latest;
    this.#announcementsBefore = shared.announcements;
  }

  /** Begins with the tools that the server has now; earlier changes are those of others. */
  async begin(session: McpSession, options: McpRequestOptions): Promise<readonly ToolDefinition[]> {
    this.#announcementsBefore = this.#shared.announcements;
    this.#known = await session.listTools({ ...options, isFresh: true });
    this.#shared.list(this.#known);
    return this.#known;
  }

  /** Like `changes`, without a request where nothing was announced. */
  async announcedChanges(session: McpSession, options: McpRequestOptions): Promise<ToolChange[]> {
    return this.#shared.announcements === this.#announcementsBefore ? [] : this.changes(session, options);
  }

  /** Lists the tools again, because a server may change them without an announcement. */
  async changes(session: McpSession, options: McpRequestOptions): Promise<ToolChange[]> {
    const tools = await session.listTools({ ...options, isFresh: true });
    this.#shared.list(tools);
    const changes = toolChanges(this.#known, tools);
    if (changes.length === 0) return [];
    const isAnnounced =
      this.#shared.announcements > this.#announcementsBefore || (await this.#shared.isAnnouncedSoon(session));
    this.#announcementsBefore = this.#shared.announcements;
    const isAccepted = isAnnounced && this.#acceptsAnnounced;
    if (isAccepted) this.#known = tools;
    return changes.map((change) => ({
      ...change,
      isAccepted,
      text: isAnnounced ? `${change.text} (announced)` : change.text,
    }));
  }
}
