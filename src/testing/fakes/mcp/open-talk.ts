import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Fault } from '../../../domain/tool-control/faults.ts';
import type { TraceEvent, TraceEventOf, UnstampedEvent } from '../../../domain/trace.ts';
import { type McpRecording, openRecording } from '../../../drive/mcp/proxy/open-recording.ts';
import { readProxySpec, runProxy } from '../../../drive/mcp/proxy/proxy.ts';
import type { ServerDefinition } from '../../../drive/mcp/server-definition.ts';
import type { ChosenSurface } from '../../../drive/mcp/surfaces/tool-surface.ts';
import type { ToolRewrites } from '../../../drive/mcp/tool-rewrites.ts';

type Message = Readonly<Record<string, unknown>>;

interface TalkRequest {
  /** Of the server that keeps a log. */
  readonly mode?: string;
  readonly definition?: ServerDefinition;
  /** Of the server that keeps a log. */
  readonly toolChanges?: 'refuse';
  readonly wording?: ToolRewrites;
  readonly surface?: ChosenSurface;
  /** Calls that are broken on purpose. */
  readonly faults?: readonly Fault[];
}

/** An agent's talk with a server through the proxy, which runs in this process; the server does not. */
export class Talk implements AsyncDisposable {
  readonly folder: string;
  readonly recording: McpRecording;
  readonly events: UnstampedEvent[];
  readonly exitCode: Promise<number>;
  readonly #stdin = new PassThrough();
  readonly #stdout = new PassThrough();
  readonly #waiting = new Map<unknown, (message: Message) => void>();
  #received = '';
  #stderr = '';

  constructor(folder: string, recording: McpRecording, events: UnstampedEvent[]) {
    this.folder = folder;
    this.recording = recording;
    this.events = events;
    const stderr = new PassThrough();
    stderr.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString();
    });
    this.#stdout.setEncoding('utf8').on('data', (chunk: string) => this.#take(chunk));
    const spec = readProxySpec(recording.servers.tested?.args.at(-1) ?? '');
    const surroundings = {
      cwd: folder,
      env: { PATH: process.env.PATH },
      stdin: this.#stdin,
      stdout: this.#stdout,
      stderr,
    };
    this.exitCode = runProxy(spec, surroundings);
  }

  /** Everything that the agent got. */
  get received(): string {
    return this.#received;
  }

  get stderr(): string {
    return this.#stderr;
  }

  write(bytes: string): void {
    this.#stdin.write(bytes);
  }

  /** Asks, and waits for the answer. */
  ask(id: string | number, method: string, params: object = {}): Promise<Message> {
    const answered = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answered;
  }

  async greet(): Promise<void> {
    const clientInfo = { name: 'agent', version: '1' };
    await this.ask('greeting', 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    this.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  }

  call(id: string | number, name: string, args: object = {}): Promise<Message> {
    return this.ask(id, 'tools/call', { name, arguments: args });
  }

  /** The agent ends; returns the exit code of the proxy when all events are emitted. */
  async hangUp(): Promise<number> {
    this.#stdin.end();
    const exitCode = await this.exitCode;
    this.recording.finish();
    return exitCode;
  }

  /** The lines that the server says it got or sent. */
  serverLines(direction: 'got' | 'sent'): string[] {
    const lines = readFileSync(join(this.folder, 'server.log'), 'utf8').trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line) as { direction: string; line: string });
    return entries.filter((entry) => entry.direction === direction).map(({ line }) => line);
  }

  /** The tool calls that the server says it got. */
  serverCalls(): unknown[] {
    const messages = this.serverLines('got').map((line) => JSON.parse(line) as { method: string; params: Message });
    const calls = messages.filter(({ method }) => method === 'tools/call');
    return calls.map(({ params }) => ({ tool: params.name, input: params.arguments }));
  }

  eventsOf<Type extends TraceEvent['type']>(type: Type): TraceEventOf<Type>[] {
    return this.events.filter((event) => event.type === type) as TraceEventOf<Type>[];
  }

  /** The tool calls on record. */
  recordedCalls(): unknown[] {
    return this.eventsOf('tool-call').map(({ tool, input }) => ({ tool, input }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stdin.end();
    await this.exitCode;
    await this.recording[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true });
  }

  #take(chunk: string): void {
    const from = this.#received.lastIndexOf('\n') + 1;
    this.#received += chunk;
    if (!chunk.includes('\n') || this.#waiting.size === 0) return;
    for (const line of this.#received.slice(from).split('\n').slice(0, -1)) this.#answer(line);
  }

  #answer(line: string): void {
    if (!line.startsWith('{')) return;
    const message = JSON.parse(line) as Message;
    if (message.method !== undefined) return;
    this.#waiting.get(message.id)?.(message);
    this.#waiting.delete(message.id);
  }
}

const loggingServer = fileURLToPath(new URL('./logging-server.mjs', import.meta.url));

/** Lets an agent talk to the server that keeps a log, or to another one. */
export async function openTalk({
  mode = 'good',
  definition,
  toolChanges,
  wording,
  surface,
  faults = [],
}: TalkRequest = {}): Promise<Talk> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-proxy-'));
  const events: UnstampedEvent[] = [];
  await writeFile(join(folder, 'server.log'), '');
  const server = definition ?? {
    transport: 'stdio' as const,
    command: 'node',
    args: [loggingServer, join(folder, 'server.log'), mode],
    env: {},
    ...(toolChanges && { toolChanges }),
  };
  const recording = openRecording({
    folder: join(folder, 'mcp'),
    servers: { tested: { definition: server, wording, surface } },
    program: ['assay'],
    tag: `talk-${process.pid}`,
    trialBeganAtMs: Date.now(),
    ...(faults.length > 0 && {
      control: {
        plan: { mocks: [], faults: faults.map((fault) => ({ fault, border: 'mcp' as const, place: 'c.yaml:1:1' })) },
        seed: '',
      },
    }),
    emit: (event) => events.push(event),
  });
  return new Talk(folder, recording, events);
}
