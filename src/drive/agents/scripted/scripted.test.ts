import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { UnstampedEvent } from '../../../domain/trace.ts';
import { loadAgentScript } from '../../../load/scripts.ts';
import { openTestingSession, type TestingSession } from '../../../testing/fakes/agents/testing-session.ts';
import { only } from '../../../testing/fakes/agents/testing-stream.ts';
import type { AgentReport } from '../agent.ts';
import { scripted } from './scripted.ts';

interface Followed {
  readonly events: readonly UnstampedEvent[];
  readonly report: AgentReport;
  readonly commands: readonly (string | undefined)[];
}

type Request = Parameters<typeof openTestingSession>[0];

async function follow(
  script: string,
  request: Request = {},
  prepare: (testing: TestingSession) => Promise<void> = async () => undefined,
): Promise<Followed> {
  await using testing = await openTestingSession(request);
  const file = join(testing.folder, 'script.yaml');
  await writeFile(file, script);
  await prepare(testing);
  const settings = { ...testing.session.settings, script: { path: file, load: () => loadAgentScript(file) } };
  // Spreading would freeze `isStopped` at what it is now.
  const session = Object.create(testing.session, { settings: { value: settings } });
  const report = await scripted.drive(session);
  const commands = testing.events.flatMap((event) => (event.type === 'tool-call' ? [event.shellCommand] : []));
  return { events: testing.events, report, commands };
}

async function problemsOfScript(script: string): Promise<string> {
  await using testing = await openTestingSession();
  const file = join(testing.folder, 'script.yaml');
  await writeFile(file, script);
  const problem: unknown = await loadAgentScript(file).catch((error: unknown) => error);
  expect(problem).toMatchObject({ code: 'FILE_INVALID' });
  return String(problem).replaceAll(testing.folder, '');
}

describe('a scripted agent', () => {
  it('runs commands in the work directory and says things', async () => {
    const { events, report } = await follow(`
model: none
usage: { inputTokens: 10, outputTokens: 2 }
steps:
  - echo one > made.txt; cat made.txt; echo two >&2
  - say: looking
    run: exit 3
  - say: done
`);
    expect(only(events, 'message', 'tool-call', 'tool-result', 'usage')).toEqual([
      expect.objectContaining({ type: 'tool-call', tool: 'shell', kind: 'shell', callId: 'command-1' }),
      expect.objectContaining({ type: 'tool-result', exitCode: 0, result: expect.stringContaining('one\n') }),
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'looking' },
      {
        type: 'tool-call',
        seenBy: 'agent',
        callId: 'command-2',
        tool: 'shell',
        kind: 'shell',
        input: { command: 'exit 3' },
        shellCommand: 'exit 3',
      },
      { type: 'tool-result', seenBy: 'agent', callId: 'command-2', durationMs: 0, result: '', exitCode: 3 },
      { type: 'message', seenBy: 'agent', role: 'assistant', text: 'done' },
      { type: 'usage', seenBy: 'agent', model: 'none', inputTokens: 10, outputTokens: 2 },
    ]);
    expect(only(events, 'tool-result')[0]).toMatchObject({ result: expect.stringContaining('two\n') });
    expect(report).toMatchObject({ completed: true, reason: null, turns: 2, exit: { exitCode: 0 } });
  });

  it.each([
    ['{ output_contains: hello }', true],
    ['{ output_contains: nothing }', false],
    ['{ output_matches: "^h.llo" }', true],
    ['{ output_matches: "^o" }', false],
    ['{ exit_code: 4 }', true],
    ['{ exit_code: 0 }', false],
    ['{ exit_code: { not: 0 } }', true],
    ['{ exit_code: { not: 4 } }', false],
    ['{ file: notes.md }', true],
    ['{ file: missing.md }', false],
    ['{ file: notes.md, contains: AGENTS }', true],
    ['{ file: notes.md, contains: nothing }', false],
    ['{ file: notes.md, matches: "A[A-Z]+S" }', true],
    ['{ file: notes.md, matches: "^x" }', false],
    ['{ not: { exit_code: 4 } }', false],
    ['{ not: { file: missing.md } }', true],
    ['{ any: [{ exit_code: 0 }, { output_contains: hello }] }', true],
    ['{ any: [{ exit_code: 0 }, { exit_code: 1 }] }', false],
    ['{ all: [{ exit_code: 4 }, { output_contains: hello }] }', true],
    ['{ all: [{ exit_code: 4 }, { output_contains: nothing }] }', false],
    ['{ exit_code: 4, output_contains: nothing }', false],
    ['{ file: folder }', false],
    ['{ file: outside }', false],
    ['{ file: outside-folder/script.yaml }', false],
  ])('takes a step when %s: %s', async (when, isTaken) => {
    const script = `steps:\n  - echo hello; exit 4\n  - { run: "true", when: ${when} }\n`;
    const { commands } = await follow(script, {}, async ({ folder, session }) => {
      await writeFile(join(session.workDirectory, 'notes.md'), 'read AGENTS first');
      await mkdir(join(session.workDirectory, 'folder'));
      await symlink(join(folder, 'script.yaml'), join(session.workDirectory, 'outside'));
      await symlink(folder, join(session.workDirectory, 'outside-folder'));
    });
    expect(commands).toHaveLength(isTaken ? 2 : 1);
  });

  it('knows of no last command before the first', async () => {
    const { commands } = await follow(`
steps:
  - { run: echo a, when: { exit_code: { not: 0 } } }
  - { run: echo b, when: { output_contains: "" } }
  - { run: echo c, when: { not: { exit_code: 0 } } }
`);
    expect(commands).toEqual(['echo c']);
  });

  it('ends at an `exit` step, with its exit code', async () => {
    const { commands, report } = await follow('steps:\n  - echo a\n  - { exit: 3 }\n  - echo b\n');
    expect(commands).toEqual(['echo a']);
    expect(report).toMatchObject({
      completed: false,
      reason: 'the script ended with exit code 3',
      fault: undefined,
      exit: { exitCode: 3 },
    });
  });

  it('keeps to the limit of turns', async () => {
    const { commands, report } = await follow('steps: [echo a, echo b, echo c]\n', { maxTurns: 2 });
    expect(commands).toEqual(['echo a', 'echo b']);
    expect(report).toMatchObject({ completed: false, reason: 'stopped at the limit of 2 turns', turns: 2 });
  });

  it.each([
    ['time', 'stopped at the time limit', true],
    ['interrupt', 'interrupted', false],
  ] as const)('stops when %s ends it', async (why, reason, timedOut) => {
    const { commands, report, events } = await follow(
      'usage: { inputTokens: 1, outputTokens: 1 }\nsteps: ["echo begun; exec sleep 600", echo b]\n',
      { onLine: (_line, testing) => testing.end(why) },
    );
    expect(commands).toHaveLength(1);
    expect(report).toMatchObject({ completed: false, reason, fault: undefined, exit: { timedOut } });
    expect(only(events, 'usage')).toHaveLength(1);
  });

  it('keeps the head and the tail of a flood', async () => {
    const { events } = await follow('steps: ["seq 100000"]\n');
    const [result] = only(events, 'tool-result');
    expect(result).toMatchObject({ result: expect.stringMatching(/^1\n[\s\S]*bytes left out[\s\S]*\n100000\n$/) });
    expect(JSON.stringify(result).length).toBeLessThan(100_000);
  });

  it('needs a script', async () => {
    await using testing = await openTestingSession();
    await expect(scripted.drive(testing.session)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

describe('a bad script', () => {
  it.each([
    ['a missing list', 'model: x\n', '/script.yaml:1:1: `steps` is missing'],
    ['an empty list', 'steps: []\n', '/script.yaml:1:8: `steps` must have at least 1 item'],
    ['an unknown key', 'steps:\n  - { rnu: ls }\n', '/script.yaml:2:7: unknown key `rnu`'],
    ['an empty step', 'steps:\n  - { when: { exit_code: 0 } }\n', '/script.yaml:2:5: this step does nothing'],
    ['two ends', 'steps:\n  - { run: ls, exit: 1 }\n', '/script.yaml:2:5: a step cannot both `run` and `exit`'],
    ['a number', 'steps:\n  - ls\n  - 7\n', '/script.yaml:3:5: `steps[1]` must be an object, not a number'],
    ['an empty condition', 'steps:\n  - { run: ls, when: {} }\n', '/script.yaml:2:22: this condition is empty'],
    [
      'an unknown condition',
      'steps:\n  - { run: ls, when: { output: x } }\n',
      '/script.yaml:2:24: unknown key `output`',
    ],
    [
      'a bad pattern deep inside',
      'steps:\n  - { run: ls, when: { any: [{ not: { output_matches: "(" } }] } }\n',
      '/script.yaml:2:55: the regular expression cannot be used: missing closing )',
    ],
    [
      'text without a file',
      'steps:\n  - { run: ls, when: { contains: x } }\n',
      '`contains` and `matches` need a `file`',
    ],
    [
      'a path out',
      'steps:\n  - { run: ls, when: { file: ../x } }\n',
      '/script.yaml:2:30: the file must lie in the work directory',
    ],
    ['broken YAML', 'steps: [\n', '/script.yaml:'],
  ])('is refused with its place: %s', async (_what, script, expected) => {
    expect(await problemsOfScript(script)).toContain(expected);
  });

  it('is refused when it is not there', async () => {
    await expect(loadAgentScript('/nowhere/script.yaml')).rejects.toMatchObject({ code: 'FILE_INVALID' });
  });
});
