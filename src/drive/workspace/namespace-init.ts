import { constants } from 'node:os';
import type { Argv } from './isolation.ts';

/**
 * The first process of a namespace, which takes the rest with it when it ends. It runs the agent in front of it, so
 * that standard streams and signals reach the agent untouched, and keeps its own words about a crash to itself. When
 * the agent was asked to end, what the agent had started gets some time to end by itself, a little less than it takes
 * until everything is ended from outside: then nobody would know how the agent ended.
 */
const initScript = `
asked=
trap asked=1 TERM
exec 9>&2 2>/dev/null
(exec 2>&9 9>&-; exec "$@")
code=$?
for _ in \${asked:+1 2 3 4 5 6 7 8 9 10 11 12 13 14}; do
  set -- /proc/[0-9]*
  [ $# -gt 1 ] && sleep 0.05
done
exit $code
`;

/** The command that is to be the first process of a namespace. */
export function initOf(argv: Argv): Argv {
  return ['/bin/sh', '-c', initScript, 'sh', ...argv];
}

/** A shell says with exit codes from here on which signal ended a command. */
const signalBase = 128;

/** Signals that end no process unless it wants it: an exit code that looks like one of them is an exit code. */
const harmlessSignals: ReadonlySet<string> = new Set([
  'SIGCHLD',
  'SIGCONT',
  'SIGSTOP',
  'SIGTSTP',
  'SIGTTIN',
  'SIGTTOU',
  'SIGURG',
  'SIGWINCH',
]);

interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/**
 * How the agent ended, from how the first process of its namespace did. An agent that exits with 128 and the number
 * of a deadly signal, as shells do, is taken to have been ended by that signal: the two look the same from here.
 */
export function exitOf({ exitCode, signal }: Exit): Exit {
  if (exitCode === null || exitCode <= signalBase) return { exitCode, signal };
  const name = signalName(exitCode - signalBase);
  if (name === undefined || harmlessSignals.has(name)) return { exitCode, signal };
  return { exitCode: null, signal: name };
}

function signalName(number: number): string | undefined {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}
