import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWork, gateResult, type Work } from '../../../testing/fakes/score/work.ts';
import { repetitions } from '../../../testing/support/repetitions.ts';
import type { Evaluator } from '../evaluator.ts';
import { fileContains, fileExists, fileMatches } from './file-gates.ts';

/** Each gate that looks at a file, with what it needs to pass for a file that says `secret`. */
const fileGates: readonly [string, Evaluator, object][] = [
  ['file_exists', fileExists, {}],
  ['file_contains', fileContains, { substring: 'secret' }],
  ['file_matches', fileMatches, { pattern: 'sec.et' }],
];

/** A work directory with `inside.txt` in it and `outside.txt` beside it, both of which say `secret`. */
async function createFiles(): Promise<Work> {
  const work = await createWork();
  await mkdir(join(work.directory, 'sub'));
  await writeFile(join(work.directory, 'inside.txt'), 'a secret');
  await writeFile(join(work.directory, '..', 'outside.txt'), 'a secret');
  return work;
}

describe.each(fileGates)('%s', (type, gate, config) => {
  const look = async (work: Work, path: string): Promise<string> => {
    const { gate_type, passed, message } = await gateResult(gate, { ...config, path }, work.context);
    expect([gate_type, /[\p{Cc}\p{Cs}]/u.test(message)]).toEqual([type, false]);
    return `${passed ? 'pass' : 'fail'}: ${message}`;
  };

  it('passes for a file in the work directory, also by a link that stays in it', async () => {
    await using work = await createFiles();
    await symlink('../inside.txt', join(work.directory, 'sub', 'link'));
    await symlink('sub', join(work.directory, 'folder'));
    for (const path of ['inside.txt', './inside.txt', 'sub/link', 'folder/link']) {
      expect(await look(work, path)).toMatch(/^pass/);
    }
  });

  it('fails for what is not there', async () => {
    await using work = await createFiles();
    await symlink('nowhere', join(work.directory, 'dangling'));
    expect(await look(work, 'missing.txt')).toBe('fail: "missing.txt" does not exist in the work directory');
    expect(await look(work, 'inside.txt/deeper')).toMatch(/^fail: .*does not exist/);
    expect(await look(work, 'dangling')).toMatch(/^fail: .*link to something that does not exist/);
    expect(await look(work, '')).toBe('fail: The path is empty');
    expect(await look(work, 'a\0b')).toMatch(/^fail: .*null character/);
    expect(await look(work, 'x'.repeat(5_000))).toMatch(/^fail: .*too long for a path/);
    expect(await look(work, `\u001B[2J${'y'.repeat(5_000)}`)).toMatch(/^fail/);
    await rm(work.directory, { recursive: true });
    expect(await look(work, 'inside.txt')).toMatch(/^fail: .*does not exist/);
  });

  it('never leaves the work directory', async () => {
    await using work = await createFiles();
    const outside = join(work.directory, '..', 'outside.txt');
    await symlink(outside, join(work.directory, 'link'));
    await symlink('../outside.txt', join(work.directory, 'relative-link'));
    await symlink('..', join(work.directory, 'up'));
    await symlink('link', join(work.directory, 'link-to-link'));
    await symlink('/dev/zero', join(work.directory, 'zero'));
    await symlink('/proc/self/environ', join(work.directory, 'environ'));
    expect(await look(work, outside)).toMatch(/^fail: .*absolute path/);
    expect(await look(work, join(work.directory, 'inside.txt'))).toMatch(/^fail: .*absolute path/);
    for (const path of ['../outside.txt', 'sub/../../outside.txt', 'sub/../inside.txt', '..']) {
      expect(await look(work, path)).toMatch(/^fail: .*has "\.\." in it/);
    }
    for (const path of ['link', 'relative-link', 'up/outside.txt', 'link-to-link', 'zero', 'environ']) {
      expect(await look(work, path)).toMatch(/^fail: .*leads out of the work directory/);
    }
  });

  it('is not taken in by a folder that is named like the work directory and more', async () => {
    await using work = await createFiles();
    await mkdir(`${work.directory}-2`);
    await writeFile(`${work.directory}-2/file.txt`, 'a secret');
    await symlink('../fixture-2/file.txt', join(work.directory, 'neighbour'));
    expect(await look(work, 'neighbour')).toMatch(/^fail: .*leads out of the work directory/);
  });

  it('fails for links that lead round in a circle', async () => {
    await using work = await createFiles();
    await symlink('b', join(work.directory, 'a'));
    await symlink('a', join(work.directory, 'b'));
    expect(await look(work, 'a')).toMatch(/^fail: .*points to itself/);
  });

  it('finds no way out, whatever the path', async () => {
    await using work = await createFiles();
    await symlink('..', join(work.directory, 'up'));
    const piece = fc.constantFrom(
      '..',
      '.',
      '/',
      'up',
      'sub',
      'outside.txt',
      '\\',
      '\0',
      '//',
      'fixture',
      '~',
      '%2e%2e',
    );
    const path = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('/'));
    await fc.assert(
      fc.asyncProperty(path, async (requested) => {
        expect((await look(work, requested)).startsWith('pass') && requested.includes('outside')).toBe(false);
      }),
      { seed: 10, numRuns: repetitions({ usual: 62, inFull: 500 }) },
    );
  });

  it('takes a description, and refuses what it does not know', () => {
    expect(gate.configSchema.safeParse({ ...config, path: 'a', description: 'why' }).success).toBe(true);
    expect(gate.configSchema.safeParse({ ...config, path: 'a', contents: 'b' }).success).toBe(false);
    expect(gate).toMatchObject({ kind: 'assertion', isGate: true, needs: ['workspace'] });
  });
});

describe('file_exists', () => {
  it('passes for whatever is there, and says what it is', async () => {
    await using work = await createFiles();
    execFileSync('mkfifo', [join(work.directory, 'pipe')]);
    const messages = ['inside.txt', 'sub', '.', 'pipe'].map(async (path) => {
      const { passed, message } = await gateResult(fileExists, { path }, work.context);
      return [passed, message];
    });
    expect(await Promise.all(messages)).toEqual([
      [true, '"inside.txt" exists: a file'],
      [true, '"sub" exists: a directory'],
      [true, '"." exists: a directory'],
      [true, '"pipe" exists: a named pipe'],
    ]);
  });
});

describe.each(fileGates.slice(1))('%s and what is in a file', (_type, gate, config) => {
  const look = async (work: Work, path: string): Promise<string> => {
    const { passed, message } = await gateResult(gate, { ...config, path }, work.context);
    return `${passed ? 'pass' : 'fail'}: ${message}`;
  };

  it('fails for a directory, a pipe and a socket, and does not wait for them', async () => {
    await using work = await createFiles();
    execFileSync('mkfifo', [join(work.directory, 'pipe')]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(work.directory, 'socket'), resolve));
    expect(await look(work, 'sub')).toBe('fail: "sub" is a directory, wanted a file with text');
    expect(await look(work, 'pipe')).toBe('fail: "pipe" is a named pipe, wanted a file with text');
    expect(await look(work, 'socket')).toBe('fail: "socket" is a socket, wanted a file with text');
    await new Promise((resolve) => server.close(resolve));
  });

  it('fails for bytes that are no text', async () => {
    await using work = await createFiles();
    await writeFile(join(work.directory, 'binary'), Buffer.from([0x73, 0x65, 0x63, 0x72, 0x65, 0x74, 0xff]));
    expect(await look(work, 'binary')).toMatch(/^fail: .*not valid UTF-8/);
  });

  it('shows what is there instead', async () => {
    await using work = await createFiles();
    await writeFile(join(work.directory, 'other.txt'), '\u001B[31mnothing\nof the kind');
    await writeFile(join(work.directory, 'empty.txt'), '');
    expect(await look(work, 'other.txt')).toContain('it is "\uFFFD[31mnothing of the kind"');
    expect(await look(work, 'empty.txt')).toContain('it is empty');
  });

  it('reads 8 MB, and says so where there is more', async () => {
    await using work = await createFiles();
    const limit = 8 * 1024 * 1024;
    await writeFile(join(work.directory, 'full'), `${'é'.repeat(limit / 2 - 4)}\n secret`);
    await writeFile(join(work.directory, 'late'), `${'é'.repeat(limit / 2 - 4)}\n  secret`);
    await writeFile(join(work.directory, 'cut'), `x${'é'.repeat(limit / 2)}`);
    expect(await look(work, 'full')).toMatch(/^pass/);
    expect(await look(work, 'late')).toMatch(/^fail: .*no more than the first 8 MB/);
    expect(await look(work, 'cut')).toMatch(/^fail: .*no more than the first 8 MB/);
  });

  it.skipIf(process.getuid?.() === 0)('fails for a file that may not be read', async () => {
    await using work = await createFiles();
    await chmod(join(work.directory, 'inside.txt'), 0);
    expect(await look(work, 'inside.txt')).toMatch(/^fail: .*permission denied/);
  });
});

describe('file_contains', () => {
  it('finds a text early in a file of any length', async () => {
    await using work = await createFiles();
    await writeFile(
      join(work.directory, 'long'),
      Buffer.concat([Buffer.from('secret'), Buffer.alloc(20_000_000, 'x')]),
    );
    const found = await gateResult(fileContains, { path: 'long', substring: 'secret' }, work.context);
    expect(found).toMatchObject({ passed: true, message: '"long" contains "secret"' });
  });
});

describe('file_matches', () => {
  it.each([
    ['(', "Invalid regex pattern '(': "],
    ['(?=a)', "Invalid regex pattern '(?=a)': "],
    ['(a+)+$', 'does not match'],
    ['(?:.{1,40}\\b){1,20}\\n$', 'too large for a text of 1000001 characters'],
  ])('fails with %s in time', async (pattern, reason) => {
    await using work = await createFiles();
    await writeFile(join(work.directory, 'long'), `${'a'.repeat(1_000_000)}!`);
    const { passed, message } = await gateResult(fileMatches, { path: 'long', pattern }, work.context);
    expect([passed, message]).toEqual([false, expect.stringContaining(reason)]);
  });
});
