import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openTestingSession, type TestingSession } from '../../testing/fakes/agents/testing-session.ts';
import { only } from '../../testing/fakes/agents/testing-stream.ts';
import type { AgentReport } from './agent.ts';
import { command } from './command.ts';

type Request = NonNullable<Parameters<typeof openTestingSession>[0]>;

const fixture = (name: string): string => fileURLToPath(new URL(`./${name}.jsonl`, import.meta.url));

async function run(
  shellCommand: string,
  request: Request,
  look: (testing: TestingSession, report: AgentReport) => Promise<void> | void,
): Promise<void> {
  const settings = { command: shellCommand, ...request.settings };
  await using testing = await openTestingSession({ prompt: 'Do "it" now.', ...request, settings });
  await look(testing, await command.drive(testing.session));
}

describe('a command as an agent', () => {
  it('gets the prompt as its last argument, in a variable and on stdin, and what else there is to know', async () => {
    const settings = { args: ['--flag'], apiKey: 'sk', baseUrl: 'http://a/', env: { OWN: 'o' } };
    const print = `printf '%s|' "$ASSAY_PROMPT" "$ASSAY_MODEL" "$ASSAY_API_KEY" "$ASSAY_BASE_URL" "$OWN"; cat; printf '|%s'`;
    await run(print, { model: 'm', settings }, ({ events }, report) => {
      expect(events).toEqual([
        {
          type: 'output',
          seenBy: 'agent',
          channel: 'stdout',
          text: 'Do "it" now.|m|sk|http://a/|o|Do "it" now.|--flag|Do "it" now.\n',
          truncatedBytes: 0,
        },
      ]);
      expect(report).toMatchObject({ completed: true, reason: null, fault: undefined });
    });
  });

  it('works in the work directory', async () => {
    await run('pwd > here; true', {}, async ({ session }) => {
      expect(await readFile(join(session.workDirectory, 'here'), 'utf8')).toMatch(/work\n$/);
    });
  });

  it('gets a very long prompt on stdin only', async () => {
    const prompt = 'long '.repeat(60_000);
    await run('echo "$#" $(wc -c) ${ASSAY_PROMPT-none}; true', { prompt }, ({ events }) => {
      expect(events).toMatchObject([{ text: '0 300000 none\n' }]);
    });
  });

  it.each([
    ['claude-code/fixtures/ok', 'claude'],
    ['codex/fixtures/ok', 'codex'],
    ['pi/fixtures/ok', 'pi'],
    ['opencode/fixtures/ok', 'opencode'],
    ['acp/fixtures/copilot', 'acp'],
  ])('is read as what it prints: %s', async (name, format) => {
    const print = `echo Loading...; cat '${fixture(name)}'; true`;
    for (const settings of [{}, { format: 'auto' }, { format }]) {
      await run(print, { settings }, ({ events }, report) => {
        expect(only(events, 'tool-call')).toMatchObject([{ shellCommand: 'echo hello-from-tool && pwd && ls -a' }]);
        expect(report).toMatchObject({ completed: true, fault: undefined });
      });
    }
  });

  it('is read as text where the settings say so', async () => {
    await run(`cat '${fixture('pi/fixtures/ok')}'; true`, { settings: { format: 'text' } }, ({ events }) => {
      expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['output']));
    });
  });

  it('prints text in which all lines are kept in order, also very many of them', async () => {
    await run('echo one; echo two; seq 1 20000; true', {}, ({ events }) => {
      const text = only(events, 'output').map((event) => (event as { text: string }).text);
      expect(text.length).toBeGreaterThan(5);
      const numbers = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join('');
      expect(text.join('')).toBe(`one\ntwo\n${numbers}`);
    });
  });

  it('has what it says on stderr kept apart', async () => {
    await run('echo good; echo bad >&2; true', { settings: { format: 'text' } }, ({ events }) => {
      const outputs = only(events, 'output');
      expect(outputs).toHaveLength(2);
      expect(outputs).toContainEqual(expect.objectContaining({ channel: 'stdout', text: 'good\n' }));
      expect(outputs).toContainEqual(expect.objectContaining({ channel: 'stderr', text: 'bad\n' }));
    });
  });

  it('is judged when it fails after some work, and cannot be when it never began', async () => {
    await run('echo working; exit 3', {}, (_testing, report) => {
      expect(report).toMatchObject({ completed: false, reason: 'exit code 3', fault: undefined });
    });
    await run('echo "no module named agent" >&2; exit 3', {}, (_testing, report) => {
      expect(report.fault).toMatchObject({ code: 'AGENT_FAILED' });
    });
    await run('echo "Error: 401 Unauthorized" >&2; exit 1', {}, (_testing, report) => {
      expect(report.fault).toMatchObject({ code: 'MODEL_UNAUTHORIZED' });
    });
  });

  it('is stopped at the limit of turns where its output reports them', async () => {
    await run(`cat '${fixture('pi/fixtures/ok')}'; sleep 60; true`, { maxTurns: 1 }, (_testing, report) => {
      expect(report).toMatchObject({ completed: false, reason: 'stopped at the limit of 1 turn' });
    });
  });

  it('has to have a command, and a format that there is', async () => {
    await using testing = await openTestingSession();
    await expect(command.drive(testing.session)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await using other = await openTestingSession({ settings: { command: 'true', format: 'codecs' } });
    const driving = (async () => command.drive(other.session))();
    await expect(driving).rejects.toMatchObject({ code: 'CONFIG_INVALID', hint: 'Did you mean `codex`?' });
  });
});
