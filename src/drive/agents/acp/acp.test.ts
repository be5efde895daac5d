import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openTestingSession, type TestingSession } from '../../../testing/fakes/agents/testing-session.ts';
import { only } from '../../../testing/fakes/agents/testing-stream.ts';
import type { AgentReport } from '../agent.ts';
import { acp } from './acp.ts';

type Request = NonNullable<Parameters<typeof openTestingSession>[0]>;
type Steps = readonly object[] | ((testing: TestingSession) => readonly object[]);

const program = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}.mjs`, import.meta.url));

/** Has the scripted agent follow its steps, and gives back what came of it. */
async function follow(
  steps: Steps,
  options: object = {},
  request: Request = {},
  look: (testing: TestingSession, report: AgentReport) => Promise<void> | void = () => undefined,
): Promise<{ report: AgentReport; messages: string[]; events: object[]; printed: string }> {
  const command = `${process.execPath} ${program('scripted-agent')} '${JSON.stringify(options)}'`;
  await using testing = await openTestingSession({ ...request, settings: { command, ...request.settings } });
  const prompt = JSON.stringify(typeof steps === 'function' ? steps(testing) : steps);
  const report = await acp.drive(Object.create(testing.session, { prompt: { value: prompt } }));
  await look(testing, report);
  const messages = only(testing.events, 'message').map((event) => (event as { text: string }).text);
  const printed = only(testing.events, 'output').map((event) => (event as { text: string }).text);
  return {
    report,
    messages,
    events: only(testing.events, 'tool-call', 'tool-result', 'usage'),
    printed: printed.join(''),
  };
}

const inWork =
  (name: string, more: object = {}) =>
  ({ session }: TestingSession): object => ({ path: join(session.workDirectory, name), ...more });

describe('an agent on the Agent Client Protocol', () => {
  it('does its task, with junk between its frames', async () => {
    const { report, messages, events, printed } = await follow([
      { junk: 'Starting up...' },
      { say: 'hello ' },
      { junk: '{"jsonrpc": "2.0", "method": ' },
      { frame: { id: 999, result: {} } },
      { say: 'there' },
    ]);
    expect(report).toMatchObject({ completed: true, reason: null, fault: undefined, turns: 1 });
    expect(messages).toEqual(['hello there']);
    expect(events).toEqual([{ type: 'usage', seenBy: 'agent', inputTokens: 7, outputTokens: 3 }]);
    expect(printed).toContain('Starting up...');
  });

  it('is allowed what it asks for', async () => {
    const toolCall = { toolCallId: 'call', kind: 'execute', title: 'make it' };
    const options = [
      { optionId: 'no', kind: 'reject_once', name: 'No' },
      { optionId: 'yes', kind: 'allow_once', name: 'Yes' },
    ];
    const { messages, events } = await follow([
      { ask: ['session/request_permission', { toolCall, options }] },
      { ask: ['session/request_permission', { toolCall, options: options.slice(0, 1) }] },
      { tool: { status: 'completed', rawOutput: { exitCode: 2 } } },
    ]);
    expect(messages.join('')).toContain('{"outcome":{"outcome":"selected","optionId":"yes"}}');
    expect(messages.join('')).toContain('{"outcome":{"outcome":"cancelled"}}');
    expect(events).toMatchObject([
      { type: 'tool-call', shellCommand: 'make it' },
      { type: 'tool-result', exitCode: 2 },
      { type: 'usage' },
    ]);
  });

  it('has commands run in terminals that are real, with their arguments, variables and folder', async () => {
    const args = ['-c', 'echo "$GREETING $1"; basename "$PWD"', 'sh', 'to you'];
    const env = [{ name: 'GREETING', value: 'good day' }];
    const { messages } = await follow(({ session }) => [
      { terminal: { command: 'mkdir sub' } },
      { terminal: { command: 'sh', args, env, cwd: join(session.workDirectory, 'sub') } },
      { terminal: { command: 'pwd', cwd: join(session.workDirectory, 'nowhere') } },
    ]);
    expect(messages.join('')).toContain('"output":"good day to you\\nsub\\n"');
    expect(messages.join('')).toContain('{"exitCode":126,"signal":null}');
  });

  it('emits a command of a terminal once, with its exact exit code and what it printed', async () => {
    const line = 'echo one; echo two >&2; exit 3';
    const terminal = { command: line, isAnnounced: true };
    const { events, messages } = await follow([{ terminal }]);
    expect(events).toMatchObject([
      { type: 'tool-call', callId: 'call', shellCommand: line },
      { type: 'tool-result', callId: 'call', exitCode: 3, result: expect.stringMatching(/one\n|two\n/) },
      { type: 'usage' },
    ]);
    expect(messages.join('')).toContain('{"exitCode":3,"signal":null}');
  });

  it('emits a command of a terminal also when no call names it', async () => {
    const { events } = await follow([
      { terminal: { command: '/bin/sh', args: ['-c', 'exit 4'] } },
      { terminal: { command: 'printf', args: ['%s', 'a b'], isReleased: false } },
    ]);
    expect(events).toMatchObject([
      { type: 'tool-call', shellCommand: 'exit 4' },
      { type: 'tool-result', exitCode: 4 },
      { type: 'usage' },
      { type: 'tool-call', shellCommand: 'printf %s a b' },
      { type: 'tool-result', exitCode: 0, result: 'a b\n' },
    ]);
  });

  it('gets no more of a terminal than it requested', async () => {
    const { messages } = await follow([{ terminal: { command: 'seq 1 100', outputByteLimit: 7 } }]);
    expect(messages.join('')).toContain(
      '{"output":"99\\n100\\n","truncated":true,"exitStatus":{"exitCode":0,"signal":null}}',
    );
  });

  it('leaves no command of a terminal running', async () => {
    await follow(
      [
        { startTerminal: { command: 'echo $$ > pid; exec sleep 600' } },
        { terminal: { command: 'until [ -s pid ]; do sleep 0.01; done' } },
      ],
      {},
      {},
      async ({ session }) => {
        const pid = Number(await readFile(join(session.workDirectory, 'pid'), 'utf8'));
        expect(() => process.kill(pid, 0)).toThrow();
      },
    );
  });

  it('reads and writes files of the work directory', async () => {
    const { messages } = await follow(
      (testing) => [
        { ask: ['fs/write_text_file', inWork('new/a.txt', { content: '1\n2\n3\n4\n' })(testing)] },
        { ask: ['fs/read_text_file', inWork('new/a.txt', { line: 2, limit: 2 })(testing)] },
        { ask: ['fs/read_text_file', inWork('missing.txt')(testing)] },
      ],
      {},
      {},
      async ({ session }) => {
        expect(await readFile(join(session.workDirectory, 'new/a.txt'), 'utf8')).toBe('1\n2\n3\n4\n');
      },
    );
    expect(messages.join('')).toContain('{"content":"2\\n3"}');
    expect(messages.join('')).toContain('there is no file');
  });

  it('reaches no file outside of it, by no way round', async () => {
    await using testing = await openTestingSession({
      settings: { command: `${process.execPath} ${program('scripted-agent')}` },
    });
    const { workDirectory } = testing.session;
    const secret = join(testing.folder, 'secret.txt');
    await writeFile(secret, 'secret words');
    await mkdir(join(testing.folder, 'work-too'));
    await symlink(testing.folder, join(workDirectory, 'link'));
    await symlink(join(testing.folder, 'made.txt'), join(workDirectory, 'dangling'));
    const paths = [
      secret,
      `${workDirectory}/../secret.txt`,
      join(workDirectory, 'link/secret.txt'),
      join(workDirectory, 'link/new/secret.txt'),
      join(testing.folder, 'work-too/a'),
      join(workDirectory, 'dangling'),
      'relative.txt',
    ];
    const steps = paths.flatMap((path) => [
      { ask: ['fs/read_text_file', { path }] },
      { ask: ['fs/write_text_file', { path, content: 'overwritten' }] },
    ]);
    await acp.drive({ ...testing.session, prompt: JSON.stringify(steps) });
    const messages = JSON.stringify(only(testing.events, 'message'));
    expect(messages).not.toContain('secret words');
    expect(messages.match(/code/g)).toHaveLength(2 * paths.length);
    expect(await readFile(secret, 'utf8')).toBe('secret words');
    await expect(readFile(join(testing.folder, 'made.txt'))).rejects.toThrow('ENOENT');
  });

  it('cannot open terminals without end, and has as many as it likes one after the other', async () => {
    const open = { ask: ['terminal/create', { command: 'true' }] };
    const { messages } = await follow([...Array.from({ length: 201 }, () => open)]);
    expect(messages.join('').match(/too many terminals/g)).toHaveLength(1);
    const inTurn = await follow(Array.from({ length: 205 }, () => ({ terminal: { command: 'true' } })));
    expect(inTurn.messages.join('')).not.toContain('too many terminals');
  });

  it('does not keep us waiting at a pipe', async () => {
    const { messages } = await follow((testing) => [
      { terminal: { command: 'mkfifo pipe' } },
      { ask: ['fs/read_text_file', inWork('pipe')(testing)] },
      { ask: ['fs/write_text_file', inWork('pipe', { content: 'x' })(testing)] },
      { ask: ['fs/read_text_file', inWork('.')(testing)] },
    ]);
    expect(messages.join('').match(/"code":-32\d\d\d/g)).toHaveLength(3);
  });

  it('is refused what there is not', async () => {
    const { messages, report } = await follow([
      { ask: ['editor/open', {}] },
      { ask: ['terminal/output', { terminalId: 'terminal-9' }] },
      { ask: ['terminal/create', {}] },
    ]);
    expect(messages.join('')).toBe(
      '{"code":-32601,"message":"there is no method editor/open"}' +
        '{"code":-32602,"message":"there is no such terminal"}{"code":-32602,"message":"command must be a string"}',
    );
    expect(report.completed).toBe(true);
  });

  it('is an agent of the protocol’s own library as well', async () => {
    await using testing = await openTestingSession({
      prompt: 'Do it:',
      settings: { command: `${process.execPath} ${program('sdk-agent')}` },
    });
    const report = await acp.drive(testing.session);
    expect(report).toMatchObject({ completed: true, reason: null, fault: undefined });
    expect(only(testing.events, 'tool-call', 'tool-result', 'message')).toMatchObject([
      { type: 'tool-call', shellCommand: 'echo from the terminal; exit 3' },
      { type: 'tool-result', exitCode: 3, result: 'from the terminal\n' },
      { type: 'message', text: 'Do it: 3 from the terminal\n' },
    ]);
    expect(await readFile(join(testing.session.workDirectory, 'made.txt'), 'utf8')).toBe('from the terminal\n');
  });
});
