import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { letters } from '../../interposer/stand-in-letters.ts';
import type { Decision, Play } from '../control.ts';
import type { CliInput } from './cli-call.ts';
import type { AnnouncedCall, CliControl, ControlledCalls } from './cli-control.ts';
import {
  answeredOutput,
  type CliAnswer,
  type CliReply,
  cliAnswer,
  type LeftFile,
  type OutputPiece,
} from './cli-reply.ts';
import type { WatchedRun } from './cli-tape.ts';
import { contentOf, FrameReader, fieldsOf, frameOf } from './frames.ts';

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
      const call = new ControlledCli(socket, control, calls);
      socket
        .on('error', () => undefined)
        .once('close', () => {
          opened.#sockets.delete(socket);
          call.close();
        });
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
  readonly #pieces: OutputPiece[] = [];
  #call: AnnouncedCall | undefined;
  #decision: Decision<CliReply> | undefined;
  #taped: WatchedRun | undefined;

  constructor(socket: Socket, control: CliControl, calls: ControlledCalls) {
    this.#socket = socket;
    this.#control = control;
    this.#calls = calls;
  }

  take(piece: Buffer): void {
    const frames = this.#reader.take(piece);
    if (!frames) this.#socket.destroy();
    for (const { kind, content } of frames ?? []) {
      if (!this.#handle(kind, content)) this.#socket.destroy();
    }
  }

  /** A program whose stand-in went away before it has ended was killed. */
  close(): void {
    this.#taped?.killed(this.#pieces);
    this.#taped = undefined;
  }

  /** False for a message that no stand-in sends. */
  #handle(kind: string, content: Buffer): boolean {
    const call = this.#call;
    if (!call) return kind === letters.call && this.#begin(content);
    if (!this.#decision) {
      if (kind === letters.stdin) return this.#decide(call, content.toString('utf8'), { bytes: content, ended: true });
      return kind === letters.read && this.#inputRead(call, content);
    }
    if (kind === letters.ended) return this.#ended(call, this.#decision, content);
    const channel = kind === letters.stdout ? 'stdout' : kind === letters.stderr ? 'stderr' : undefined;
    // A copy, because a piece keeps all that came with it.
    if (channel) this.#pieces.push({ channel, bytes: Buffer.from(content) });
    return channel !== undefined;
  }

  #begin(content: Buffer): boolean {
    const fields = fieldsOf(content) ?? [];
    const [tool, cwd, facts, ...argv] = fields.map((field) => field.toString('utf8'));
    if (tool === undefined || cwd === undefined || facts === undefined) return false;
    const [isMerged, ...outputFiles] = facts.split(' ');
    const isText = fields.every((field, index) => index < 3 || field.equals(Buffer.from(argv[index - 3] ?? '')));
    this.#call = this.#calls.begin({ tool, cwd, argv, isMerged: isMerged === '1', outputFiles, isText });
    if (!this.#control.needsStdin(this.#call)) return this.#consider(this.#call, undefined);
    this.#socket.write(frameOf(letters.stdin));
    return true;
  }

  #inputRead(call: AnnouncedCall, content: Buffer): boolean {
    const [bytes, ended, isIdle] = fieldsOf(content) ?? [];
    if (!bytes || !ended || !isIdle) return false;
    return this.#consider(call, { bytes, ended: ended.toString() === '1', isIdle: isIdle.toString() === '1' });
  }

  /** Asks for input as long as the decision depends on more. */
  #consider(call: AnnouncedCall, input: CliInput | undefined): boolean {
    const wanted = this.#control.wantsInput?.(call, input);
    if (!wanted) return this.#decide(call, undefined, input);
    const patience = wanted.patienceSecs === undefined ? '' : String(wanted.patienceSecs);
    this.#socket.write(frameOf(letters.read, contentOf([Buffer.from(String(wanted.bytes)), Buffer.from(patience)])));
    return true;
  }

  #decide(call: AnnouncedCall, stdin: string | undefined, input: CliInput | undefined): boolean {
    const decision = this.#control.decide(call, stdin, input);
    this.#decision = decision;
    const { reply, delayMs, delayedBy, isAltered } = decision;
    if (reply) {
      this.#answer(call, decision.alter(reply), delayMs);
      return true;
    }
    if (decision.play) {
      void this.#play(call, decision, decision.play);
      return true;
    }
    this.#taped = this.#control.tape?.begin(call);
    const flags = [isAltered, this.#taped !== undefined].map((flag) => Buffer.from(flag ? '1' : '0'));
    const watched = isAltered || this.#taped !== undefined;
    // A caller that ends the program during the delay gave up on the delay, not on the program.
    call.answeredBy = delayedBy;
    this.#send(watched ? frameOf(letters.watch, contentOf(flags)) : frameOf(letters.run), delayMs, () => {
      call.answeredBy = undefined;
    });
    return true;
  }

  /** Lets a model answer in place of the program; a caller that ends the call gives it up. */
  async #play(call: AnnouncedCall, decision: Decision<CliReply>, play: Play<CliReply>): Promise<void> {
    const stop = new AbortController();
    this.#socket.once('close', () => stop.abort());
    call.answeredBy = 'simulate';
    const reply = await play(undefined, stop.signal);
    if (!stop.signal.aborted) this.#answer(call, decision.alter(reply), decision.delayMs);
    else if (reply.kind === 'fault') this.#calls.fault = reply.fault;
  }

  /** The answer of the real program, after what a control changes about it. */
  #ended(call: AnnouncedCall, decision: Decision<CliReply>, content: Buffer): boolean {
    const [how, number, hasInput, input, taken, inputEnded, unrecorded, ...doubts] = fieldsOf(content) ?? [];
    if (!how || !number || !hasInput || !input || !taken || !inputEnded || !unrecorded) return false;
    const code = Number(number.toString('latin1'));
    const end = how.toString() === 'signal' ? { exitCode: 128 + code, signal: code } : { exitCode: code };
    const stdin =
      hasInput.toString() === '1'
        ? { content: input, taken: Number(taken.toString('latin1')), ended: inputEnded.toString() === '1' }
        : undefined;
    this.#taped?.ended({
      pieces: this.#pieces,
      end,
      stdin,
      unrecorded: unrecorded.toString('utf8'),
      doubts: doubts.map((doubt) => doubt.toString('utf8')),
    });
    this.#taped = undefined;
    if (!decision.isAltered) this.#socket.write(frameOf(letters.leave));
    else this.#answer(call, decision.alter(cliAnswer({ ...answeredOutput(this.#pieces), ...end })), 0);
    return true;
  }

  #answer(call: AnnouncedCall, { reply, answeredBy }: ReturnType<Decision<CliReply>['alter']>, delayMs: number): void {
    call.answeredBy = answeredBy;
    if (reply.kind === 'unanswered') return;
    if (reply.kind === 'fault') this.#calls.fault = reply.fault;
    const answer =
      reply.kind === 'fault'
        ? cliAnswer({ exitCode: faultExitCode, stderr: Buffer.from(`${call.tool}: this call cannot be answered\n`) })
        : reply;
    this.#send(frameOf(letters.answer, contentOf(fieldsOfAnswer(answer))), delayMs);
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

function fieldsOfAnswer(answer: CliAnswer): Buffer[] {
  const { exitCode, signal, taken, stdout, stderr, files } = answer;
  const texts = [
    signal === undefined ? 'exit' : 'signal',
    String(signal ?? exitCode),
    taken === undefined ? '' : String(taken),
    orderOf(answer).join(','),
  ];
  const written = Object.entries(files).flatMap(([path, file]) => fieldsOfFile(path, file));
  return [...texts.map((text) => Buffer.from(text)), stdout, stderr, ...written];
}

/** The order is that of the output as it was, and not of one that a fault changed. */
function orderOf({ order = [], stdout, stderr }: CliAnswer): readonly number[] {
  const sum = (remainder: number): number =>
    order.reduce((total, length, index) => (index % 2 === remainder ? total + length : total), 0);
  return sum(0) === stdout.length && sum(1) === stderr.length ? order : [];
}

function fieldsOfFile(path: string, file: LeftFile): Buffer[] {
  const mode = 'mode' in file ? (file.mode ?? '') : '';
  const content = file.is === 'file' ? file.content : Buffer.from(file.is === 'link' ? file.to : '');
  return [Buffer.from(file.is), Buffer.from(path), Buffer.from(mode), content];
}
