import { fieldAt } from '../field-at.ts';
import { listOf, textOf } from '../json-shapes.ts';
import type { Narration } from '../narration.ts';
import { shellAnswer } from '../shell-answer.ts';

interface ClineResults {
  readonly callId: string;
  readonly output: unknown;
  readonly durationMs: number | undefined;
  /** Of the call as a whole. */
  readonly error: string | undefined;
}

const tool = 'run_commands';

/** Tells each command of a call by itself, since each has its own result. */
export function tellClineCommands(narration: Narration, callId: string, input: unknown): void {
  const commands = listOf(fieldAt(input, 'commands'));
  if (commands.length === 0) narration.toolCall({ callId, tool, input });
  for (const [index, command] of commands.entries()) {
    const shellCommand = commandLine(command);
    narration.toolCall({ callId: idOf(callId, index), tool, input: command, ...(shellCommand && { shellCommand }) });
  }
}

/** Tells the result of each command of a call. */
export function tellClineResults(narration: Narration, { callId, output, durationMs, error }: ClineResults): void {
  const results = listOf(output);
  if (results.length === 0) {
    narration.toolResult({ callId, durationMs, ...shellAnswer(error ?? '', null, error !== undefined) });
  }
  for (const [index, result] of results.entries()) {
    const hasFailed = fieldAt(result, 'success') !== true;
    const text = textOf(fieldAt(result, 'result')) ?? textOf(fieldAt(result, 'error')) ?? '';
    const exitCode = hasFailed ? exitCodeIn(textOf(fieldAt(result, 'error')) ?? text) : 0;
    narration.toolResult({ callId: idOf(callId, index), durationMs, ...shellAnswer(text, exitCode, hasFailed) });
  }
}

function idOf(callId: string, index: number): string {
  return index === 0 ? callId : `${callId}#${index + 1}`;
}

function commandLine(command: unknown): string | undefined {
  if (typeof command === 'string') return command;
  const words = listOf(fieldAt(command, 'args')).filter((word) => typeof word === 'string');
  const program = textOf(fieldAt(command, 'command'));
  return program && [program, ...words].join(' ');
}

function exitCodeIn(text: string): number | null {
  const told = /exit(?:ed with)? code:? (\d{1,3})\b/i.exec(text.slice(0, 300))?.[1];
  return told === undefined ? null : Number(told);
}
