import { mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AssayError } from '../../../domain/errors.ts';
import { listedMocks, type PlacedMock, type ToolControl } from '../../../domain/tool-control/mocks.ts';
import type { EmitTrace } from '../../../domain/trace.ts';
import { endTaggedProcesses } from '../../../shared/processes/process-tree.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import type { TrialTape } from '../../tape/tool-tapes.ts';
import type { ToolSimulator } from '../../tool-control/simulator.ts';
import { mocksOfServer } from '../control/mocked-server.ts';
import { TapedServer } from '../control/taped-server.ts';
import type { ServerDefinition } from '../server-definition.ts';
import type { ChosenSurface } from '../surfaces/tool-surface.ts';
import type { ToolRewrites } from '../tool-rewrites.ts';
import { LogKeeper, writtenLogs } from './log-keeper.ts';
import { LogReader } from './log-reader.ts';
import { type ProxySpec, type ProxyTape, serverTag } from './proxy.ts';
import { RecordedServer } from './recorded-server.ts';
import { SimulationSocket } from './simulation-socket.ts';
import { TapedLog } from './taped-log.ts';

/** A server that is put on record. */
export interface ProxiedServer {
  /** With every variable expanded and `cwd` absolute; without it the server starts where the agent starts it. */
  readonly definition: ServerDefinition;
  readonly wording?: ToolRewrites | null | undefined;
  /** How its tools are offered; null for one by one. */
  readonly surface?: ChosenSurface | null | undefined;
}

/** Stands in front of servers that require a login. */
interface Relays extends AsyncDisposable {
  /** Why a server could not be logged in to. */
  faultsOf(name: string): readonly AssayError[];
}

export interface RecordingRequest {
  /** Absolute, not there yet: everything of the recording lives in it, and the agent can read it. */
  readonly folder: string;
  /** Absolute path of a perl that writes the logs; without one the proxies do, so the agent can write them too. */
  readonly perl?: string | undefined;
  /** By the names that their user gave them. */
  readonly servers: Readonly<Record<string, ProxiedServer>>;
  /** Program and arguments that start Assay. */
  readonly program: readonly [string, ...string[]];
  /** Unique to the trial. */
  readonly tag: string;
  /** Rules of the scenario for the calls of its tools. */
  readonly control?: { readonly plan: ToolControl | undefined; readonly seed: string } | undefined;
  /** Plays tools; the proxies cannot, because they have neither keys nor a network. */
  readonly simulation?: Simulation | undefined;
  /** The recording of the trial; undefined where calls are neither recorded nor replayed. */
  readonly tape?: TrialTape | undefined;
  /** Milliseconds since 1970, from which events are timed. */
  readonly trialBeganAtMs: number;
  readonly emit: EmitTrace;
  /** In front of servers that require a login; the recording ends them. */
  readonly relays?: Relays | undefined;
}

/** How an agent starts a proxy instead of a server. */
interface ProxyCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Watched {
  readonly name: string;
  readonly tag: string;
  readonly server: RecordedServer;
  readonly simulator: ToolSimulator | undefined;
  readonly log: LogReader;
  /** Absolute. */
  readonly logFile: string;
}

const writtenByOthers = 'another process wrote to the logs of MCP servers, so records may be forged';
const onlyOwner = 0o600;

/** Writes what the proxies have to know, and reads what they write. */
export function openRecording(request: RecordingRequest): McpRecording {
  const { folder, program, tag } = request;
  const keeper = request.perl === undefined ? undefined : join(folder, 'keeper');
  const logs = keeper === undefined ? join(folder, writtenLogs) : folder;
  mkdirSync(logs, { recursive: true });
  const [command, ...args] = program;
  const watched: Watched[] = [];
  const servers: Record<string, ProxyCommand> = {};
  for (const [index, [name, { definition, wording = null, surface = null }]] of Object.entries(
    request.servers,
  ).entries()) {
    const specFile = join(folder, `${index + 1}.json`);
    const logFile = join(logs, `${index + 1}.jsonl`);
    const { plan, seed = '' } = request.control ?? {};
    const tape = definition.transport === 'mock' ? undefined : request.tape;
    const simulator = simulatorOf(name, request.servers[name], request);
    const simulation = simulator && simulationSocket(folder);
    const control =
      plan || tape || definition.transport === 'mock'
        ? {
            plan: plan && { ...plan, mocks: plan.mocks.map(withoutState) },
            seed,
            server: name,
            tape: tape && proxyTape(tape),
            simulation,
          }
        : undefined;
    const taped = tape?.kind === 'record' ? new TapedLog(new TapedServer(name, tape)) : undefined;
    const own = { tag: `${tag}-mcp${index + 1}`, logFile, ...(keeper !== undefined && { keeper }) };
    const spec: ProxySpec = { server: withoutStates(definition), ...own, wording, surface, control };
    const { transport, toolChanges } = definition;
    const facts = { label: name, transport, wording, surface, acceptsAnnouncedChanges: toolChanges !== 'refuse' };
    const server = new RecordedServer(facts, request.emit, request.trialBeganAtMs);
    watched.push({
      name,
      tag: spec.tag,
      server,
      simulator,
      logFile,
      log: new LogReader(logFile, (record) => (taped?.take(record) ? undefined : server.take(record))),
    });
    writeFileSync(specFile, JSON.stringify(spec), { mode: onlyOwner });
    servers[name] = { command, args: [...args, 'mcp-proxy', specFile], env: {} };
  }
  const serversFile = join(folder, 'servers.json');
  writeFileSync(serversFile, JSON.stringify({ mcpServers: servers }), { mode: onlyOwner });
  return new McpRecording(request, servers, serversFile, watched);
}

/** Plays the tools of one server: those that the scenario has played, and those of a mocked server. */
function simulatorOf(
  name: string,
  server: ProxiedServer | undefined,
  { simulation, control }: Pick<RecordingRequest, 'simulation' | 'control'>,
): ToolSimulator | undefined {
  const own = server?.definition.transport === 'mock' ? mocksOfServer(server.definition) : [];
  return simulation?.ofServer(name, [...(control?.plan?.mocks ?? []), ...own]);
}

/** The agent can read what proxies are given: the states of simulated tools, and how they behave, stay with the run. */
function withoutState(placed: PlacedMock): PlacedMock {
  const { simulate } = placed.mock;
  return simulate ? { ...placed, mock: { ...placed.mock, simulate: { model: simulate.model } } } : placed;
}

function withoutStates(definition: ServerDefinition): ServerDefinition {
  if (definition.transport !== 'mock') return definition;
  const tools = Object.entries(definition.tools).map(([name, tool]) => {
    const answers = listedMocks(tool.answers).map(({ mock }) =>
      mock.simulate ? { ...mock, simulate: { model: mock.simulate.model } } : mock,
    );
    return [name, { ...tool, answers: Array.isArray(tool.answers) ? answers : (answers[0] ?? tool.answers) }];
  });
  return { ...definition, tools: Object.fromEntries(tools) };
}

function simulationSocket(folder: string): string {
  return join(folder, 'played');
}

function proxyTape(tape: TrialTape): ProxyTape {
  if (tape.kind === 'record') return { kind: 'record' };
  const { kind, lines, rules, folders } = tape;
  return { kind, lines, rules, folders };
}

/** Proxies in front of the MCP servers of one trial. */
export class McpRecording implements AsyncDisposable {
  /** The proxies that the agent gets instead of the servers, by the same names. */
  readonly servers: Readonly<Record<string, ProxyCommand>>;
  /** The same as a file, in the form that most agents read. */
  readonly serversFile: string;
  /** The servers as the proxies reach them. */
  readonly reached: Readonly<Record<string, ProxiedServer>>;
  readonly #folder: string;
  readonly #relays: Relays | undefined;
  readonly #watched: readonly Watched[];
  readonly #perl: string | undefined;
  #keeper: LogKeeper | undefined;
  #simulation: SimulationSocket | undefined;
  #problems: readonly string[] = [];
  #doubts: readonly string[] = [];
  #isFinished = false;

  constructor(
    { folder, relays, servers: reached, perl }: RecordingRequest,
    servers: Readonly<Record<string, ProxyCommand>>,
    serversFile: string,
    watched: readonly Watched[],
  ) {
    this.#folder = folder;
    this.#relays = relays;
    this.reached = reached;
    this.servers = servers;
    this.serversFile = serversFile;
    this.#watched = watched;
    this.#perl = perl;
  }

  /** To be called before the agent starts. */
  async open(): Promise<void> {
    await this.#openSimulation();
    if (this.#perl === undefined) return;
    const logs = this.#watched.map(({ name, logFile }) => {
      const { command = '', args = [] } = this.servers[name] ?? {};
      return { logFile, argv: [command, ...args] };
    });
    this.#keeper = await LogKeeper.open({ perl: this.#perl, socket: join(this.#folder, 'keeper'), logs });
  }

  async #openSimulation(): Promise<void> {
    if (!this.#watched.some(({ simulator }) => simulator)) return;
    this.#simulation = await SimulationSocket.listen(simulationSocket(this.#folder), {
      simulatorOf: (name) => this.#watched.find((watched) => watched.name === name)?.simulator,
      onCall: () => this.catchUp(),
    });
  }

  /** To be called when the agent has ended, before `finish`: all that the proxies logged is there then. */
  async settle(): Promise<void> {
    if (!this.#keeper) return;
    const { problems, gaps, writtenBytes } = await this.#keeper.finish();
    const bytes = this.#watched.reduce((sum, { log }) => sum + log.bytes, 0);
    this.#problems = problems;
    this.#doubts = bytes === writtenBytes ? gaps : [...gaps, writtenByOthers];
  }

  /** Emits the events that the proxies have logged so far; call it before emitting other events, to keep the order. */
  catchUp(): void {
    for (const { log } of this.#watched) log.read();
  }

  /** Emits the remaining events when the agent has ended, and ends processes that its servers left running. */
  finish(): void {
    this.catchUp();
    this.#endServers();
    this.#isFinished = true;
    for (const { server } of this.#watched) server.finish();
  }

  /** Faults that keep the servers from being judged. */
  get faults(): readonly AssayError[] {
    return this.#watched.flatMap(({ name, server }) => {
      const ofLogin = this.#relays?.faultsOf(name) ?? [];
      // The proxy knows only that it was refused.
      return ofLogin.length > 0 ? ofLogin : server.faults;
    });
  }

  /** Names of the servers that the agent never started. */
  get unused(): readonly string[] {
    return this.#watched.filter(({ server }) => !server.wasStarted).map(({ name }) => name);
  }

  /** Protocol errors of servers, in words. */
  get problems(): readonly string[] {
    return [...this.#problems, ...this.#watched.flatMap(({ server }) => server.problems)];
  }

  /** Why calls may be missing in the recording. */
  get gaps(): readonly string[] {
    const ofLogs = this.#watched.flatMap(({ name, server, log }) => [
      ...server.gaps,
      ...log.problems.map((problem) => `MCP server "${name}": ${problem}`),
    ]);
    const played = this.#watched.filter(
      ({ name, server }) => (this.#simulation?.servedFor(name) ?? 0) > server.simulatedCalls,
    );
    const around = played.map(({ name }) => `MCP server "${name}": simulated tools were called around the recorder`);
    return [...this.#doubts, ...ofLogs, ...around];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isFinished) this.finish();
    await this.#keeper?.[Symbol.asyncDispose]();
    await this.#simulation?.[Symbol.asyncDispose]();
    for (const { log } of this.#watched) log[Symbol.dispose]();
    await this.#relays?.[Symbol.asyncDispose]();
    // Requests to servers and their addresses may hold secrets.
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** A proxy that was killed could not end its server, which has its own process group. */
  #endServers(): void {
    for (const { tag, server } of this.#watched) {
      for (const proxy of server.proxies) endTaggedProcesses(serverTag(tag, proxy));
    }
  }
}
