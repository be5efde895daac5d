import type { ListedServer } from '../definitions/listed-server.ts';
import type { CheckProblem } from '../definitions/rule.ts';
import type { ServerUnderCheck } from '../session/server-under-check.ts';
import type { Suggestions } from './suggestions.ts';

/** A server, and values that it suggests for arguments. */
export interface FeatureContext {
  readonly server: ServerUnderCheck;
  readonly listed: ListedServer;
  readonly suggestions: Suggestions;
}

/** A feature beside tools, and how many requests about it were answered well. */
export interface FeatureReport {
  readonly name: string;
  readonly tried: number;
  readonly ok: number;
  /** Why not everything was tried; null when it was. */
  readonly leftOut: string | null;
}

/** The requests about one feature, and their problems. */
interface FeatureOutcome extends Omit<FeatureReport, 'name'> {
  readonly problems: readonly CheckProblem[];
}

/** A part of the protocol beside tools that is tried on servers that declare it. */
export interface Feature {
  readonly name: string;
  /** Whether the server has anything of it. */
  isOffered(listed: ListedServer): boolean;
  check(context: FeatureContext): Promise<FeatureOutcome>;
}

const mostTried = 50;

/** Requests and problems of a feature as they come. */
export class FeatureTally {
  readonly #problems: CheckProblem[] = [];
  #tried = 0;
  #ok = 0;
  #leftOut: string | null = null;

  /** Counts a request; one without problems is a good one. */
  add(problems: readonly CheckProblem[]): void {
    this.#tried++;
    if (problems.length === 0) this.#ok++;
    this.note(problems);
  }

  /** Takes note of problems of a request that is not counted, such as a deliberately wrong one. */
  note(problems: readonly CheckProblem[]): void {
    this.#problems.push(...problems);
  }

  /** Tries the first of many things, while the server is there. */
  async tryEach<Item>(
    items: readonly Item[],
    server: ServerUnderCheck,
    tryOne: (item: Item) => Promise<void>,
  ): Promise<void> {
    for (const item of items.slice(0, mostTried)) if (server.lost === undefined) await tryOne(item);
    if (items.length > mostTried) this.leaveOut(`only the first ${mostTried} of ${items.length} were tried`);
  }

  leaveOut(reason: string): void {
    this.#leftOut ??= reason;
  }

  outcome(): FeatureOutcome {
    return { tried: this.#tried, ok: this.#ok, leftOut: this.#leftOut, problems: this.#problems };
  }
}
