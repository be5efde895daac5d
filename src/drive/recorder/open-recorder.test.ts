import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended, RecordedTool } from '../../testing/fakes/recorder/recorded-tool.ts';
import { shimKinds } from '../../testing/fakes/recorder/shim-kinds.ts';

for (const kind of await shimKinds()) {
  const output = (text: string, truncatedBytes = 0) => (kind.keepsOutput ? { text, truncatedBytes } : null);

  describe(`a recorder with the shim in ${kind.name}`, () => {
    it('reports a call as it ends', async () => {
      await using tool = await RecordedTool.open(kind.shim);
      const before = Date.now();
      const { stdout } = await tool.run(`tool sh -c 'pwd; echo err >&2; exit 3'`);
      await expect.poll(() => tool.invocations).toHaveLength(1);
      const [call] = tool.invocations;
      expect(call).toMatchObject({
        argv: ['tool', 'sh', '-c', 'pwd; echo err >&2; exit 3'],
        cwd: stdout.trim(),
        exitCode: 3,
        signal: null,
        stdout: output(stdout),
        stderr: output('err\n'),
        isNested: false,
      });
      expect(call?.startedAt).toBeGreaterThan(before - 1_000);
      expect((call?.startedAt ?? 0) + (call?.durationMs ?? 0)).toBeLessThan(Date.now() + 1_000);
      await tool.recorder.finish();
      expect(tool.invocations).toHaveLength(1);
      expect(tool.recorder.problems).toEqual(kind.shim.limits === undefined ? [] : [kind.shim.limits]);
    });

    it('leaves no socket behind, so the files of a trial can be copied', async () => {
      await using tool = await RecordedTool.open(kind.shim);
      await tool.run('tool true');
      await tool.recorder.finish();
      const left = await readdir(join(tool.recorder.binFolder, '..'), { recursive: true, withFileTypes: true });
      expect(left.filter((entry) => entry.isSocket())).toEqual([]);
      expect((await tool.run('tool echo still there')).stdout).toBe('still there\n');
    });

    it('reports every argument unchanged', async () => {
      await using tool = await RecordedTool.open(kind.shim);
      const given = ['', ' ', "it's", '"', 'a\nb', '\\n', '$HOME', '*', 'ü🙂', '-x', '--', 'a=b'];
      const quoted = given.map((argument) => `'${argument.replaceAll("'", `'\\''`)}'`).join(' ');
      await tool.run(`tool echo ${quoted}; tool echo "$(printf 'a\\377b')"`);
      await tool.recorder.finish();
      expect(tool.invocations.map(({ argv }) => argv)).toEqual([
        ['tool', 'echo', ...given],
        ['tool', 'echo', 'a\ufffdb'],
      ]);
    });

    it('cuts arguments that are too long, and says so', async () => {
      await using tool = await RecordedTool.open(kind.shim);
      await tool.run(`x=$(head -c 100000 /dev/zero | tr '\\0' x); tool true "$x" "$x"`);
      await tool.recorder.finish();
      const reported = tool.invocations[0]?.argv.join('') ?? '';
      expect(reported.length).toBeGreaterThan(64 * 1024);
      expect(reported.length).toBeLessThan(70 * 1024);
      expect(reported).toMatch(/… \d+ bytes left out …$/);
      expect(tool.recorder.doubts.join()).toContain('1 invocations had arguments that were too long');
    });

    it('passes on a prompt without a newline, and what is typed', async () => {
      await using tool = await RecordedTool.open(kind.shim);
      const child = tool.start(`exec tool sh -c 'printf "name? "; read name; printf "hello %s" "$name"; cat'`);
      const [prompt] = await once(child.stdout ?? child, 'data');
      expect(String(prompt)).toBe('name? ');
      const end = ended(child);
      child.stdin?.write('world\n');
      child.stdin?.end('rest');
      expect(await end).toMatchObject({ exitCode: 0, stdout: 'hello worldrest' });
    });

    it('marks calls that the tool makes of itself', async () => {
      await using tool = await RecordedTool.open(kind.shim);
      await tool.run(`tool sh -c 'tool sh -c "tool true innermost; :" inner; :' outer; tool true last`);
      await tool.recorder.finish();
      // Shims without an exact clock report calls that end at the same time in any order.
      const marks = tool.invocations.map(({ argv, isNested }) => [argv.at(-1), isNested]);
      expect(Object.fromEntries(marks)).toEqual({ innermost: true, inner: true, outer: false, last: false });
      expect(marks).toHaveLength(4);
    });

    it('reports 50 calls at once', async () => {
      await using tool = await RecordedTool.open(kind.shim);
      await tool.run(`for i in $(seq 50); do tool sh -c "echo $i; exit $i" >/dev/null & done; wait`);
      await tool.recorder.finish();
      const codes = tool.invocations.map(({ exitCode }) => exitCode ?? 0).sort((a, b) => a - b);
      expect(codes).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    });

    it('reports a call that is still running as ended by a signal', async () => {
      await using tool = await RecordedTool.open(kind.shim);
      const child = tool.start('exec tool sleep 1000', { detached: true, stdio: 'ignore' });
      await expect.poll(async () => (await tool.run('ps -A -o args=')).stdout).toMatch(/^sleep 1000$/m);
      process.kill(-(child.pid ?? 0), 'SIGKILL');
      await once(child, 'exit');
      await tool.recorder.finish();
      expect(tool.invocations).toMatchObject([{ argv: ['tool', 'sleep', '1000'], exitCode: null, signal: 'SIGKILL' }]);
    });

    it('ends the call when the tool ends, even if it leaves a daemon that holds its output', async () => {
      await using tool = await RecordedTool.open(kind.shim);
      const child = tool.start(
        `exec tool sh -c '(until [ -e go ]; do sleep 0.02; done; echo late) & echo early; exit 7'`,
      );
      const [exitCode] = await once(child, 'exit');
      expect(exitCode).toBe(7);
      await expect.poll(() => tool.invocations).toMatchObject([{ exitCode: 7, stdout: output('early\n') }]);
      const end = ended(child);
      await writeFile(join(tool.folder, 'go'), '');
      expect((await end).stdout).toContain('late\n');
    });

    it('works in namespaces where process ids differ', async ({ skip }) => {
      await using tool = await RecordedTool.open(kind.shim);
      const inside = 'unshare --user --map-root-user --pid --fork --mount-proc';
      const { exitCode } = await tool.run(`${inside} true`);
      skip(exitCode !== 0, 'this machine makes no user namespaces');
      const first = `${inside} tool sh -c 'touch runs; until [ -e end ]; do sleep 0.02; done; exit 4'`;
      const second = `${inside} --net --ipc tool sh -c 'exit 5'`;
      await tool.run(`${first} & until [ -e runs ]; do sleep 0.02; done; ${second}; touch end; wait`);
      await tool.recorder.finish();
      expect(tool.invocations.map((call) => call.exitCode)).toEqual([5, 4]);
    });

    it('reports nothing after it has finished, and finishes once', async () => {
      await using tool = await RecordedTool.open(kind.shim);
      await tool.run('tool true');
      await tool.recorder.finish();
      expect(await tool.run('tool echo works')).toMatchObject({ stdout: 'works\n', stderr: '' });
      await tool.recorder.finish();
      expect(tool.invocations).toHaveLength(1);
    });

    it('leaves a terminal to the tool', async ({ skip }) => {
      await using tool = await RecordedTool.open(kind.shim);
      skip((await tool.run('script --version')).exitCode !== 0, 'there is no script(1) to make a terminal with');
      const test = `tool sh -c "[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo terminal"`;
      const { stdout } = await tool.run(`script -qec '${test}' /dev/null </dev/null`);
      expect(stdout).toContain('terminal');
      await tool.recorder.finish();
      expect(tool.invocations).toMatchObject([{ exitCode: 0, stdout: null, stderr: null }]);
    });
  });
}
