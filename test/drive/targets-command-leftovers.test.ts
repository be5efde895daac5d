import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CommandResult, ended, startAssay } from '../../src/testing/support/assay.ts';
import { endings, readRun, runCalls, writeCalls } from '../../src/testing/support/direct-calls.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/** Ids of processes that were started with this argument, which is theirs whatever they do to their environment. */
function processesNamed(argument: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && argumentsOf(pid).includes(argument));
}

function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

/** Ways to leave something running, by their names; `wait` is a shell command that goes on for a long time. */
const leftovers: Readonly<Record<string, (wait: string) => string>> = {
  'a child in the background': (wait) => `${wait} &`,
  'a tree that ignores SIGTERM': (wait) => `trap '' TERM; sh -c '${wait}; ${wait}' &`,
  'a child that ignores hang-ups': (wait) => `nohup ${wait} >/dev/null &`,
  'a daemon in a session of its own': (wait) => `setsid sh -c '${wait} & ${wait}' &`,
  'a daemon that was forked twice and holds no pipe': (wait) => `(setsid ${wait} </dev/null >/dev/null 2>&1 &)`,
  'a daemon that ignores SIGTERM': (wait) => `setsid sh -c "trap '' TERM; ${wait}; ${wait}" &`,
  'a daemon with an empty environment': (wait) => `env -i setsid ${wait} </dev/null >/dev/null 2>&1 &`,
  'a daemon without our tag': (wait) => `(unset ASSAY_TRIAL; setsid ${wait} </dev/null >/dev/null 2>&1 &)`,
  'a detached process with an empty environment': (wait) =>
    `'${process.execPath}' -e "const [p, ...a] = '${wait}'.split(' '); require('child_process').spawn(p, a, { detached: true, stdio: 'ignore', env: { PATH: process.env.PATH } }).unref()"`,
};

interface LeavingRun {
  readonly folder: string;
  /** Ids of the processes that are left. */
  left(): number[];
  start(): ReturnType<typeof startAssay>;
}

/** Prints how many processes have the argument, while the run still goes on. */
const countScript = (argument: string): string => `
import { readdirSync, readFileSync } from 'node:fs';
const has = (pid) => { try { return readFileSync('/proc/' + pid + '/cmdline', 'latin1').split('\\0').includes('${argument}'); } catch { return false; } };
console.log(readdirSync('/proc').filter((pid) => /^\\d+$/.test(pid) && has(pid)).length);
`;

/**
 * A project with one scenario for each kind of leftover, and a last one that counts what is left; that is ended with the
 * test.
 */
async function leavingProject(ending: string, timeoutSecs: number, concurrency = 20): Promise<LeavingRun> {
  const seconds = `600.${randomInt(1e9)}`;
  const folder = await temporaryFolder({ 'count.mjs': countScript(seconds) });
  const left = (): number[] => processesNamed(seconds);
  onTestFinished(() => {
    for (const pid of left()) process.kill(pid, 'SIGKILL');
  });
  const calls = Object.values(leftovers).map((leave, index) => [
    `s${index}`,
    { call: { command: `${leave(`sleep ${seconds}`)}\ntouch started-${index}; ${ending}` }, timeoutSecs },
  ]);
  const count = { call: { command: `'${process.execPath}' count.mjs` }, timeoutSecs: 60 };
  await writeCalls(folder, { ...Object.fromEntries(calls), t: count });
  const args = ['run', '--json', '--concurrency', String(concurrency)];
  return { folder, left, start: () => startAssay(args, { cwd: folder }) };
}

describe.runIf(process.platform === 'linux')('nothing that a command started is left', () => {
  const names = Object.keys(leftovers);

  async function allStarted(folder: string): Promise<void> {
    await expect.poll(() => names.filter((_, index) => !existsSync(join(folder, `started-${index}`)))).toEqual([]);
  }

  it('when it has ended by itself, and its answer counts', async () => {
    const { folder, left, start } = await leavingProject('echo 1', 60, 1);
    const { t: count, ...tried } = (await readRun(folder, await ended(start()))).tried;
    expect(Object.values(tried).map(({ outcome, result }) => [outcome, result])).toEqual(names.map(() => ['pass', 1]));
    expect(count?.result).toBe(0);
    await expect.poll(left).toEqual([]);
  });

  it('when its time is up', async () => {
    const { folder, left, start } = await leavingProject('sleep 60', 3);
    const { t: _, ...ends } = endings(await readRun(folder, await ended(start())));
    expect(Object.values(ends)).toEqual(names.map(() => 'TARGET_TIMEOUT'));
    await allStarted(folder);
    await expect.poll(left).toEqual([]);
  });

  it.each(['SIGINT', 'SIGKILL'] as const)('when Assay gets %s', async (signal) => {
    const { folder, left, start } = await leavingProject('sleep 60', 600);
    const child = start();
    const over: Promise<CommandResult> = ended(child);
    await allStarted(folder);
    expect(left().length).toBeGreaterThanOrEqual(names.length);
    child.kill(signal);
    await over;
    await expect.poll(left).toEqual([]);
  });
});

describe.runIf(process.platform === 'linux')('a command whose time is up', () => {
  it('has time to end by itself', async () => {
    const folder = await temporaryFolder({
      'polite.sh': `trap 'sleep 0.3; echo cleaned > cleaned.txt; exit' TERM; sleep 600 & wait`,
    });
    const run = await runCalls(folder, { it: { call: { command: 'sh polite.sh; true' }, timeoutSecs: 1 } });
    expect(endings(run)).toEqual({ it: 'TARGET_TIMEOUT' });
    expect(existsSync(`${folder}/cleaned.txt`)).toBe(true);
  });
});
