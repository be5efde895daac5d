import { closeSync, openSync, readFileSync, readSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { ProgramStart } from './shim.ts';

/** A file that is laid over a program, so every way to its path leads to the shim. */
export interface BindOverlay {
  /** Absolute path of the program, without links. */
  readonly path: string;
  readonly start: ProgramStart;
  /** Name of the file that its first line names: perl and ruby refuse a script that names another interpreter. */
  readonly starterName: string;
  /** The file, by the path of the program that its first line names. */
  render(starter: string): string | Buffer;
}

/** Kernels read this much of the first line of a script. */
const firstLineBytes = 255;

/** The cover of a program; a text says why it cannot have one. */
export function coverOf(
  program: string,
  name: string,
  needs: readonly string[],
  handsOut: boolean,
): BindOverlay | string {
  const path = realpathSync(program);
  if (needs.some((needed) => isSameFile(needed, path))) return 'the recorder itself needs it';
  const head = readHead(path);
  if (head.subarray(0, 2).toString() === '#!') return scriptCover(path, head);
  if (head.subarray(0, 4).toString('latin1') !== '\x7fELF') return 'it is neither an executable nor a script';
  if (!handsOut) return 'this machine cannot hand it to the shim alone';
  if (!belongTogether(basename(path), name)) return `other programs may be links to ${basename(path)} too`;
  return { path, start: { by: 'descriptor' }, starterName: 'perl-shim', render: (starter) => `#!${starter}\n` };
}

/** The script itself with another first line: interpreters, imports and messages find everything where it was. */
function scriptCover(path: string, head: Buffer): BindOverlay | string {
  const end = head.indexOf('\n');
  const [, interpreter, argument = ''] =
    /^#![ \t]*(\/\S+)[ \t]*(.*?)[ \t\r]*$/.exec(head.toString('latin1', 0, end)) ?? [];
  if (end < 0 || interpreter === undefined) return 'its first line names no interpreter';
  return {
    path,
    start: { by: 'interpreter', interpreter, hasArgument: argument !== '' },
    starterName: basename(interpreter),
    render: (starter) => {
      const line = `#!${starter}${argument === '' ? '' : ` ${argument}`}`;
      return Buffer.concat([Buffer.from(line, 'latin1'), readFileSync(path).subarray(end)]);
    },
  };
}

/** Whether the kernel reads the whole first line of a cover. */
export function isReadable(cover: string | Buffer): boolean {
  const text = Buffer.from(cover);
  return text.subarray(0, 2).toString() !== '#!' || text.indexOf('\n') <= firstLineBytes;
}

/** Whether one is a version of the other, such as `python3.11`; `wget` and `busybox` are not. */
function belongTogether(file: string, name: string): boolean {
  return file.startsWith(name) || name.startsWith(file);
}

function readHead(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(firstLineBytes + 1);
    return head.subarray(0, readSync(file, head, 0, head.length, 0));
  } finally {
    closeSync(file);
  }
}

function isSameFile(needed: string, path: string): boolean {
  try {
    return realpathSync(needed) === path;
  } catch {
    return false;
  }
}
