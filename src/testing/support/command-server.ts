import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { programPath } from './assay.ts';
import { runInProcess } from './assay-in-process.ts';

/** Commands that stay until they are ended, by a signal or by their input. */
const ownProcess = ['collect', 'fake-model', 'gateway', 'mcp', 'mcp-proxy', 'serve', 'watch', 'worker'];

interface Request {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Sends a command with its folder, variables and input; prints what comes back, and ends with its exit code. */
const client = `
const { writeSync } = require('node:fs');
const [socketPath, ...args] = process.argv.slice(2);
const socket = require('node:net').connect(socketPath);
socket.write(JSON.stringify({ args, cwd: process.cwd(), env: process.env }) + '\\n');
process.stdin.pipe(socket);
let rest = '';
socket.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const { stream, data, exitCode } = JSON.parse(line);
    if (exitCode !== undefined) process.exit(exitCode);
    print(stream, Buffer.from(data, 'base64'));
  }
});
socket.on('close', () => process.exit(70));
function print(stream, bytes) {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(stream, bytes, done);
    } catch (error) {
      if (error.code !== 'EAGAIN') process.exit(1);
    }
  }
}
`;

/**
 * Runs the commands that shell scripts give, in this process: its client starts several times as fast as the program,
 * and a script sees the same output and the same exit code.
 */
export class CommandServer implements AsyncDisposable {
  readonly #server: Server;
  /** Lines of a shell script that is the program. */
  readonly script: string;

  private constructor(server: Server, script: string) {
    this.#server = server;
    this.script = script;
  }

  /** Its socket and its client lie in the folder. */
  static async open(folder: string): Promise<CommandServer> {
    await mkdir(folder, { recursive: true });
    const [socketPath, clientPath] = [join(folder, 'commands.sock'), join(folder, 'client.cjs')];
    await writeFile(clientPath, client);
    const server = createServer({ allowHalfOpen: true }, (socket) => void answer(socket));
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    const [node, program] = [process.execPath, programPath];
    const script = `case "$1" in ${ownProcess.join('|')}) exec "${node}" "${program}" "$@" ;; esac
exec "${node}" "${clientPath}" "${socketPath}" "$@"`;
    return new CommandServer(server, script);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function answer(socket: Socket): Promise<void> {
  // A client that is gone, such as one in front of head(1), wants no more output.
  socket.on('error', () => undefined);
  const stdin = new PassThrough();
  const { args, cwd, env } = await readRequest(socket, stdin);
  const send = (message: object): void => void socket.write(`${JSON.stringify(message)}\n`);
  const output = (stream: 1 | 2) =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        send({ stream, data: chunk.toString('base64') });
        done();
      },
    });
  const exitCode = await runInProcess(args, { cwd, env, stdin, stdout: output(1), stderr: output(2) });
  send({ exitCode });
  socket.end();
}

/** Reads the first line; all that follows is the input of the command. */
function readRequest(socket: Socket, stdin: PassThrough): Promise<Request> {
  return new Promise((resolve) => {
    let head = Buffer.alloc(0);
    const onData = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\n');
      if (end === -1) return;
      socket.off('data', onData);
      stdin.write(head.subarray(end + 1));
      socket.pipe(stdin);
      resolve(JSON.parse(head.subarray(0, end).toString('utf8')) as Request);
    };
    socket.on('data', onData);
  });
}
