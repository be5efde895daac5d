import { execFileSync } from 'node:child_process';
import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import { systemCallsOf } from './perl-program.ts';
import { nonBlockingFlag, perlShim, quietFirstLine } from './perl-shim.ts';

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

  it('takes any path', () => {
    const written = /^my %set = .*$/m.exec(perlShim(machine).render(settings))?.[0];
    const text = `${written} print join "\\n", @set{qw(program name)}, @{$set{found_on_path}};`;
    const printed = execFileSync('perl', ['-e', text]).toString().split('\n');
    expect(printed).toEqual([settings.program, settings.name, ...settings.paths]);
  });
});
