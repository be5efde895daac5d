import { describe, expect, it } from 'vitest';
import { openTestingSession } from '../../testing/fakes/agents/testing-session.ts';
import { only } from '../../testing/fakes/agents/testing-stream.ts';
import { concludeAgent } from './conclude.ts';
import { openJsonLines } from './json-line-stream.ts';
import { defineStreamAgent } from './stream-agent.ts';

const kind = defineStreamAgent({
  name: 'sample',
  summary: 'for this test',
  program: 'sample',
  versionArguments: [],
  install: '',
  inheritedVariables: [],
  keyVariables: [],
  reports: { work: 'live', usage: 'live' },
  launch: ({ program, prompt }) => ({ argv: [program, prompt], env: { GREETING: 'hello' } }),
  openStream: (emit) =>
    openJsonLines(emit, (trace) => ({
      handlers: {
        turn: () => trace.beginTurn(),
        say: ({ text }) => trace.assistant(String(text)),
      },
      conclude: (exit, stderrTail) =>
        concludeAgent({ exit, sawWork: trace.sawWork, stderrTail, turns: trace.turnsBegun }),
      isClosed: true,
    })),
});

const say = `say() { printf '{"type":"say","text":"%s"}\\n' "$1"; }\nturn() { echo '{"type":"turn"}'; }\n`;
/** Blocks until the process is ended from outside. */
const hang = 'exec sleep 600';

describe('an agent that is started once', () => {
  it('has login shells that find what it finds itself', async () => {
    const path = "/usr/bin:/bin:/the folder/of 'tools'";
    const script = `HOME="$(dirname "$0")/home" sh -lc 'printf "{\\"type\\":\\"say\\",\\"text\\":\\"%s\\"}\\n" "$PATH"'`;
    await using testing = await openTestingSession({ env: { PATH: path }, script });
    await kind.drive(testing.session);
    expect(only(testing.events, 'message')).toEqual([expect.objectContaining({ text: path })]);
  });

  it('is given its arguments and environment, and what it prints is read', async () => {
    await using testing = await openTestingSession({
      prompt: 'the task',
      settings: { env: { NAME: 'settings' } },
      script: `${say}say "$1 $GREETING $NAME"; echo careful >&2`,
    });
    const report = await kind.drive(testing.session);
    expect(only(testing.events, 'message')).toEqual([expect.objectContaining({ text: 'the task hello settings' })]);
    expect(only(testing.events, 'output')).toEqual([expect.objectContaining({ channel: 'stderr', text: 'careful\n' })]);
    expect(report).toMatchObject({ completed: true, exit: { exitCode: 0 } });
  });

  it('is started by the command of the settings', async () => {
    await using testing = await openTestingSession({ prompt: 'a "b" $c' });
    const command = `printf '{"type":"say","text":"%s"}\\n' begun`;
    const session = { ...testing.session, settings: { ...testing.session.settings, command } };
    await kind.drive(session);
    expect(testing.launches[0]?.argv).toEqual(['/bin/sh', '-c', `${command} "$@"`, session.program, 'a "b" $c']);
    expect(only(testing.events, 'message')).toEqual([expect.objectContaining({ text: 'begun' })]);
  });

  it('is stopped when it begins one turn too many', async () => {
    await using testing = await openTestingSession({
      maxTurns: 2,
      script: `${say}turn; say one; turn; say two; turn; say three\n${hang}`,
    });
    const report = await kind.drive(testing.session);
    expect(report).toMatchObject({ completed: false, reason: 'stopped at the limit of 2 turns', fault: undefined });
    expect(only(testing.events, 'message')).toEqual([
      expect.objectContaining({ text: 'one' }),
      expect.objectContaining({ text: 'two' }),
    ]);
  });

  it('may end by itself in its last turn', async () => {
    await using testing = await openTestingSession({ maxTurns: 2, script: `${say}turn; say one; turn; say two` });
    expect(await kind.drive(testing.session)).toMatchObject({ completed: true, turns: 2 });
  });

  it('is not blamed for a signal that we sent', async () => {
    for (const [why, reason] of [
      ['interrupt', 'interrupted'],
      ['time', 'stopped at the time limit'],
    ] as const) {
      await using testing = await openTestingSession({
        script: `${say}say working\n${hang}`,
        onLine: (_line, session) => session.end(why),
      });
      expect(await kind.drive(testing.session)).toMatchObject({ completed: false, reason, fault: undefined });
    }
  });

  it('is blamed for a signal that we did not send', async () => {
    await using testing = await openTestingSession({ script: `${say}say working; kill -SEGV $$` });
    expect(await kind.drive(testing.session)).toMatchObject({ fault: { code: 'AGENT_CRASHED' } });
  });
});
