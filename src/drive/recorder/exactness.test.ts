import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ended, RecordedTool } from '../../testing/fakes/recorder/recorded-tool.ts';
import { shimKinds } from '../../testing/fakes/recorder/shim-kinds.ts';
import { repetitions } from '../../testing/support/repetitions.ts';

const kinds = (await shimKinds()).filter((kind) => kind.keepsOutput);
const [best] = kinds;

/** Counts the signals that it receives, and prints the count on a line of stdin. */
const counter = (signal: string) =>
  `exec tool sh -c 'n=0; trap "n=\\$((n + 1))" ${signal}; echo ready; until read x; do :; done; echo $x $n'`;

/** Prints until its output has not been read for a while, reports that, and waits. */
const fillOutput = `
  fcntl(STDOUT, 4, 2048);
  for (my $refused = 0; $refused < 20; $refused++) {
    $refused = 0 if defined syswrite STDOUT, "x" x 65536;
    select(undef, undef, undef, 0.01);
  }
  syswrite STDERR, "full";
  sleep 1000;
`;

describe.each(kinds)('the shim in $name', ({ shim }) => {
  it.each(['TERM', 'INT', 'HUP', 'USR1', 'USR2', 'ALRM', 'QUIT', 'WINCH'])('hands on SIG%s', async (signal) => {
    await using tool = await RecordedTool.open(shim);
    const child = tool.start(
      `exec tool sh -c 'trap "echo got; exit 9" ${signal}; echo ready; while :; do sleep 0.02; done'`,
    );
    await ready(child);
    const end = ended(child);
    child.kill(`SIG${signal}` as NodeJS.Signals);
    expect(await end).toMatchObject({ exitCode: 9, stdout: 'got\n' });
  });

  it('dies of the signal that the tool died of', async () => {
    await using tool = await RecordedTool.open(shim);
    const child = tool.start(`exec tool sh -c 'echo ready; exec sleep 1000'`);
    await ready(child);
    child.kill('SIGTERM');
    expect(await ended(child)).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
    await tool.recorder.finish();
    expect(tool.invocations).toMatchObject([{ exitCode: null, signal: 'SIGTERM' }]);
  });

  it('waits for a tool that stops, and lets it go on', async () => {
    await using tool = await RecordedTool.open(shim);
    const child = tool.start(`exec tool sh -c 'echo ready; kill -STOP $$; echo went on; exit 4'`);
    await ready(child);
    const end = ended(child);
    await expect
      .poll(() => {
        child.kill('SIGCONT');
        return child.exitCode;
      })
      .toBe(4);
    expect((await end).stdout).toBe('went on\n');
  });

  it('keeps the head and the tail of long output', async () => {
    await using tool = await RecordedTool.open(shim);
    await tool.run(`tool seq 100000; tool seq 100000 >f; tool seq 100000 >>f; tool printf 'a\\0b\\\\0\\377'`);
    await tool.recorder.finish();
    const [piped, filed, appended, binary] = tool.invocations.map(({ stdout }) => stdout);
    expect(piped?.truncatedBytes).toBe(588_895 - 8_192);
    expect(piped?.text).toMatch(/^1\n2\n3\n[\s\S]*\n… 580703 bytes left out …\n[\s\S]*\n99999\n100000\n$/);
    expect(filed).toEqual(piped);
    expect(appended).toEqual(piped);
    expect(binary).toEqual({ text: 'a\0b\\0\ufffd', truncatedBytes: 0 });
  });

  it('keeps enormous output from filling its memory', async () => {
    await using tool = await RecordedTool.open(shim);
    const bytes = repetitions({ usual: 100_000_000, inFull: 1_000_000_000 });
    const memory = 'grep VmHWM /proc/$PPID/status >&2';
    const { stdout, stderr } = await tool.run(`tool sh -c 'head -c ${bytes} /dev/zero; ${memory}' | wc -c`);
    expect(stdout.trim()).toBe(String(bytes));
    expect(Number(/(\d+) kB/.exec(stderr)?.[1])).toBeLessThan(30_000);
    await tool.recorder.finish();
    expect(tool.invocations[0]?.stdout?.truncatedBytes).toBe(bytes - 8_192);
  });

  it('ends when the tool is ended while its output is not read', async () => {
    await using tool = await RecordedTool.open(shim);
    const child = tool.start(`exec tool perl -e '${fillOutput}'`);
    await once(child.stderr ?? child, 'data');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([null, 'SIGTERM']);
    child.stdout?.destroy();
  });
});

describe.runIf(best?.isExact)('the shim without limits', () => {
  it.each(['TERM', 'INT', 'USR1'])('lets SIG%s to the whole group reach the tool once', async (signal) => {
    await using tool = await RecordedTool.open(best?.shim);
    const child = tool.start(counter(signal), { detached: true });
    await ready(child);
    const end = ended(child);
    await expect.poll(() => childrenOf(tool, child)).toBe(2);
    process.kill(-(child.pid ?? 0), `SIG${signal}` as NodeJS.Signals);
    await expect.poll(() => childrenOf(tool, child)).toBe(2);
    child.stdin?.end('counted\n');
    expect((await end).stdout).toBe('counted 1\n');
  });

  it('takes the tool with it when it is killed', async () => {
    await using tool = await RecordedTool.open(best?.shim);
    const child = tool.start(`exec tool sh -c 'echo $$; exec sleep 1000'`);
    const [pid] = await once(child.stdout ?? child, 'data');
    child.kill('SIGKILL');
    expect(await ended(child)).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    await expect.poll(() => stateOf(String(pid).trim())).toMatch(/^(gone|Z)/);
    await tool.recorder.finish();
    expect(tool.invocations).toMatchObject([{ exitCode: null, signal: 'SIGKILL' }]);
  });

  it('lets the tool notice when its output is not read any more', async () => {
    await using tool = await RecordedTool.open(best?.shim);
    const writer = `tool sh -c 'until [ -e closed ]; do sleep 0.02; done; sleep 0.1; echo late'; echo =$? >&2`;
    const script = `{ ${writer}; } | sh -c 'exec <&-; touch closed'`;
    expect((await tool.run(script, 'bare')).stderr).toBe('=141\n');
    expect((await tool.run(script)).stderr).toBe('=141\n');
  });

  it('marks nested calls also where the environment was cleared', async () => {
    await using tool = await RecordedTool.open(best?.shim);
    await tool.run(`env -i PATH="$PATH" tool sh -c 'tool true; :'; env -i timeout 9 "$(command -v tool)" true`);
    await tool.recorder.finish();
    expect(tool.invocations.map(({ isNested }) => isNested)).toEqual([true, false, false]);
  });

  it('stops and goes on with the tool on a terminal', async ({ skip }) => {
    await using tool = await RecordedTool.open(best?.shim);
    skip((await tool.run('script --version')).exitCode !== 0, 'there is no script(1) to make a terminal with');
    const job = `set -m; tool sh -c 'kill -TSTP 0; echo went on'; echo stopped; fg >/dev/null; echo =$?`;
    const { stdout } = await tool.run(`cat >job <<'X'\n${job}\nX\nscript -qec 'bash job' /dev/null </dev/null`);
    expect(stdout.replaceAll('\r', '')).toMatch(/stopped\n(.*\n)*went on\n=0\n$/);
  });
});

async function ready(child: ChildProcess): Promise<void> {
  await once(child.stdout ?? child, 'data');
}

async function childrenOf(tool: RecordedTool, { pid }: ChildProcess): Promise<number> {
  const { stdout } = await tool.run(`cat /proc/${pid}/task/${pid}/children`);
  return stdout.trim().split(' ').filter(Boolean).length;
}

function stateOf(pid: string): string {
  const path = `/proc/${pid}/stat`;
  return existsSync(path) ? readFileSync(path, 'utf8').replace(/.*\) /, '') : 'gone';
}
