import type { RunHeader } from '../../domain/run.ts';
import { eachTrial, type Store } from '../../store/store.ts';
import { type SeenServer, SeenServers } from './seen-server.ts';

/** What stored runs know of MCP servers. */
export interface McpSightings {
  /** By label; of each server the newest run first. */
  readonly servers: ReadonlyMap<string, readonly SeenServer[]>;
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
  /** Of finished runs, which do not change. */
  #known = new Map<string, readonly SeenServer[]>();

  constructor(store: Store) {
    this.#store = store;
  }

  async read(): Promise<McpSightings> {
    const runs = await this.#store.listRuns(mostRuns);
    const known = new Map<string, readonly SeenServer[]>();
    const servers = new Map<string, SeenServer[]>();
    for (const run of runs) {
      const seen = this.#known.get(run.runId) ?? (await this.#seenIn(run));
      if (run.status === 'finished') known.set(run.runId, seen);
      for (const server of seen) servers.set(server.facts.label, [...(servers.get(server.facts.label) ?? []), server]);
    }
    this.#known = known;
    return { servers, runsLookedAt: runs.length };
  }

  async #seenIn({ runId, scenarios }: RunHeader): Promise<readonly SeenServer[]> {
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
    return [...seen.byLabel.values()];
  }
}
