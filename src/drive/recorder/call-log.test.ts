import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FolderChannel } from './call-channel.ts';
import { CallLog } from './call-log.ts';
import { Endings } from './endings.ts';
import type { RecordedInvocation } from './recorder.ts';

async function logOf(files: Record<string, string>, limit?: number) {
  const path = await mkdtemp(join(tmpdir(), 'assay-call-log-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  const reported: RecordedInvocation[] = [];
  const log = new CallLog((invocation) => reported.push(invocation), new Endings(), limit);
  const channel = new FolderChannel(path, log);
  return { path, reported, log, channel, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

const start = (name: string, startedAt: number | '') => `1\x000\0${startedAt}\0/\0${name}\0`;
const end = (code: number, durationMs: number | '') => `1\0exit\0${code}\0${durationMs}\0-\0\0\0-\0\0\0.\0`;

describe('the log of calls', () => {
  it('keeps as many as it may, and counts the others', async () => {
    const files = Object.fromEntries(Array.from({ length: 8 }, (_, call) => [`${call}.s`, start('tool', 1)]));
    await using calls = await logOf(files, 5);
    await calls.channel.finish();
    expect(calls.reported).toHaveLength(5);
    expect(calls.log.losses).toEqual(['3 invocations after the first 5 were not recorded']);
    expect(await readdir(calls.path)).toEqual([]);
  });

  it('reports the remaining calls in the order in which they ended', async () => {
    const files = { 'a.s': start('a', 10), 'a.e': end(1, 9), 'b.s': start('b', 11), 'b.e': end(2, 2) };
    await using calls = await logOf({ ...files, 'c.s': start('c', 1) });
    await calls.channel.finish();
    expect(calls.reported.map(({ argv, exitCode, signal }) => [...argv, exitCode ?? signal])).toEqual([
      ['b', 2],
      ['a', 1],
      ['c', 'SIGKILL'],
    ]);
  });

  it('leaves a call that is not written whole for later', async () => {
    await using calls = await logOf({ 'a.s': start('a', 10) });
    await writeFile(join(calls.path, 'a.e'), end(1, 9).slice(0, -2));
    await writeFile(join(calls.path, 'b.s'), start('b', 1));
    await writeFile(join(calls.path, 'b.e'), end(0, 1));
    await expect.poll(() => calls.reported).toHaveLength(1);
    expect(calls.reported).toMatchObject([{ argv: ['b'] }]);
    await writeFile(join(calls.path, 'a.e'), end(1, 9));
    await expect.poll(() => calls.reported).toHaveLength(2);
    expect(calls.reported[1]).toMatchObject({ exitCode: 1, startedAt: 10, durationMs: 9 });
  });

  it('takes the times of the files where the shim has no clock', async () => {
    const before = Date.now();
    await using calls = await logOf({ 'a.s': start('a', ''), 'a.e': end(0, '') });
    await calls.channel.finish();
    const [call] = calls.reported;
    expect(call?.startedAt).toBeGreaterThan(before - 1_000);
    expect(call?.durationMs).toBeGreaterThanOrEqual(0);
  });

  it('does not confuse an end that the shim timed with one that Assay caused right after it', () => {
    const endings = new Endings();
    const reported: RecordedInvocation[] = [];
    const log = new CallLog((invocation) => reported.push(invocation), endings);
    const endedAt = (endMs: number): void => {
      const content = { argv: ['tool'], cwd: '/', isNested: false, startedAt: endMs - 50 };
      const outcome = {
        exitCode: 1,
        signal: null,
        durationMs: 50,
        stdout: null,
        stderr: null,
        lostReader: false,
        waitedMs: 0,
      };
      log.ended({ content, at: endMs, isCut: false }, { content: outcome, at: endMs, isCut: false });
    };
    endings.begin('end-of-trial')();
    const now = Date.now();
    endedAt(now - 10);
    endedAt(now + 5);
    expect(reported.map(({ cutShortBy }) => cutShortBy)).toEqual([undefined, 'end-of-trial']);
  });
});
