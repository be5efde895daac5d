import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { superviseProcess } from './supervise-process.ts';

function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it('reads the last output of a process also when the event loop was blocked after its end', async () => {
  const child = spawn('sh', ['-c', 'echo the last words'], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = superviseProcess(child, {
    signal: new AbortController().signal,
    endsDaemons: false,
    tag: randomUUID(),
    isNamespaced: false,
  });
  let printed = '';
  child.once('exit', () => {
    // Longer than the pipes of an ended process are left open.
    blockEventLoop(700);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    child.stderr.resume();
  });
  const { exitCode } = await ended;
  expect({ printed, exitCode }).toEqual({ printed: 'the last words\n', exitCode: 0 });
});
