import type { RunHeader } from '../../../domain/run.ts';
import { eachTrial, type Store } from '../../../keep/store/store.ts';
import { BoundedCache } from '../bounded-cache.ts';
import { endedKey } from '../runs-desk.ts';
import { type BrokenSuite, type SeenServer, SeenServers } from './seen-server.ts';

/** What stored runs know of MCP servers. */
export interface McpSightings {
  /** By label; of each server the newest run first. */
  readonly servers: ReadonlyMap<string, readonly SeenServer[]>;
  /** The newest run first. */
  readonly broken: readonly BrokenSuite[];
  /** Of servers, by the names of the scenarios that talk to them. */
  readonly labels: ReadonlyMap<string, string>;
  readonly runsLookedAt: number;
}

const mostRuns = 20;
const mostTrials = 1_000;
const mostTraces = 200;
/** A run without any server among its first trials is taken for one without servers. */
const firstTrials = 50;

/** MCP servers in the newest runs of a store. */
export class McpHistory {
  readonly #store: Store;
  /** Of runs that have ended, which do not change. */
  readonly #known = new BoundedCache<SeenServers>(2 * mostRuns);

  constructor(store: Store) {
    this.#store = store;
  }

  async read(): Promise<McpSightings> {
    const runs = await this.#store.listRuns(mostRuns);
    const servers = new Map<string, SeenServer[]>();
    const labels = new Map<string, string>();
    const broken: BrokenSuite[] = [];
    for (const run of runs) {
      const key = endedKey(run);
      const seen = await (key === undefined ? this.#seenIn(run) : this.#known.get(key, () => this.#seenIn(run)));
      for (const [label, server] of seen.byLabel) servers.set(label, [...(servers.get(label) ?? []), server]);
      for (const [scenario, label] of seen.labels) if (!labels.has(scenario)) labels.set(scenario, label);
      broken.push(...seen.broken);
    }
    return { servers, broken, labels, runsLookedAt: runs.length };
  }

  async #seenIn({ runId, scenarios }: RunHeader): Promise<SeenServers> {
    const isExpected = scenarios.some(({ serverPart }) => serverPart !== null);
    const seen = new SeenServers();
    let trials = 0;
    let traces = 0;
    for await (const record of eachTrial(this.#store, runId)) {
      trials += 1;
      if (record.toolPins !== null && traces < mostTraces) {
        traces += 1;
        seen.addTrace(record, (await this.#store.readTrace(record.trialId)) ?? []);
      }
      seen.addTests(record);
      if (trials >= mostTrials || (!isExpected && traces === 0 && trials >= firstTrials)) break;
    }
    return seen;
  }
}
