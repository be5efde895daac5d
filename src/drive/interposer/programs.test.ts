import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import callServer from './call-server.pl?raw';
import recorder from './recorder.pl?raw';
import script from './recorder.sh?raw';
import rarePart from './recorder-rare.pl?raw';
import runningPart from './recorder-running.pl?raw';
import standIn from './stand-in.pl?raw';

describe.each([
  ['the recorder with the parts that it reads late', recorder + runningPart + rarePart],
  ['the stand-in', standIn],
  ['the call server', callServer],
])('%s', (_name, program) => {
  it('compiles without warnings, and declares every name', () => {
    const input = `use strict; use warnings;\n${program}`;
    const { stderr } = spawnSync('perl', ['-wc', '-'], { input, encoding: 'utf8' });
    expect(stderr).toBe('- syntax OK\n');
  });
});

it('the late parts hold no line that ends them', () => {
  expect(runningPart + rarePart).not.toMatch(/^END_OF_/m);
});

it.each([
  ['dash', []],
  ['bash', ['--posix']],
  ['busybox', ['sh']],
])('the recorder without perl is a script of %s', (shell, words) => {
  const { status, stderr, error } = spawnSync(shell, [...words, '-n'], { input: script, encoding: 'utf8' });
  if (error) return;
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
