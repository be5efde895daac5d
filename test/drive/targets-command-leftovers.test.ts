import { existsSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endings, runCalls } from '../../src/testing/support/direct-calls.ts';
import { processesWith } from '../../src/testing/support/processes.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/** Every process that the command starts inherits this, so that the test can find and end what is left. */
function markOf(folder: string): Readonly<Record<string, string>> {
  const mark = `TEST_MARK=${folder}`;
  onTestFinished(() => {
    for (const pid of processesWith(mark)) process.kill(pid, 'SIGKILL');
  });
  return { TEST_MARK: folder };
}

function left(folder: string): number[] {
  return processesWith(`TEST_MARK=${folder}\0`);
}

const started = 'touch started;';

describe.runIf(process.platform === 'linux')('what a command leaves running', () => {
  it.each([
    ['a child in the background', `${started} sleep 600 & sleep 600`],
    ['a tree that ignores SIGTERM', `trap '' TERM; ${started} sh -c 'sleep 600; sleep 600'`],
    ['a child that ignores hang-ups', `nohup sleep 600 >nohup.txt & ${started} sleep 600`],
    ['a daemon in a session of its own', `setsid sh -c 'sleep 600 & sleep 600' & ${started} sleep 600`],
    [
      'a daemon that was forked twice and holds no pipe',
      `(setsid sleep 600 </dev/null >/dev/null 2>&1 &) ; ${started} sleep 600`,
    ],
    ['a daemon that ignores SIGTERM', `setsid sh -c "trap '' TERM; sleep 600; sleep 600" & ${started} sleep 600`],
  ])('is ended with a time-out: %s', async (_, command) => {
    const folder = await temporaryFolder();
    const run = await runCalls(folder, { it: { call: { command, env: markOf(folder) }, timeoutSecs: 1 } });
    expect(existsSync(`${folder}/started`)).toBe(true);
    expect(endings(run)).toEqual({ it: 'TARGET_TIMEOUT' });
    await expect.poll(() => left(folder)).toEqual([]);
  });

  it('has time to end by itself', async () => {
    const folder = await temporaryFolder({
      'polite.sh': `trap 'sleep 0.3; echo cleaned > cleaned.txt; exit' TERM; ${started} sleep 600 & wait`,
    });
    const call = { command: 'sh polite.sh; true', env: markOf(folder) };
    const run = await runCalls(folder, { it: { call, timeoutSecs: 1 } });
    expect(endings(run)).toEqual({ it: 'TARGET_TIMEOUT' });
    expect(existsSync(`${folder}/cleaned.txt`)).toBe(true);
    await expect.poll(() => left(folder)).toEqual([]);
  });

  it('is ended with the command when it stayed in its group', async () => {
    const folder = await temporaryFolder();
    const run = await runCalls(folder, { it: { call: { command: 'sleep 600 & echo 1', env: markOf(folder) } } });
    expect(run.tried.it).toMatchObject({ outcome: 'pass', result: 1 });
    await expect.poll(() => left(folder)).toEqual([]);
  });

  it('does not keep the answer waiting when a daemon holds the output', async () => {
    const folder = await temporaryFolder();
    const command = 'setsid sleep 600 & echo 1';
    const run = await runCalls(folder, { it: { call: { command, env: markOf(folder) }, timeoutSecs: 30 } });
    expect(run.tried.it).toMatchObject({ outcome: 'pass', result: 1 });
  });
});
