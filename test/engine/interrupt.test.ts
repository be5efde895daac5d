import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assay, ended, startAssay } from '../../src/testing/support/assay.ts';
import { type DirectCall, readRun, writeCalls } from '../../src/testing/support/direct-calls.ts';
import { processesWith } from '../../src/testing/support/processes.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

/** Answers at once when told to be quick or when there is a file `go`; otherwise it is stopped or never ends. */
const tool = `
read input
case "$input" in *quick*) echo "$input"; exit ;; esac
if [ -e go ]; then echo "$input"; exit; fi
case "$input" in *stubborn*) trap '' TERM INT ;; esac
echo begun >> begun.txt
sleep 600
sleep 600
`;

function scenario(folder: string, kinds: readonly string[]): Record<string, DirectCall> {
  const cases = kinds.map((kind, index) => ({ name: `${kind}-${index}`, input: { kind, index } }));
  return { it: { call: { command: 'sh tool.sh', env: { TEST_MARK: folder } }, cases, timeoutSecs: 60 } };
}

async function projectOf(kinds: readonly string[]): Promise<string> {
  const folder = await temporaryFolder({ 'tool.sh': tool });
  await writeCalls(folder, scenario('${TEST_FOLDER}', kinds));
  return folder;
}

const left = (folder: string): number[] => processesWith(`TEST_MARK=${folder}\0`);

function start(folder: string, args: readonly string[] = []): ChildProcess {
  const child = startAssay(['run', '--json', '--concurrency', '2', ...args], {
    cwd: folder,
    env: { TEST_FOLDER: folder },
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    for (const pid of left(folder)) process.kill(pid, 'SIGKILL');
  });
  return child;
}

async function untilBegun(folder: string, count: number): Promise<void> {
  const file = join(folder, 'begun.txt');
  const begun = (): number => (existsSync(file) ? readFileSync(file, 'utf8').split('begun').length - 1 : 0);
  await expect.poll(begun, { timeout: 20_000 }).toBe(count);
}

function untilPrinted(child: ChildProcess, text: string): Promise<void> {
  let printed = '';
  return new Promise((resolve) => {
    child.stderr?.on('data', (chunk) => {
      printed += String(chunk);
      if (printed.includes(text)) resolve();
    });
  });
}

/** A run document without what is different in every run: ids and times. */
function comparable(document: string): unknown {
  const volatile = new Set(['runId', 'trialId', 'startedAt', 'durationMs', 'pausedMs']);
  return JSON.parse(document, (key, value: unknown) => (volatile.has(key) ? undefined : value));
}

const twoOfEach = ['quick', 'quick', 'slow', 'slow', 'slow', 'quick'];

describe('an interrupted run', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'keeps what has finished after %s, and can be resumed',
    async (signal) => {
      const folder = await projectOf(twoOfEach);
      const child = start(folder);
      const end = ended(child);
      await untilBegun(folder, 2);
      child.kill(signal);
      const interrupted = await readRun(folder, await end);
      const runId = /assay run --resume (\S+)/.exec(interrupted.stderr)?.[1] ?? '';
      expect(interrupted.exitCode).toBe(130);
      expect(interrupted.totals).toEqual({ planned: 6, pass: 2, fail: 0, error: 0, skipped: 0, notRun: 4 });
      expect(Object.keys(interrupted.tried)).toEqual(['it/quick-0', 'it/quick-1']);
      await expect.poll(() => left(folder)).toEqual([]);

      await writeFiles(folder, { go: '' });
      const resumed = await ended(start(folder, ['--resume', runId]));
      const other = await projectOf(twoOfEach);
      await writeFiles(other, { go: '' });
      const uninterrupted = await ended(start(other));
      expect(resumed.exitCode).toBe(0);
      // The time between both processes is not time of the run.
      expect(JSON.parse(resumed.stdout).pausedMs).toBeGreaterThan(0);
      expect(comparable(resumed.stdout)).toEqual(comparable(uninterrupted.stdout));
    },
  );

  it('ends at once at the second signal, and leaves no process behind', async () => {
    const folder = await projectOf(['stubborn', 'stubborn']);
    const child = start(folder);
    const end = ended(child);
    await untilBegun(folder, 2);
    const stopping = untilPrinted(child, 'Stopping');
    child.kill('SIGINT');
    await stopping;
    child.kill('SIGINT');
    expect(await end).toMatchObject({ exitCode: 130, stdout: '', stderr: expect.not.stringContaining('--resume') });
    await expect.poll(() => left(folder)).toEqual([]);
  });

  it('can be stopped before its first trial has begun', async () => {
    const folder = await temporaryFolder({
      'tool.mjs': `
        import { writeFileSync } from 'node:fs';
        writeFileSync(new URL('./begun.txt', import.meta.url), 'begun');
        await new Promise((resolve) => setTimeout(resolve, 600_000));
        export default () => 1;
      `,
    });
    await writeCalls(folder, { it: { call: { module: './tool.mjs' }, timeoutSecs: 60 } });
    const child = start(folder);
    const end = ended(child);
    await untilBegun(folder, 1);
    child.kill('SIGINT');
    const interrupted = await readRun(folder, await end);
    expect(interrupted).toMatchObject({
      exitCode: 130,
      totals: { planned: 1, pass: 0, fail: 0, error: 0, skipped: 0, notRun: 1 },
    });
  });
});

describe('a run whose reader has gone away', () => {
  it.each([
    // The document that was requested did not arrive, whatever the verdicts are.
    ['stdout', 'echo 1', 3, { pass: 1, error: 0 }],
    ['stderr', 'echo junk', 3, { pass: 0, error: 1 }],
  ] as const)('stores its verdicts: %s', async (channel, command, exitCode, counts) => {
    const folder = await temporaryFolder();
    await writeCalls(folder, { it: { call: { command } } });
    const child = start(folder);
    const end = ended(child);
    child[channel]?.destroy();
    expect((await end).exitCode).toBe(exitCode);
    const shown = await assay(['show', 'latest', '--json'], { cwd: folder });
    expect(JSON.parse(shown.stdout)).toMatchObject({ totals: { planned: 1, ...counts } });
  });
});
