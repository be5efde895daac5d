import { type ChildProcess, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { storeEnvironment } from './project-store.ts';

type Message = Readonly<Record<string, unknown>>;

/** A program driven by JSON-RPC, line by line, which exposes all it prints. */
export interface Speaking {
  readonly child: ChildProcess;
  send(message: Message): void;
  /** Sends a request and gives the message with its id. */
  request(message: Message & { readonly id: number }): Promise<Message>;
  initialize(): Promise<void>;
  /** The lines on stdout. */
  printed(): string[];
  stderrText(): string;
}

/** Starts a program of ours; it is ended with the test. */
export function startSpeaking(args: readonly string[], cwd: string, env: Record<string, string> = {}): Speaking {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, args, { cwd, env: { PATH, HOME, ...storeEnvironment(cwd), ...env } });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let stdout = '';
  let stderr = '';
  child.stdin.on('error', () => undefined);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const printed = () => stdout.split('\n').filter((line) => line !== '');
  const send = (message: Message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request: Speaking['request'] = (message) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const answer = printed()
          .slice(0, stdout.endsWith('\n') ? undefined : -1)
          .map((line) => JSON.parse(line) as Message)
          .find(({ id }) => id === message.id);
        if (answer) resolve(answer);
      };
      child.stdout.on('data', look);
      child.once('close', () => reject(new Error(`ended without an answer: ${stderr}`)));
      send(message);
    });
  return {
    child,
    send,
    request,
    printed,
    stderrText: () => stderr,
    async initialize() {
      const clientInfo = { name: 'test', version: '1' };
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
      await request({ id: 1, method: 'initialize', params });
      send({ method: 'notifications/initialized' });
    },
  };
}
