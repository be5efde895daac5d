import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { innerCommand } from './inner-command.ts';

describe('the command in a shell', () => {
  it.each([
    ["/bin/bash -lc 'ls -a'", 'ls -a'],
    ['bash -lc ls', 'ls'],
    ['/bin/zsh -c "echo \\"a\\" $HOME"', 'echo "a" $HOME'],
    [`sh -c 'echo '"'"'a'"'"`, `echo 'a'`],
    ["bash -lc 'a' 'b'", "bash -lc 'a' 'b'"],
    ["bash -lc 'open", "bash -lc 'open"],
    ['bash -lc ', 'bash -lc '],
    ['git status', 'git status'],
  ])('%s', (command, inner) => {
    expect(innerCommand(command)).toBe(inner);
  });

  it('is what a shell makes of single quotes, double quotes and backslashes', () => {
    const piece = fc.string({ unit: fc.constantFrom(...'ab"\'\\$ \n;é'), maxLength: 6 });
    const single = piece.map((text) => `'${text.replaceAll("'", '')}'`);
    const double = piece.map((text) => `"${text.replace(/["$\\]/g, '\\$&')}"`);
    const escaped = fc.constantFrom(...'ab"\'$ ;').map((character) => `\\${character}`);
    const word = fc.array(fc.oneof(single, double, escaped, fc.constant('bare')), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(word, (parts) => {
        const quoted = parts.join('');
        const printed = execFileSync('/bin/sh', ['-c', `printf %s ${quoted}`], { encoding: 'utf8' });
        expect(innerCommand(`/bin/bash -lc ${quoted}`)).toBe(printed);
      }),
      { seed: 4, numRuns: 200 },
    );
  });
});
