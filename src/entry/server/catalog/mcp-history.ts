import type { TrialRecord } from '../../../domain/record.ts';
import type { RunHeader } from '../../../domain/run.ts';
import { eventsOf, type Trace, type TraceEventOf } from '../../../domain/trace.ts';
import { eachTrial, type Store } from '../../../keep/store/store.ts';
import { NewestRuns } from './newest-runs.ts';

/** The calls and tests of one tool. */
export interface SeenTool {
  calls: number;
  errors: number;
  /** Errors that a test expected, such as a refusal of arguments. */
  expectedErrors: number;
  tests: number;
  testsPassed: number;
  readonly latenciesMs: number[];
}

/** How tests ended. */
interface Health {
  passed: number;
  failed: number;
  error: number;
}

/** A suite whose server did not get as far as saying what it is. */
export interface BrokenSuite {
  readonly runId: string;
  readonly seenAt: number;
  readonly scenario: string;
  readonly health: Readonly<Health>;
}

/** An MCP server as one run saw it. */
export interface SeenServer {
  readonly runId: string;
  readonly seenAt: number;
  readonly file: string;
  readonly facts: Pick<TraceEventOf<'mcp-server'>, 'label' | 'name' | 'version' | 'protocolVersion' | 'transport'>;
  /** SHA-256 of the definition of each of its tools. */
  readonly pins: Map<string, string>;
  /** Definitions of its tools, where the run kept them. */
  readonly definitions: Map<string, Readonly<Record<string, unknown>>>;
  readonly health: Health;
  readonly tools: Map<string, SeenTool>;
}

const mostLatencies = 10_000;
const healthKeys = { pass: 'passed', fail: 'failed', error: 'error' } as const;

/** The servers of one run, put together trial by trial. */
class SeenServers {
  readonly byLabel = new Map<string, SeenServer>();
  /** By the names of scenarios. */
  readonly labels = new Map<string, string>();
  readonly broken: BrokenSuite[] = [];

  /** Adds the servers and calls of a trace. */
  addTrace(record: TrialRecord, trace: Trace): void {
    const announced = eventsOf(trace, 'mcp-server');
    for (const event of announced) this.#announce(record, event);
    const expected = passedCalls(record, trace);
    const results = new Map(eventsOf(trace, 'tool-result').map((result) => [result.callId, result]));
    for (const call of eventsOf(trace, 'tool-call')) {
      // A call that was refused says nothing about the server.
      if (call.isRefused) continue;
      const server = this.#serverOf(call, announced);
      if (server) addCall(toolOf(server, call.tool), results.get(call.callId), expected);
    }
  }

  /** Adds the test results of a suite; the server is known from a trace of the same scenario. */
  addTests({ runId, startedAt, scenario, toolHealth }: TrialRecord): void {
    if (toolHealth.length === 0) return;
    const server = this.byLabel.get(this.labels.get(scenario) ?? '');
    const health = server?.health ?? { passed: 0, failed: 0, error: 0 };
    if (!server) this.broken.push({ runId, seenAt: startedAt, scenario, health });
    for (const { state, toolName, kind } of toolHealth) {
      health[healthKeys[state]] += 1;
      if (!server) continue;
      if (kind !== 'tool') continue;
      const tool = toolOf(server, toolName);
      tool.tests += 1;
      if (state === 'pass') tool.testsPassed += 1;
    }
  }

  #announce({ runId, startedAt, file, scenario }: TrialRecord, event: TraceEventOf<'mcp-server'>): void {
    const { label, name, version, protocolVersion, transport, tools } = event;
    this.labels.set(scenario, label);
    const server = this.byLabel.get(label) ?? {
      runId,
      seenAt: startedAt,
      file,
      facts: { label, name, version, protocolVersion, transport },
      pins: new Map(),
      definitions: new Map(),
      health: { passed: 0, failed: 0, error: 0 },
      tools: new Map(),
    };
    this.byLabel.set(label, server);
    for (const { name: tool, sha256, definition } of tools) {
      server.pins.set(tool, sha256);
      if (definition) server.definitions.set(tool, definition);
    }
  }

  #serverOf(call: TraceEventOf<'tool-call'>, announced: readonly TraceEventOf<'mcp-server'>[]): SeenServer | undefined {
    const named = announced.find(({ label }) => label === call.server);
    const owner = named ?? announced.find(({ tools }) => tools.some(({ name }) => name === call.tool));
    return owner && this.byLabel.get(owner.label);
  }
}

/** The calls that decided tests which passed: if such a call failed, its test expected that. */
function passedCalls({ toolHealth }: TrialRecord, trace: Trace): ReadonlySet<string> {
  const decided = eventsOf(trace, 'mcp-test').flatMap(({ name, callId }) => {
    const named = toolHealth.filter(({ testName }) => testName === name);
    return callId !== null && named.length > 0 && named.every(({ state }) => state === 'pass') ? [callId] : [];
  });
  return new Set(decided);
}

function addCall(tool: SeenTool, result: TraceEventOf<'tool-result'> | undefined, expected: ReadonlySet<string>): void {
  tool.calls += 1;
  if (!result) return;
  if (result.error) tool[expected.has(result.callId) ? 'expectedErrors' : 'errors'] += 1;
  const { durationMs } = result;
  if (durationMs !== undefined && tool.latenciesMs.length < mostLatencies) tool.latenciesMs.push(durationMs);
}

function toolOf({ tools }: SeenServer, name: string): SeenTool {
  const tool = tools.get(name) ?? { calls: 0, errors: 0, expectedErrors: 0, tests: 0, testsPassed: 0, latenciesMs: [] };
  tools.set(name, tool);
  return tool;
}

/** The MCP servers of stored runs. */
export interface McpSightings {
  /** By label; of each server the newest run first. */
  readonly servers: ReadonlyMap<string, readonly SeenServer[]>;
  /** The newest run first. */
  readonly broken: readonly BrokenSuite[];
  /** Of servers, by the names of the scenarios that talk to them. */
  readonly labels: ReadonlyMap<string, string>;
  readonly runsLookedAt: number;
}

const mostTrials = 1_000;
const mostTraces = 200;
/** A run without any server among its first trials is taken for one without servers. */
const firstTrials = 50;

/** MCP servers in the newest runs of a store. */
export class McpHistory {
  readonly #store: Store;
  readonly #runs: NewestRuns<SeenServers>;

  constructor(store: Store) {
    this.#store = store;
    this.#runs = new NewestRuns(store, (run) => this.#seenIn(run));
  }

  async read(): Promise<McpSightings> {
    const servers = new Map<string, SeenServer[]>();
    const labels = new Map<string, string>();
    const broken: BrokenSuite[] = [];
    let runsLookedAt = 0;
    for await (const sightings of this.#runs.each()) {
      runsLookedAt += 1;
      for (const [label, server] of sightings.byLabel) servers.set(label, [...(servers.get(label) ?? []), server]);
      for (const [scenario, label] of sightings.labels) if (!labels.has(scenario)) labels.set(scenario, label);
      broken.push(...sightings.broken);
    }
    return { servers, broken, labels, runsLookedAt };
  }

  async #seenIn({ runId, scenarios }: RunHeader): Promise<SeenServers> {
    const isExpected = scenarios.some(({ serverPart }) => serverPart !== null);
    const sightings = new SeenServers();
    let trials = 0;
    let traces = 0;
    for await (const record of eachTrial(this.#store, runId)) {
      trials += 1;
      if (record.toolPins !== null && traces < mostTraces) {
        traces += 1;
        sightings.addTrace(record, (await this.#store.readTrace(record.trialId)) ?? []);
      }
      sightings.addTests(record);
      if (trials >= mostTrials || (!isExpected && traces === 0 && trials >= firstTrials)) break;
    }
    return sightings;
  }
}
