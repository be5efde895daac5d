import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interactionSchema } from '../../domain/interaction.ts';
import type { UnstampedEvent } from '../../domain/trace.ts';
import { shellWord } from '../../shared/shell-words.ts';
import { ended, printed, recorded, shell, traceOf } from '../../testing/fakes/score/fake-trace.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import { commandsOf, interactionOf } from './interaction.ts';

const taskmgr = { binary: 'taskmgr', commandPattern: 'taskmgr\\s+(\\S+)' };
const plain = { binary: 'taskmgr' };

type RecordedCommand = Extract<UnstampedEvent, { type: 'command' }>;

function run(args: string, exitCode: number | null) {
  return recorded(['taskmgr', ...args.split(' ')], exitCode);
}

describe('interactionOf', () => {
  it('computes every figure: create three times with two failures, help for list, list', () => {
    const trace = traceOf(
      run('create a', 1),
      run('create a', 2),
      run('create a', 0),
      run('list --help', 0),
      run('list', 0),
      ended(true),
    );
    expect(interactionOf(trace, taskmgr)).toEqual({
      source: 'recorder',
      total_commands: 5,
      unique_commands: 3,
      error_count: 2,
      error_rate: 0.4,
      retry_count: 2,
      retry_rate: 0.4,
      retries_after_failure: 2,
      help_invocations: 1,
      first_try_success_rate: 0.4,
      iteration_ratio: 0.6,
      completed: true,
      subcommands: {
        create: {
          total_commands: 3,
          unique_commands: 1,
          error_count: 2,
          error_rate: 2 / 3,
          retry_count: 2,
          retry_rate: 2 / 3,
          retries_after_failure: 2,
          help_invocations: 0,
          first_try_success_rate: 0,
          iteration_ratio: 1 / 3,
        },
        list: {
          total_commands: 2,
          unique_commands: 2,
          error_count: 0,
          error_rate: 0,
          retry_count: 0,
          retry_rate: 0,
          retries_after_failure: 0,
          help_invocations: 1,
          first_try_success_rate: 1,
          iteration_ratio: 1,
        },
      },
      unrecorded: [],
      disagreements: [],
    });
  });

  it('does not count a failure that Assay answered as an error, and a retry of it as a retry', () => {
    const mocked: UnstampedEvent = { ...(run('create a', 1) as RecordedCommand), answeredBy: 'mock' };
    const trace = traceOf(
      mocked,
      run('create a', 0),
      ...shell('1', 'taskmgr create a', 1),
      ...shell('2', 'taskmgr create a', 0),
    );
    expect(interactionOf(trace, taskmgr)).toMatchObject({
      total_commands: 2,
      error_count: 0,
      error_rate: 0,
      retries_after_failure: 1,
      first_try_success_rate: 0,
      disagreements: [],
    });
  });

  it('is all zero when there was no command', () => {
    const interaction = interactionOf(traceOf(ended(false)), taskmgr);
    expect(interaction).toMatchObject({ source: 'none', total_commands: 0, error_rate: 0, retry_rate: 0 });
    expect(interaction).toMatchObject({ first_try_success_rate: 0, iteration_ratio: 0, completed: false });
  });

  it('keys sameness on the whole line, and retries after failure on the subcommand', () => {
    const trace = traceOf(run('create a', 1), run('create b', 0), run('create c', 0));
    expect(interactionOf(trace, taskmgr)).toMatchObject({
      unique_commands: 3,
      retry_count: 0,
      retries_after_failure: 1,
      first_try_success_rate: 2 / 3,
    });
  });

  it('takes neither a look at the help nor another command in between for a direct retry', () => {
    const trace = traceOf(
      run('create a', 1),
      run('create --help', 0),
      run('create a', 1),
      run('list', 0),
      run('create a', 0),
    );
    expect(interactionOf(trace, taskmgr)).toMatchObject({ retries_after_failure: 0, retry_count: 2 });
  });

  it('counts all three ways to ask for help, which succeed whatever their exit code', () => {
    const trace = traceOf(
      run('--help', 2),
      run('list -h', 1),
      run('help create', 64),
      run('create help', 0),
      run('-- -h', 0),
    );
    const interaction = interactionOf(trace, plain);
    expect(interaction).toMatchObject({ help_invocations: 3, error_count: 0, first_try_success_rate: 1 });
    expect(Object.keys(interaction.subcommands)).toEqual(['help', 'list', 'create']);
  });

  it('takes a command that was ended by a signal for an error', () => {
    expect(interactionOf(traceOf(run('serve', null)), taskmgr)).toMatchObject({ error_count: 1, error_rate: 1 });
  });

  it('leaves out what the tool itself started', () => {
    const trace = traceOf(run('sync', 0), recorded(['taskmgr', 'list'], 1, true));
    expect(interactionOf(trace, taskmgr)).toMatchObject({ total_commands: 1, error_count: 0 });
  });

  it('has no figures per subcommand when the pattern has no group', () => {
    const trace = traceOf(run('list', 1), run('list', 1));
    const interaction = interactionOf(trace, { binary: 'taskmgr', commandPattern: 'taskmgr\\s+\\S+' });
    expect(interaction).toMatchObject({ total_commands: 2, retries_after_failure: 1 });
    expect(interaction.subcommands).toEqual({});
  });

  it('names subcommands by the second group of a pattern, and by a path that the pattern asks for', () => {
    const trace = traceOf(recorded(['./bin/taskmgr', 'list'], 0));
    const named = (commandPattern: string) => interactionOf(trace, { binary: 'taskmgr', commandPattern }).subcommands;
    expect(Object.keys(named('(taskmgr)\\s+(\\S+)'))).toEqual(['list']);
    expect(Object.keys(named('^\\./bin/taskmgr (\\S+)'))).toEqual(['list']);
  });

  it('passes over options to find the subcommand when there is no pattern', () => {
    const trace = traceOf(run('--json list', 0), run('--version', 0));
    expect(Object.keys(interactionOf(trace, plain).subcommands)).toEqual(['list']);
  });

  it.each(['taskmgr\\s+(\\S+', '(?<=x)taskmgr', '(a)\\1'])(
    'says that the pattern %s cannot be used',
    (commandPattern) => {
      const tool = { binary: 'taskmgr', commandPattern };
      const inTrace = interactionOf(traceOf(run('list', 0)), tool);
      expect(inTrace.total_commands).toBe(1);
      expect(inTrace.subcommands).toEqual({});
      expect(inTrace.disagreements.map(({ message }) => message)).toEqual([expect.stringContaining(commandPattern)]);
      const inText = interactionOf(traceOf(printed('taskmgr list')), tool);
      expect(inText).toMatchObject({ source: 'transcript', total_commands: 0 });
      expect(inText.disagreements).toHaveLength(1);
    },
  );
});

describe('the sources', () => {
  it('come best first', () => {
    const reported = shell('1', 'taskmgr list', 0);
    expect(interactionOf(traceOf(run('list', 0), ...reported, printed('taskmgr list')), plain).source).toBe('recorder');
    expect(interactionOf(traceOf(...reported, printed('taskmgr list')), plain).source).toBe('agent-events');
    expect(interactionOf(traceOf(printed('taskmgr list')), plain).source).toBe('transcript');
    expect(interactionOf(traceOf(ended(true)), plain).source).toBe('none');
  });

  it('give way where the recorder saw nothing, but not to mere text', () => {
    const workspace = { type: 'workspace', folder: 'x' } as const;
    const nested = recorded(['taskmgr', 'list'], 0, true);
    const found = interactionOf(traceOf(workspace, nested, ...shell('1', './taskmgr list', 1)), plain);
    expect(found).toMatchObject({ source: 'agent-events', total_commands: 1, error_count: 1 });
    const written = interactionOf(traceOf(workspace, printed('taskmgr list')), plain);
    expect(written).toMatchObject({ source: 'recorder', total_commands: 0 });
    expect(written.disagreements).toMatchObject([{ source: 'transcript', total_commands: 1 }]);
  });

  it('disagree in words', () => {
    const trace = traceOf(run('list', 1), run('list', 0), ...shell('1', 'sh retry.sh; taskmgr list', 0));
    const { disagreements, source } = interactionOf(trace, plain);
    expect(source).toBe('recorder');
    expect(disagreements).toEqual([
      {
        source: 'agent-events',
        total_commands: 1,
        error_count: 0,
        message:
          "In the agent's own events there are 1 command and 0 errors: 1 fewer command and 1 fewer error than the recorder saw.",
      },
    ]);
  });

  it('count a command with an unknown exit code neither as an error nor as a success, and say so', () => {
    const trace = traceOf(...shell('1', 'taskmgr list', null), ...shell('2', 'taskmgr show', 0));
    const interaction = interactionOf(trace, plain);
    expect(interaction).toMatchObject({ total_commands: 2, error_count: 0, first_try_success_rate: 0.5 });
    expect(interaction.disagreements).toEqual([
      {
        source: 'agent-events',
        total_commands: 2,
        error_count: 0,
        message:
          "The exit codes of 1 of 2 commands are unknown to the agent's own events: these commands count neither as errors nor as successes.",
      },
    ]);
  });

  it('take an error without an exit code for a failure', () => {
    const [call] = shell('1', 'taskmgr list', 0);
    const refused = { type: 'tool-result', callId: '1', durationMs: 0, error: { message: 'refused' } } as const;
    expect(interactionOf(traceOf(call as never, refused), plain)).toMatchObject({ error_count: 1, unrecorded: [] });
  });

  it('agree on the same commands', () => {
    const argument = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
    const command = fc.record({
      args: fc.array(fc.oneof(argument, fc.constantFrom('list', 'create', '--help', '-h', 'help'))),
      exitCode: fc.constantFrom(0, 1, 2),
    });
    fc.assert(
      fc.property(fc.array(command, { minLength: 1 }), (commands) => {
        const recordings = commands.map(({ args, exitCode }) => recorded(['taskmgr', ...args], exitCode));
        const reported = commands.flatMap(({ args, exitCode }, index) =>
          shell(`${index}`, `bash -lc ${shellWord(['cd x && taskmgr', ...args.map(shellWord)].join(' '))}`, exitCode),
        );
        const both = interactionOf(traceOf(...recordings, ...reported), plain);
        expect(both).toMatchObject({ source: 'recorder', unrecorded: [], disagreements: [] });
        expect({ ...interactionOf(traceOf(...reported), plain), source: 'recorder' }).toEqual(both);
      }),
      { seed: 43, numRuns: repetitions({ usual: 40, inFull: 300 }) },
    );
  });
});

describe('unrecorded commands', () => {
  function unrecorded(...events: UnstampedEvent[]): string[] {
    return interactionOf(traceOf(...events), plain).unrecorded;
  }

  it('are those that bypassed the recorder by their path', () => {
    expect(unrecorded(run('list', 0), ...shell('1', 'taskmgr list && /usr/bin/taskmgr list', 0))).toEqual([
      '/usr/bin/taskmgr list',
    ]);
    expect(unrecorded(...shell('1', './taskmgr list', 0), run('show', 0))).toEqual(['./taskmgr list']);
  });

  it('are reported where the recorder saw nothing at all', () => {
    const workspace = { type: 'workspace', folder: 'x' } as const;
    const trace = traceOf(workspace, ...shell('1', '/opt/taskmgr list', 0));
    expect(interactionOf(trace, plain)).toMatchObject({ source: 'agent-events', unrecorded: ['/opt/taskmgr list'] });
  });

  it('are none where there was no recorder', () => {
    expect(unrecorded(...shell('1', '/opt/taskmgr list', 0))).toEqual([]);
  });

  it('are not those that need not have run', () => {
    expect(unrecorded(run('a', 1), ...shell('1', 'taskmgr a && taskmgr b', 1))).toEqual([]);
    expect(unrecorded(run('a', 0), ...shell('1', 'taskmgr a || taskmgr b', 0))).toEqual([]);
    expect(unrecorded(run('a', 0), ...shell('1', 'if false; then taskmgr b; fi', 0))).toEqual([]);
  });

  it('are compared as far as the text determines the result of expansion', () => {
    const reported = shell('1', 'taskmgr show "$ID" && taskmgr add *.md', 0);
    expect(unrecorded(run('show 7', 0), run('add a.md b.md', 0), ...reported)).toEqual([]);
    expect(unrecorded(run('add a.md b.md', 0), ...reported)).toEqual(["taskmgr show '$ID'"]);
  });
});

describe('commandsOf', () => {
  it('gives lines, exit codes, subcommands and where to look in the trace', () => {
    const trace = traceOf(printed('x'), run('create  a', 1), run('list --help', 0));
    expect(commandsOf(trace, plain)).toEqual([
      {
        index: 0,
        eventIndex: 1,
        line: "taskmgr create '' a",
        subcommand: 'create',
        exitCode: 1,
        result: 'failed',
        isHelp: false,
      },
      {
        index: 1,
        eventIndex: 2,
        line: 'taskmgr list --help',
        subcommand: 'list',
        exitCode: 0,
        result: 'succeeded',
        isHelp: true,
      },
    ]);
  });
});

describe('the formulas', () => {
  it('hold for any commands', () => {
    const event = fc
      .tuple(
        fc.constantFrom('create a', 'create b', 'list', 'list --help', 'help', '__proto__', '-x'),
        fc.constantFrom(0, 1, null),
      )
      .map(([args, exitCode]) => run(args, exitCode));
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const interaction = interactionOf(traceOf(...events), plain);
        const parts = Object.values(interaction.subcommands);
        for (const figures of [interaction, ...parts]) {
          const { total_commands: total, unique_commands: unique } = figures;
          expect(unique).toBeLessThanOrEqual(total);
          expect(figures.retry_count).toBe(total - unique);
          expect(figures.error_rate * total).toBeCloseTo(figures.error_count);
          expect(figures.retry_rate + figures.iteration_ratio).toBeCloseTo(total === 0 ? 0 : 1);
          expect(figures.first_try_success_rate).toBeLessThanOrEqual(figures.iteration_ratio);
          expect(figures.help_invocations + figures.error_count).toBeLessThanOrEqual(total);
          expect(figures.retries_after_failure).toBeLessThanOrEqual(figures.error_count);
        }
        const named = commandsOf(traceOf(...events), plain).filter(({ subcommand }) => subcommand !== undefined);
        expect(parts.reduce((sum, { total_commands }) => sum + total_commands, 0)).toBe(named.length);
        expect(interactionSchema.safeParse(interaction).success).toBe(true);
      }),
      { seed: 44, numRuns: repetitions({ usual: 62, inFull: 500 }) },
    );
  });
});
