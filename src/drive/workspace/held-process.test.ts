import type { ChildProcess } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { heldPipes, heldProcess } from './held-process.ts';

function childWith(info: PassThrough): ChildProcess {
  const stdio: unknown[] = [];
  stdio[heldPipes.info] = info;
  return { stdio } as unknown as ChildProcess;
}

it('the pipe of bubblewrap stays open until it has written everything', async () => {
  const info = new PassThrough();
  let hasEnded = false;
  const pid = heldProcess(childWith(info)).finally(() => {
    hasEnded = true;
  });
  info.write('{\n    "child-pid": 4711');
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(hasEnded).toBe(false);
  expect(info.destroyed).toBe(false);
  info.write(',\n    "net-namespace": 12\n}\n');
  expect(await pid).toBe(4711);
});

it('bubblewrap that ends without naming its process is an error', async () => {
  const info = new PassThrough();
  info.end('');
  await expect(heldProcess(childWith(info))).rejects.toThrow('bubblewrap ended early');
});
