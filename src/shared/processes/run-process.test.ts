import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { superviseProcess } from './run-process.ts';

/** More than the stream reads ahead, and little enough that the pipe holds the rest when the process has ended. */
const outputBytes = 100_000;

function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it('reads the last output of a process also when the event loop was blocked after its end', async () => {
  const child = spawn('sh', ['-c', `head -c ${outputBytes} /dev/zero`], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = superviseProcess(child, {
    signal: new AbortController().signal,
    endsDaemons: false,
    tag: randomUUID(),
    isNamespaced: false,
  });
  let readBytes = 0;
  child.once('exit', () => {
    // Longer than the pipes of an ended process are left open.
    blockEventLoop(700);
    child.stdout.on('data', (chunk: Buffer) => {
      readBytes += chunk.length;
    });
    child.stderr.resume();
  });
  const { exitCode } = await ended;
  expect({ readBytes, exitCode }).toEqual({ readBytes: outputBytes, exitCode: 0 });
});

it('leaves the limit of listeners as it was when a program cannot be started', async () => {
  const limit = process.getMaxListeners();
  const child = spawn('/nonexistent/program', { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const ended = superviseProcess(child, {
    signal: new AbortController().signal,
    endsDaemons: false,
    tag: randomUUID(),
    isNamespaced: false,
  });
  await expect(ended).rejects.toThrow('ENOENT');
  child.stdout.resume();
  child.stderr.resume();
  await closed;
  await Promise.resolve();
  expect(process.getMaxListeners()).toBe(limit);
});
