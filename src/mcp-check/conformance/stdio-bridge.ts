import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listenOnLoopback } from '../../drive/loopback-server.ts';
import { isModernRequest } from '../../drive/mcp/protocol-versions.ts';
import { loopbackServer } from '../../shared/http/guarded-server.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import { BridgedProgram, type Message, type StartProgram } from './bridged-program.ts';
import { HttpAnswer } from './http-answer.ts';

const sessionHeader = 'mcp-session-id';

/** Opens an address for programs that speak streamable HTTP only; each session gets its own program. */
export async function openStdioBridge(start: StartProgram) {
  const programs = new BridgedPrograms(start);
  const server = loopbackServer((request, response) => {
    respond(programs, request, response).catch(() => response.destroy());
  });
  const address = await listenOnLoopback(server, 0);
  return {
    url: `${address}/mcp`,
    [Symbol.asyncDispose]: async () => {
      await closeServer(server);
      await programs[Symbol.asyncDispose]();
    },
  };
}

/** Programs by session, and those that answer requests without one. */
class BridgedPrograms implements AsyncDisposable {
  readonly #start: StartProgram;
  readonly #sessions = new Map<string, BridgedProgram>();
  #stateless: BridgedProgram[] = [];

  constructor(start: StartProgram) {
    this.#start = start;
  }

  ofSession(id: string): BridgedProgram | undefined {
    return this.#sessions.get(id);
  }

  begin(): { readonly id: string; readonly program: BridgedProgram } {
    const id = randomUUID();
    const program = new BridgedProgram(this.#start);
    this.#sessions.set(id, program);
    return { id, program };
  }

  async end(id: string): Promise<void> {
    const program = this.#sessions.get(id);
    this.#sessions.delete(id);
    await program?.[Symbol.asyncDispose]();
  }

  /** Clients count their requests each for themselves, so two that wait under one id need two programs. */
  withoutSession({ id }: Message): BridgedProgram {
    this.#stateless = this.#stateless.filter(({ isOver }) => !isOver);
    const free = this.#stateless.find((program) => !program.hasOpen(id));
    if (free) return free;
    const program = new BridgedProgram(this.#start);
    this.#stateless.push(program);
    return program;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#sessions.values(), ...this.#stateless];
    await Promise.all(all.map((program) => program[Symbol.asyncDispose]()));
  }
}

async function respond(programs: BridgedPrograms, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const session = request.headers[sessionHeader]?.toString();
  const end = (status: number): void => void response.writeHead(status).end();
  if (request.method === 'DELETE') {
    if (session === undefined || !programs.ofSession(session)) return end(404);
    await programs.end(session);
    return end(200);
  }
  if (request.method !== 'POST') return end(405);
  const message = parseJson(await text(request));
  if (!isRecord(message)) return end(400);
  const found = programFor(programs, message, session);
  if (typeof found === 'number') return end(found);
  const { program, headers } = found;
  if (message.method === undefined || message.id === undefined) {
    program.send(message);
    return end(202);
  }
  program.ask(message, new HttpAnswer(response, { headers, hasSession: !isModernRequest(message.params) }));
}

interface ProgramOfRequest {
  readonly program: BridgedProgram;
  readonly headers: Readonly<Record<string, string>>;
}

/** The program that a message is for; a status where there is none. */
function programFor(
  programs: BridgedPrograms,
  message: Message,
  session: string | undefined,
): ProgramOfRequest | number {
  if (session !== undefined) {
    const program = programs.ofSession(session);
    return program ? { program, headers: {} } : 404;
  }
  if (message.method === 'initialize') {
    const { id, program } = programs.begin();
    return { program, headers: { [sessionHeader]: id } };
  }
  return { program: programs.withoutSession(message), headers: {} };
}
