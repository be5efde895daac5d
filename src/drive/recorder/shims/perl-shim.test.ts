import { execFileSync } from 'node:child_process';
import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import { nonBlockingFlag, perlShim, quietFirstLine, systemCallsOf } from './perl-shim.ts';

const machine = {
  perl: '/usr/bin/perl',
  firstLine: quietFirstLine('/usr/bin/perl'),
  stub: undefined,
  systemCalls: systemCallsOf('linux', 'x64'),
  nonBlockingFlag: nonBlockingFlag('linux'),
  wouldBlockError: constants.errno.EAGAIN,
  isLinux: true,
};
const settings = {
  path: '/shims/shim',
  paths: ['/bin/it\'s "a" \\tool'],
  name: "o'tool",
  program: '/opt/$x @y',
  channel: '/calls',
  start: { by: 'path' } as const,
};

describe('the shim in perl', () => {
  it('starts by a line that the kernel reads whole', () => {
    expect(Buffer.byteLength(quietFirstLine('/usr/local/bin/perl'))).toBeLessThanOrEqual(255);
  });

  it('holds no name that is not declared, also in what is read late', () => {
    const text = perlShim(machine)
      .render(settings)
      .replace(/^#!.*/, 'use strict;')
      .replace(/^my @later = .*|^END_OF_\w+$/gm, '')
      .replace(/sub AUTOLOAD \{[\s\S]*?\n\}/, '');
    expect(execFileSync('perl', ['-c', '-'], { input: text, stdio: 'pipe' }).toString()).toBe('');
  });

  it('takes any path', () => {
    const text = `print join "\\n", map { ${'$_'} } (${perlShim(machine).render(settings).split('my ($program, $name) = (')[1]?.split(');\n')[0]});`;
    expect(execFileSync('perl', ['-e', text]).toString().split('\n')).toEqual([settings.program, settings.name]);
  });
});
