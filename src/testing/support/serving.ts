import type { ChildProcess } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { startAssay } from './assay.ts';

/** A server of the built program, with a request that is let in. */
export interface Serving {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  request(path: string, init?: RequestInit): Promise<Response>;
}

/** Starts the server for one test and waits until it answers. */
export async function serving(
  cwd: string,
  env: Record<string, string> = {},
  args: readonly string[] = [],
  command = startAssay,
): Promise<Serving> {
  const child = command(['serve', ...args, '--json', '--port', '0'], { cwd, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (text) => resolve(String(text)));
    child.once('close', (code) => reject(new Error(`ended with ${code}`)));
  });
  const { url, token, pid } = JSON.parse(line) as Serving;
  const request: Serving['request'] = (path, init = {}) =>
    fetch(new URL(path, url), {
      ...init,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
  return { child, url, token, pid, request };
}
