import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { AssayError } from '../../domain/errors.ts';

/**
 * Writes a program that can be started at once. Another process writes it, because a file that this one has open for
 * writing could be inherited by whatever is started meanwhile, and would be refused as busy until that has started.
 */
export async function writeExecutable(path: string, text: string): Promise<void> {
  const child = spawn('/bin/sh', ['-c', 'cat >"$1" && chmod 755 "$1"', 'sh', path], {
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaint += chunk;
  });
  child.stdin.on('error', () => undefined).end(text);
  const [exitCode] = await once(child, 'close');
  if (exitCode !== 0)
    throw new AssayError('WORKSPACE_FAILED', `The recorder cannot write ${path}: ${complaint.trim()}`);
}
