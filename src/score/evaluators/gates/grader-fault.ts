import { basename } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import type { ScriptEnd } from '../../../domain/gate.ts';
import { executedWords, runsOnlyWork } from '../../../drive/targets/agent-task/executed-words.ts';
import { excerptOf } from '../excerpt.ts';

interface GraderCommand {
  readonly command: string;
  readonly timeout_secs: number;
  readonly runs?: 'work' | undefined;
}

const runsWorkHint = 'Correct the command. If it runs what the agent makes, add `runs: work` to the gate.';

/**
 * Why the end of a gate's command says nothing about the work: the command itself is missing, cannot be started, has a
 * syntax error or took too long. A command that runs the work ends so because of the work.
 */
export function graderFault({ command, timeout_secs, runs }: GraderCommand, end: ScriptEnd): AssayError | undefined {
  if (runs === 'work' || (end.exitCode === 0 && !end.timedOut)) return undefined;
  const name = excerptOf(command);
  if (end.timedOut) {
    return runsOnlyWork(command) ? undefined : failed(`The gate ${name} did not end within ${timeout_secs} s.`);
  }
  const line = brokenLine(command, end);
  return line === undefined ? undefined : failed(`The gate ${name} could not run: ${excerptOf(line)}`);
}

function failed(message: string): AssayError {
  return new AssayError('GRADER_FAILED', message, { hint: runsWorkHint });
}

/** The line of stderr that says so, by words of the command itself: what a script calls is its own affair. */
function brokenLine(command: string, { exitCode, stderr }: ScriptEnd): string | undefined {
  const { programs, scripts } = executedWords(command);
  const words = [...programs, ...scripts];
  const patterns = [
    ...(exitCode === 126 || exitCode === 127 ? programs.map(notStarted) : []),
    ...words.flatMap((word) => [notOpened(word), syntaxError(word)]),
    /^\/bin\/sh: \d+: Syntax error/,
    /^ModuleNotFoundError: No module named/,
  ];
  return (
    stderr.text.split('\n').find((line) => patterns.some((pattern) => pattern.test(line))) ??
    invalidModule(words, stderr.text)
  );
}

function notStarted(word: string): RegExp {
  return new RegExp(
    `(?:^|[\\s/:'"])${nameIn(word)}['"]?: (?:command )?(?:not found|No such file|Permission denied|cannot execute)`,
    'i',
  );
}

function notOpened(word: string): RegExp {
  const name = nameIn(word);
  return new RegExp(
    `(?:can(?:no|')t open (?:file |perl script )?|cannot find module |-- )['"]?\\S*?${name}|(?:^|[\\s/])${name}['"]?: (?:\\[Errno 2\\] )?(?:No such file|Permission denied)`,
    'i',
  );
}

function syntaxError(word: string): RegExp {
  return new RegExp(`${nameIn(word)}: (?:line )?\\d+: syntax error`, 'i');
}

/** Python and Node.js name the file in a line before the error. */
function invalidModule(scripts: readonly string[], stderr: string): string | undefined {
  const lines = stderr.split('\n');
  const error = lines.findIndex((line) => /^(?:SyntaxError|IndentationError|TabError)\b/.test(line));
  if (error === -1) return undefined;
  const place = lines.slice(0, error).findLast((line) => /^\s*File "|:\d+$/.test(line)) ?? '';
  return scripts.some((script) => place.includes(basename(script))) ? lines[error] : undefined;
}

function nameIn(word: string): string {
  return basename(word).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
