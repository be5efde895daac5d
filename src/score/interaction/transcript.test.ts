import { describe, expect, it } from 'vitest';
import { ended, printed, traceOf } from '../../testing/fakes/score/fake-trace.ts';
import { commandsOf, interactionOf } from './interaction.ts';

const taskmgr = { binary: 'taskmgr' };

function figures(text: string, tool: { binary: string; commandPattern?: string } = taskmgr) {
  return interactionOf(traceOf(printed(text), ended(true)), tool);
}

function exitCodes(text: string): (number | null)[] {
  return commandsOf(traceOf(printed(text)), taskmgr).map(({ exitCode }) => exitCode);
}

describe('commands in a transcript', () => {
  it('are counted: create, create, list', () => {
    const text = 'taskmgr create\ntaskmgr create\ntaskmgr list\n';
    expect(figures(text)).toMatchObject({
      source: 'transcript',
      total_commands: 3,
      unique_commands: 2,
      retry_count: 1,
    });
  });

  it('are counted: create three times, list twice', () => {
    const text = 'taskmgr create\ntaskmgr create\ntaskmgr create\ntaskmgr list\ntaskmgr list';
    expect(figures(text)).toMatchObject({ total_commands: 5, retry_count: 3, iteration_ratio: 0.4 });
  });

  it('ask for help in two of three', () => {
    const text = 'taskmgr --help\ntaskmgr create\ntaskmgr list --help';
    const interaction = figures(text);
    expect(interaction).toMatchObject({ total_commands: 3, help_invocations: 2 });
    expect(Object.keys(interaction.subcommands)).toEqual(['help', 'create', 'list']);
  });

  it.each([
    ['Exit status: 127', 127],
    ['exit code 255', 255],
    ['EXIT CODE: 0', 0],
    ['Error: nothing there\nExit code: 0', 0],
    ['it failed', 1],
    ['ended with a non-zero code', 1],
    ['exit code unknown', 1],
    ['all is well', 0],
    ['', 0],
  ])('have the exit code given by the lines after them: %j', (behind, exitCode) => {
    expect(exitCodes(`taskmgr create\n${behind}`)).toEqual([exitCode]);
  });

  it('look 20 lines ahead', () => {
    expect(exitCodes(`taskmgr create\n${'x\n'.repeat(19)}Exit code: 3`)).toEqual([3]);
    expect(exitCodes(`taskmgr create\n${'x\n'.repeat(20)}Exit code: 3`)).toEqual([0]);
  });

  it('do not take the exit code of the next command for their own', () => {
    expect(exitCodes('taskmgr create\nok\ntaskmgr list\nExit code: 3')).toEqual([0, 3]);
  });

  it('are found at the start of a line unless the pattern says otherwise', () => {
    const text = 'I ran taskmgr create\n  taskmgr list\n$ taskmgr show 1';
    expect(figures(text).total_commands).toBe(1);
    expect(Object.keys(figures(text, { binary: 'taskmgr', commandPattern: 'taskmgr\\s+(\\S+)' }).subcommands)).toEqual([
      'create',
      'list',
      'show',
    ]);
    expect(figures(text, { binary: 'taskmgr', commandPattern: '  ' }).total_commands).toBe(1);
  });

  it('are no lines in which the first group caught a word of the result', () => {
    const commandPattern = '^(\\w+) (\\w+)';
    expect(
      figures('Error found\nEXIT now\nfailed again\nmake it', { binary: 'x', commandPattern }).total_commands,
    ).toBe(1);
  });

  it('are the same whatever the path, the blanks and the colours', () => {
    const text = '\u001B[32mtaskmgr  create a\u001B[0m\r\n taskmgr create   a\r\n';
    expect(figures(text)).toMatchObject({ total_commands: 2, unique_commands: 1 });
    const byPath = { binary: 'bin/taskmgr', commandPattern: '\\S*taskmgr (\\w+)' };
    expect(figures('/x/taskmgr list\n./taskmgr list', byPath)).toMatchObject({ total_commands: 2, unique_commands: 1 });
  });

  it('are named by the second word where the group caught nothing', () => {
    const commandPattern = 'taskmgr( x)?';
    expect(Object.keys(figures('taskmgr list\ntaskmgr', { binary: 'taskmgr', commandPattern }).subcommands)).toEqual([
      'list',
      'command',
    ]);
  });

  it('are none of the task that the agent was given', () => {
    const task = { type: 'message', role: 'user', text: 'taskmgr create' } as const;
    const answer = { type: 'message', role: 'assistant', text: 'taskmgr list' } as const;
    expect(commandsOf(traceOf(task, answer), taskmgr).map(({ line }) => line)).toEqual(['taskmgr list']);
  });

  it('are found in linear time by patterns that would take others for ever', () => {
    const hostile = { binary: 'a', commandPattern: '^(a+)+$' };
    expect(figures(`${'a'.repeat(5_000)}!`, hostile).total_commands).toBe(0);
  });
});
