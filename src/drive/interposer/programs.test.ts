import { spawnSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import logKeeper from '../mcp/proxy/log-keeper.pl?raw';
import callServer from './call-server.pl?raw';
import callerPart from './caller.pl?raw';
import recorder from './recorder.pl?raw';
import script from './recorder.sh?raw';
import rarePart from './recorder-rare.pl?raw';
import runningPart from './recorder-running.pl?raw';
import { shShim } from './sh-shim.ts';
import standIn from './stand-in.pl?raw';

describe.each([
  ['the recorder with the parts that it reads late', recorder + runningPart + rarePart],
  ['the stand-in', standIn],
  ['the call server', callerPart + callServer],
  ['the keeper of logs', callerPart + logKeeper],
])('%s', (_name, program) => {
  it('compiles without warnings, and declares every name', () => {
    const input = `use strict; use warnings;\n${program}`;
    const { stderr } = spawnSync('perl', ['-wc', '-'], { input, encoding: 'utf8' });
    expect(stderr).toBe('- syntax OK\n');
  });
});

it('all are plain text', () => {
  expect(recorder + runningPart + rarePart + standIn + callerPart + callServer + logKeeper + script).not.toMatch(
    /[^\n\x20-\x7E]/,
  );
});

it('the late parts hold no line that ends them', () => {
  expect(runningPart + rarePart).not.toMatch(/^END_OF_/m);
});

describe.each([
  ['dash', []],
  ['bash', ['--posix']],
  ['busybox', ['sh']],
])('the recorder without perl, in %s', (shell, words) => {
  const isThere = spawnSync(shell, [...words, '-c', ':']).status === 0;

  it.runIf(isThere)('is a script without faults', () => {
    const { status, stderr } = spawnSync(shell, [...words, '-n'], { input: script, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it.runIf(isThere)('notes the call and ends as the tool does', async () => {
    const folder = await temporaryFolder();
    const start = { by: 'path' } as const;
    const settings = { path: '', paths: [], name: "it's a tool", program: '/bin/sh', channel: folder, start };
    await writeFile(join(folder, 'shim'), shShim.render(settings));
    const args = [...words, join(folder, 'shim'), '-c', 'echo "$1"; exit 7', 'sh', 'a  b'];
    const { status, stdout, stderr } = spawnSync(shell, args, { encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({ status: 7, stdout: 'a  b\n', stderr: '' });
    const names = (await readdir(folder)).filter((name) => name.startsWith('sh-')).sort();
    const [end, begin] = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    expect(begin?.split('\0').slice(4, -1)).toEqual(["it's a tool", '-c', 'echo "$1"; exit 7', 'sh', 'a  b']);
    expect(end?.split('\0').slice(0, 3)).toEqual(['1', 'exit', '7']);
  });
});
