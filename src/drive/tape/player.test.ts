import { describe, expect, it } from 'vitest';
import type { ReplayRules } from '../../domain/tool-control/replay.ts';
import { type FoundCall, type MissedCall, Player, type TapedCall } from './player.ts';

const reading = new Set(['get']);

/** `add a = ok`: a call of `add` with `a`, answered with `ok`. */
function taped(written: string): TapedCall<string> {
  const [call = '', entry = ''] = written.split(' = ');
  return { ...compared(call), entry, isReading: reading.has(call.split(' ')[0] ?? '') };
}

function compared(call: string) {
  return { tool: call.split(' ')[0] ?? '', exact: call, normalised: call.toLowerCase() };
}

function replay(
  recorded: readonly string[],
  calls: readonly string[],
  match: ReplayRules['match'] | 'request' = 'loose',
  miss: ReplayRules['miss'] = 'error',
) {
  const tape = new Player(recorded.map(taped), match, miss);
  return calls.map((call) => answerOf(tape.find(compared(call))));
}

function answerOf(found: FoundCall<string> | MissedCall<string>): string {
  if (found.kind === 'found') return found.entry;
  return found.difference === undefined ? 'miss' : `miss: ${found.difference}`;
}

const tasks = ['list = none', 'add a = 1', 'list = a', 'add b = 2', 'list = a b'];

describe('recorded calls, loosely by arguments', () => {
  it('answer a trial that repeats the recording', () => {
    const calls = tasks.map((line) => line.split(' = ')[0] ?? '');
    expect(replay(tasks, calls)).toEqual(['none', '1', 'a', '2', 'a b']);
  });

  it('answer a list after an addition with what was recorded after it', () => {
    expect(replay(tasks, ['add a', 'list'])).toEqual(['1', 'a']);
    expect(replay(tasks, ['add a', 'add b', 'list'])).toEqual(['1', '2', 'a b']);
    expect(replay(['list = none', 'search = x', 'add a = 1', 'list = a'], ['add a', 'list'])).toEqual(['1', 'a']);
  });

  it('give no state that the trial has not reached: a call that may change something answers once', () => {
    expect(replay(tasks, ['list', 'list'])).toEqual(['none', 'miss: it was made more often here']);
    expect(replay(['get = none', 'add a = 1', 'get = a'], ['get', 'get', 'add a', 'get', 'get'])).toEqual([
      'none',
      'none',
      '1',
      'a',
      'a',
    ]);
    expect(replay(['add a = 1'], ['add a', 'add a', 'add c'])).toEqual([
      '1',
      'miss: it was made more often here',
      'miss',
    ]);
  });

  it('answer readings by the changes before them, whichever were left out, repeated or made in another order', () => {
    const recorded = ['get a = -', 'get b = -', 'add a = 1', 'get b = -2', 'get a = a', 'add b = 2', 'get b = b'];
    expect(replay(recorded, ['get b', 'add a', 'get a', 'get b', 'add b', 'get b'])).toEqual([
      '-',
      '1',
      'a',
      '-2',
      '2',
      'b',
    ]);
    expect(replay(recorded, ['add a', 'get a', 'get a', 'get b', 'get c', 'add b', 'get b'])).toEqual([
      '1',
      'a',
      'a',
      '-2',
      'miss',
      '2',
      'b',
    ]);
  });

  it('answer the same call in the order of its recorded answers', () => {
    expect(replay(['poll = pending', 'poll = done'], ['poll', 'poll', 'poll'])).toEqual([
      'pending',
      'done',
      'miss: it was made more often here',
    ]);
  });

  it('name the changes that an answer presupposes', () => {
    const tape = new Player(tasks.map(taped), 'loose');
    tape.find(compared('add b'));
    expect(tape.find(compared('list'))).toMatchObject({
      entry: 'a b',
      difference: 'calls of add came before it there',
    });
    expect(tape.find(compared('add c'))).toMatchObject({ kind: 'miss', nearest: '1' });
  });

  it('compare normalised arguments', () => {
    expect(replay(['add A = 1'], ['add a'])).toEqual(['1']);
    expect(replay(['add A = 1'], ['add a'], 'strict')).toEqual(['miss']);
  });
});

describe('recorded calls, in the same state', () => {
  const state = (recorded: readonly string[], calls: readonly string[], miss?: ReplayRules['miss']) =>
    replay(recorded, calls, 'state', miss);

  it('answer a trial that repeats the recording', () => {
    const calls = tasks.map((line) => line.split(' = ')[0] ?? '');
    expect(state(tasks, calls)).toEqual(['none', '1', 'a', '2', 'a b']);
  });

  it('do not answer where the calls before them were left out, are others, or came in another order', () => {
    const recorded = ['add a = 1', 'add b = 2', 'list = a b'];
    expect(state(recorded, ['list'])).toEqual(['miss: calls of add came before it there']);
    expect(state(recorded, ['add a', 'list'])).toEqual(['1', 'miss: calls of add came before it there']);
    expect(state(recorded, ['add b'])).toEqual(['miss: calls of add came before it there']);
    expect(state(recorded, ['add a', 'drop a', 'add b'])).toEqual([
      '1',
      'miss',
      'miss: other calls of drop came before it here',
    ]);
  });

  it('leave out and repeat calls that only read', () => {
    const recorded = ['get = none', 'add a = 1', 'get = a'];
    expect(state(recorded, ['add a', 'get', 'get'])).toEqual(['1', 'a', 'a']);
    expect(state(recorded, ['get', 'get', 'add a'])).toEqual(['none', 'none', '1']);
  });

  it('go on after a call that was refused, which changed nothing, and not after one that the real tool answered', () => {
    const recorded = ['add a = 1', 'list = a'];
    expect(state(recorded, ['add a', 'drop a', 'list'], 'tool-error')).toEqual(['1', 'miss', 'a']);
    expect(state(recorded, ['add a', 'drop a', 'list'], 'real')).toEqual([
      '1',
      'miss',
      'miss: other calls of drop came before it here',
    ]);
  });

  it('have no order among calls that ran at the same time', () => {
    const spans = { 'add a = 1': [0, 3], 'add b = 2': [1, 2], 'list = a b': [4, 5] } as const;
    const recorded = Object.entries(spans).map(([line, span]) => ({ ...taped(line), span }));
    const answers = (calls: readonly string[]) => {
      const tape = new Player(recorded, 'state');
      return calls.map((call) => answerOf(tape.find(compared(call))));
    };
    expect(answers(['add a', 'add b', 'list'])).toEqual(['1', '2', 'a b']);
    expect(answers(['add b', 'add a', 'list'])).toEqual(['2', '1', 'a b']);
    expect(answers(['add b', 'list'])).toEqual(['2', 'miss: calls of add came before it there']);
  });

  it('answer what describes the tool in any state', () => {
    const help = { ...taped('get help = usage'), isDescription: true };
    const tape = new Player([help, taped('add a = 1')], 'state');
    expect(['add a', 'get help', 'get help'].map((call) => answerOf(tape.find(compared(call))))).toEqual([
      '1',
      'usage',
      'usage',
    ]);
  });
});

describe('recorded calls in other ways', () => {
  it('are strict: the very next call exactly', () => {
    expect(replay(tasks, ['list', 'list', 'add a', 'list'], 'strict')).toEqual(['none', 'miss', '1', 'a']);
  });

  it('are in order: the next answer of the tool, whatever its arguments', () => {
    expect(replay(tasks, ['add z', 'list', 'add y', 'add x'], 'order')).toEqual(['1', 'none', '2', 'miss']);
  });

  it('are by request: its replies in order, and the last one again, whatever came between', () => {
    const recorded = ['ask = 1', 'other = x', 'ask = 2'];
    expect(replay(recorded, ['other', 'ask', 'ask', 'ask', 'none'], 'request')).toEqual(['x', '1', '2', '2', 'miss']);
    const tape = new Player(recorded.map(taped), 'request');
    tape.find(compared('ask'));
    expect(tape.left).toBe(2);
  });
});
