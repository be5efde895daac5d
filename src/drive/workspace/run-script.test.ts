import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ScriptRequest } from '../../domain/gate.ts';
import { processesRunning } from '../../testing/fakes/workspace/running-commands.ts';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { runScript } from './run-script.ts';

async function request(more: Partial<ScriptRequest> = {}): Promise<ScriptRequest> {
  const cwd = await temporaryFolder();
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', GREETING: 'hello' };
  return { cwd, env, timeoutMs: 20_000, tag: cwd, signal: new AbortController().signal, ...more };
}

/** A number of seconds that no other process sleeps. */
function newMark(): string {
  return String(randomInt(1e8, 1e9));
}

describe('runScript', () => {
  it('runs in the folder with exactly the environment and the input that it is given', async () => {
    const scriptRequest = await request({ stdin: 'in' });
    const end = await runScript('pwd; echo "$GREETING ${HOME-no home}"; cat; echo oops >&2; exit 3', scriptRequest);
    expect(end).toMatchObject({ exitCode: 3, signal: null, timedOut: false });
    expect(end.stdout).toEqual({ text: `${scriptRequest.cwd}\nhello no home\nin`, truncatedBytes: 0 });
    expect(end.stderr).toEqual({ text: 'oops\n', truncatedBytes: 0 });
  });

  it('reports the signal that ended it', async () => {
    expect(await runScript('kill -SEGV $$', await request())).toMatchObject({ exitCode: null, signal: 'SIGSEGV' });
  });

  it('is ended with all that it started when its time is up', async () => {
    const mark = newMark();
    const end = await runScript(`setsid sleep ${mark} & sleep ${mark}`, await request({ timeoutMs: 300 }));
    expect(end).toMatchObject({ timedOut: true, signal: 'SIGTERM' });
    expect(processesRunning(`sleep ${mark}`)).toEqual([]);
  });

  it('is ended without a time-out when it is aborted', async () => {
    const wish = new AbortController();
    const scriptRequest = await request({ signal: wish.signal });
    const running = runScript('touch started; sleep 600', scriptRequest);
    await expect.poll(() => existsSync(join(scriptRequest.cwd, 'started'))).toBe(true);
    wish.abort();
    expect(await running).toMatchObject({ timedOut: false, signal: 'SIGTERM' });
  });

  it('leaves no daemon behind when it ends by itself', async () => {
    const mark = newMark();
    const command = `setsid sleep ${mark} & (setsid nohup sleep ${mark} >/dev/null 2>&1 &) ; echo done`;
    const end = await runScript(command, await request());
    expect(end).toMatchObject({ exitCode: 0, timedOut: false, stdout: { text: 'done\n' } });
    expect(processesRunning(`sleep ${mark}`)).toEqual([]);
  });

  it('keeps the head and the tail of too much output', async () => {
    const end = await runScript(
      'echo first; head -c 20000000 /dev/zero | tr "\\0" x; echo; echo last',
      await request(),
    );
    expect(end.exitCode).toBe(0);
    expect(end.stdout.text.length).toBeLessThan(8_400_000);
    expect(end.stdout.text.startsWith('first\nxxx')).toBe(true);
    expect(end.stdout.text.endsWith('xxx\nlast\n')).toBe(true);
    expect(end.stdout.truncatedBytes).toBe(20_000_012 - 8 * 1_048_576);
  });

  it('finds a work directory that is gone, and does not fail itself', async () => {
    const end = await runScript('true', { ...(await request()), cwd: '/nowhere/at/all' });
    expect(end).toMatchObject({ exitCode: 127, signal: null, timedOut: false });
    expect(end.stderr.text).toContain('/nowhere/at/all');
  });
});
