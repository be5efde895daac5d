import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Seconds from asking for a page until an expression is true in it; the start of the browser is not counted. */
export async function secondsToOpen(browser, address, expression) {
  const profile = mkdtempSync(join(tmpdir(), 'assay-bench-chromium-'));
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--remote-debugging-pipe'];
  const stdio = ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'];
  const child = spawn(browser, [...flags, `--user-data-dir=${profile}`, 'about:blank'], { stdio });
  try {
    const send = commands(child);
    const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
    const began = performance.now();
    await send('Page.navigate', { url: address }, sessionId);
    for (;;) {
      const { result } = await send('Runtime.evaluate', { expression, returnByValue: true }, sessionId);
      if (result?.value === true) return (performance.now() - began) / 1_000;
    }
  } finally {
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('close', resolve));
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Sends a command over the pipe and gives its answer; one that failed gives an empty one. */
function commands(child) {
  const waiting = new Map();
  let rest = '';
  let lastId = 0;
  child.stdio[4].setEncoding('utf8').on('data', (text) => {
    const messages = (rest + text).split('\0');
    rest = messages.pop();
    for (const { id, result } of messages.map((message) => JSON.parse(message))) waiting.get(id)?.(result ?? {});
  });
  return (method, params, sessionId) =>
    new Promise((resolve) => {
      const id = ++lastId;
      waiting.set(id, resolve);
      child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
}
