import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { parseJson } from '../../../shared/json.ts';
import { lazySchema } from '../../../shared/lazy-schema.ts';
import type { FailedSimulation, SimulatedCall, SimulatedResult, ToolSimulator } from '../../tool-control/simulator.ts';

/** Proxies have neither keys nor a network: they have their calls played by the run. */
const requestSchema = lazySchema(() =>
  z.object({
    server: z.string(),
    tool: z.string(),
    number: z.int().min(1),
    place: z.string(),
    input: z.unknown(),
    definition: z.unknown().optional(),
  }),
);

const mostRequestChars = 16 * 1024 * 1024;

type Answer = SimulatedResult | FailedSimulation;

interface SimulationServer {
  /** Plays the tools of a server; undefined for one without simulated tools. */
  simulatorOf(server: string): ToolSimulator | undefined;
  /** Called before a call is answered. */
  onCall(): void;
}

/** The socket on which the proxies of one trial have calls played. */
export class SimulationSocket implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #served = new Map<string, number>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async listen(path: string, given: SimulationServer): Promise<SimulationSocket> {
    const server = createServer();
    const opened = new SimulationSocket(server);
    server.on('connection', (socket) => opened.#serve(socket, given));
    server.listen(path);
    await once(server, 'listening');
    return opened;
  }

  /** Number of calls of a server that were played, from the proxy or around it. */
  servedFor(server: string): number {
    return this.#served.get(server) ?? 0;
  }

  #serve(socket: Socket, { simulatorOf, onCall }: SimulationServer): void {
    this.#sockets.add(socket);
    const gone = new AbortController();
    let line = '';
    socket.setEncoding('utf8');
    socket
      .on('error', () => undefined)
      .once('close', () => {
        this.#sockets.delete(socket);
        gone.abort();
      });
    socket.on('data', (piece: string) => {
      line += piece;
      if (line.length > mostRequestChars) socket.destroy();
      if (!line.includes('\n')) return;
      socket.removeAllListeners('data');
      socket.resume();
      const request = requestSchema.safeParse(parseJson(line));
      const simulator = request.success ? simulatorOf(request.data.server) : undefined;
      if (!request.success || !simulator) return void socket.destroy();
      const { server, ...call } = request.data;
      this.#served.set(server, this.servedFor(server) + 1);
      onCall();
      void simulator.answer(call, gone.signal).then((answer) => socket.end(`${JSON.stringify(answer)}\n`));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** Plays the tools of a server by way of the run; `onCall` is called before each call is sent. */
export function remoteSimulator(path: string, server: string, onCall: (call: SimulatedCall) => void): ToolSimulator {
  return {
    async answer(call, signal) {
      onCall(call);
      const failed = (why: string): FailedSimulation => ({ kind: 'failed', code: 'MOCK_UNUSABLE', why });
      try {
        return (await request(path, { server, ...call }, signal)) ?? failed('the run gave no answer');
      } catch (error) {
        return failed(`the run could not be reached: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
  };
}

async function request(path: string, call: object, signal: AbortSignal): Promise<Answer | undefined> {
  const socket = createConnection(path);
  // A proxy whose agent has left must not wait for an answer.
  socket.unref();
  const end = (): void => void socket.destroy();
  signal.addEventListener('abort', end);
  try {
    await once(socket, 'connect');
    socket.write(`${JSON.stringify(call)}\n`);
    for await (const line of createInterface({ input: socket })) return parseJson(line) as Answer;
    return undefined;
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}
