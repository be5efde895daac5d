import { programName } from '../command-line.ts';
import type { CommandRole } from './shell-exit.ts';
import type { ShellWord } from './shell-word.ts';

/** Program that a simple command runs. */
export type ShellProgram =
  | {
      readonly kind: 'tool';
      readonly words: readonly ShellWord[];
      /** Run by a program such as `xargs` that adds arguments, and decides whether and how often. */
      readonly isFedByOther: boolean;
    }
  /** A shell that is given a text. */
  | { readonly kind: 'script'; readonly text: string }
  | {
      readonly kind: 'other';
      /** A harmless program rarely fails, so a failure of its line has another cause. */
      readonly suspect: Exclude<CommandRole, 'tool'>;
      /** Ends the line where it stands, or lets a later failure end it. */
      readonly stops: 'here' | 'on-failure' | undefined;
    };

/** A program that runs the program named in its arguments. */
interface Wrapper {
  /** Options that take the next word as their value. */
  readonly valued: readonly string[];
  /** Number of arguments that it takes before the program. */
  readonly operands: number;
  readonly feeds?: boolean;
}

const wrappers: Readonly<Record<string, Wrapper>> = {
  bunx: { valued: ['-p', '--package'], operands: 0 },
  command: { valued: [], operands: 0 },
  builtin: { valued: [], operands: 0 },
  doas: { valued: ['-u', '-C'], operands: 0 },
  env: { valued: ['-u', '--unset', '-C', '--chdir'], operands: 0 },
  exec: { valued: ['-a'], operands: 0 },
  ionice: { valued: ['-c', '-n'], operands: 0 },
  nice: { valued: ['-n', '--adjustment'], operands: 0 },
  nohup: { valued: [], operands: 0 },
  npx: { valued: ['-p', '--package'], operands: 0 },
  setsid: { valued: [], operands: 0 },
  stdbuf: { valued: ['-i', '-o', '-e'], operands: 0 },
  sudo: { valued: ['-u', '-g', '-h', '-p', '-C', '-D', '-R', '-T', '-U', '--user', '--group'], operands: 0 },
  time: { valued: ['-f', '-o', '--format', '--output'], operands: 0 },
  timeout: { valued: ['-s', '-k', '--signal', '--kill-after'], operands: 1 },
  watch: { valued: ['-n', '--interval'], operands: 0, feeds: true },
  xargs: { valued: ['-I', '-n', '-P', '-L', '-d', '-a', '-s', '-E'], operands: 0, feeds: true },
};

const shells = new Set(['sh', 'bash', 'zsh', 'dash', 'ash', 'ksh']);
const harmless = new Set(['', ':', 'true', 'cd', 'date', 'echo', 'export', 'printf', 'pwd', 'set', 'sleep', 'unset']);
const tests = new Set(['[', '[[', 'test', 'grep', 'rg', 'which', 'type', 'diff', 'cmp', 'false']);
const stopping = new Set(['exit', 'return', 'kill']);
const assignment = /^[A-Za-z_]\w*\+?=/;

/** Finds out what a simple command runs, through the programs that run others. */
export function programOf(words: readonly ShellWord[], binary: string): ShellProgram {
  const wanted = programName(binary);
  let isFedByOther = false;
  let start = 0;
  while (start < words.length) {
    start = behindAssignments(words, start);
    const text = words[start]?.text ?? '';
    const name = programName(text);
    if (name === wanted && start < words.length) return { kind: 'tool', words: words.slice(start), isFedByOther };
    const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
    if (!wrapper) return shellOrOther(name, words.slice(start + 1));
    const next = behindOptions(words, start + 1, wrapper);
    if (name === 'command' && /^-\w*[vV]/.test(words[start + 1]?.text ?? '')) break;
    isFedByOther ||= wrapper.feeds ?? false;
    start = next;
  }
  return { kind: 'other', suspect: start < words.length ? 'test' : 'harmless', stops: undefined };
}

function behindAssignments(words: readonly ShellWord[], start: number): number {
  let next = start;
  while (assignment.test(words[next]?.text ?? '')) next += 1;
  return next;
}

function behindOptions(words: readonly ShellWord[], start: number, { valued, operands }: Wrapper): number {
  let next = start;
  for (;;) {
    const text = words[next]?.text;
    if (text === '--') return next + 1 + operands;
    if (text === undefined || !text.startsWith('-')) return next + operands;
    next += valued.includes(text) ? 2 : 1;
  }
}

function shellOrOther(name: string, args: readonly ShellWord[]): ShellProgram {
  if (name === 'eval') return { kind: 'script', text: args.map(({ text }) => text).join(' ') };
  if (shells.has(name)) {
    const option = args.findIndex(({ text }) => /^-[a-z]*c[a-z]*$/.test(text));
    const script = option === -1 ? undefined : args.slice(option + 1).find(({ text }) => !/^[-+]/.test(text));
    if (script) return { kind: 'script', text: script.text };
  }
  const stops = stopping.has(name) ? 'here' : name === 'set' || name === 'trap' ? 'on-failure' : undefined;
  return { kind: 'other', suspect: harmless.has(name) ? 'harmless' : tests.has(name) ? 'test' : 'other', stops };
}
