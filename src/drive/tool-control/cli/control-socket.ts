import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Decision } from '../control.ts';
import type { AnnouncedCall, CliControl, ControlledCalls } from './cli-control.ts';
import { type CliReply, cliAnswer } from './cli-reply.ts';
import { contentOf, FrameReader, fieldsOf, frameOf } from './frames.ts';

/** Letters of the messages between a stand-in and the control. */
export const letters = {
  /** A stand-in was called. */
  call: 'C',
  /** The control wants the standard input, and the stand-in sends it. */
  stdin: 'I',
  /** The real program is to run, and the control hears no more of it. */
  run: 'R',
  /** The real program is to run, and its output is to be sent instead of printed. */
  capture: 'X',
  /** Output and exit code of the real program. */
  captured: 'E',
  /** Output, exit code and files that the stand-in leaves. */
  answer: 'A',
} as const;

/** Of a call that the control itself could not answer. */
const faultExitCode = 125;

/** The socket on which the stand-ins of one trial ask what to do. */
export class ControlSocket implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async listen(path: string, control: CliControl, calls: ControlledCalls): Promise<ControlSocket> {
    const server = createServer();
    const opened = new ControlSocket(server);
    server.on('connection', (socket) => {
      opened.#sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => opened.#sockets.delete(socket));
      const call = new ControlledCli(socket, control, calls);
      socket.on('data', (piece) => call.take(piece));
    });
    server.listen(path);
    await once(server, 'listening');
    return opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** One call of a program, from the first message of its stand-in to the answer. */
class ControlledCli {
  readonly #socket: Socket;
  readonly #control: CliControl;
  readonly #calls: ControlledCalls;
  readonly #reader = new FrameReader();
  #call: AnnouncedCall | undefined;
  #decision: Decision<CliReply> | undefined;

  constructor(socket: Socket, control: CliControl, calls: ControlledCalls) {
    this.#socket = socket;
    this.#control = control;
    this.#calls = calls;
  }

  take(piece: Buffer): void {
    const frames = this.#reader.take(piece);
    if (!frames) this.#socket.destroy();
    for (const { kind, content } of frames ?? []) {
      if (kind === letters.call && !this.#call) this.#begin(content);
      else if (kind === letters.stdin && this.#call && !this.#decision)
        this.#decide(this.#call, content.toString('utf8'));
      else if (kind === letters.captured && this.#call && this.#decision) this.#pass(this.#call, content);
      else this.#socket.destroy();
    }
  }

  #begin(content: Buffer): void {
    const [tool, cwd, ...argv] = (fieldsOf(content) ?? []).map((field) => field.toString('utf8'));
    if (tool === undefined || cwd === undefined) {
      this.#socket.destroy();
      return;
    }
    this.#call = this.#calls.begin({ tool, cwd, argv });
    if (this.#control.needsStdin(this.#call)) this.#socket.write(frameOf(letters.stdin));
    else this.#decide(this.#call, undefined);
  }

  #decide(call: AnnouncedCall, stdin: string | undefined): void {
    const decision = this.#control.decide(call, stdin);
    this.#decision = decision;
    const { reply, delayMs, delayedBy, isAltered } = decision;
    if (reply) this.#answer(call, decision.alter(reply), delayMs);
    else {
      // A caller that ends the program during the delay gave up on the delay, not on the program.
      call.answeredBy = delayedBy;
      this.#send(frameOf(isAltered ? letters.capture : letters.run), delayMs, () => {
        call.answeredBy = undefined;
      });
    }
  }

  /** The answer of the real program, after what a control changes about it. */
  #pass(call: AnnouncedCall, content: Buffer): void {
    const [exitCode, stdout, stderr] = fieldsOf(content) ?? [];
    if (!this.#decision || !exitCode || !stdout || !stderr) {
      this.#socket.destroy();
      return;
    }
    const given = cliAnswer({ exitCode: Number(exitCode.toString('latin1')), stdout, stderr });
    this.#answer(call, this.#decision.alter(given), 0);
  }

  #answer(call: AnnouncedCall, { reply, answeredBy }: ReturnType<Decision<CliReply>['alter']>, delayMs: number): void {
    call.answeredBy = answeredBy;
    if (reply.kind === 'unanswered') return;
    if (reply.kind === 'fault') this.#calls.fault = reply.fault;
    const { exitCode, stdout, stderr, files } =
      reply.kind === 'fault'
        ? cliAnswer({ exitCode: faultExitCode, stderr: Buffer.from(`${call.tool}: this call cannot be answered\n`) })
        : reply;
    const written = Object.entries(files).flatMap(([path, content]) => [
      Buffer.from(content === null ? '-' : '+'),
      Buffer.from(path),
      content ?? Buffer.alloc(0),
    ]);
    const fields = [Buffer.from(String(exitCode)), stdout, stderr, ...written];
    this.#send(frameOf(letters.answer, contentOf(fields)), delayMs);
  }

  #send(frame: Buffer, delayMs: number, onSent?: () => void): void {
    const send = (): void => {
      onSent?.();
      this.#socket.write(frame);
    };
    if (delayMs === 0) {
      send();
      return;
    }
    const timer = setTimeout(send, delayMs);
    this.#socket.once('close', () => clearTimeout(timer));
  }
}
