import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ended, startAssay } from '../../src/testing/support/assay.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { listen } from '../../src/testing/support/http-server.ts';
import { unmarked } from '../../src/testing/support/problems.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const script = `
rules:
  - when: { last: /hello (\\w+)/i }
    reply: Good day {{match.1}}
  - when: { last: stall }
    fault: stall
  - when: { last: wait }
    delayMs: 600000
    reply: at last
`;

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
}

/** Starts the command and waits for the URL on its first line of output. */
async function running(args: readonly string[] = [], text = script): Promise<Running> {
  const cwd = await temporaryFolder({ 'script.yaml': text });
  const child = startAssay(['fake-model', 'script.yaml', ...args], { cwd });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (line) => resolve(String(line).trim()));
    child.once('close', (code) => reject(new Error(`ended with ${code}`)));
  });
  return { child, url };
}

function ask(url: string, content: string): Promise<Response> {
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] });
  return fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
}

describe('assay fake-model', () => {
  it('prints its URL and nothing else on stdout, and the settings of clients on stderr', async () => {
    const { child, url } = await running();
    const end = ended(child);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await (await ask(url, 'Hello Ada')).json()).toMatchObject({
      model: 'm',
      choices: [{ message: { content: 'Good day Ada' } }],
    });
    child.kill('SIGINT');
    const { exitCode, stderr } = await end;
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`  OPENAI_BASE_URL=${url}/v1\n`);
    expect(stderr).toContain(`  ANTHROPIC_BASE_URL=${url}\n`);
    expect(stderr).toContain(`  GOOGLE_GEMINI_BASE_URL=${url}\n`);
    expect(stderr).not.toContain('turn 1');
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'ends at once after %s, with requests under way',
    async (signal) => {
      const { child, url } = await running();
      const end = ended(child);
      const waiting = ['stall', 'wait'].map((text) => ask(url, text).catch(() => 'cut off'));
      await expect
        .poll(async () => (await (await fetch(`${url}/__log`)).json()) as unknown)
        .toMatchObject({ total: 2 });
      child.kill(signal);
      expect(await end).toMatchObject({ exitCode: 0, signal: null });
      expect(await Promise.all(waiting)).toEqual(['cut off', 'cut off']);
    },
  );

  it('tells on stderr which question no rule answers, and with --verbose every request', async () => {
    const { child, url } = await running(['--verbose']);
    const end = ended(child);
    await ask(url, 'Hello Ada');
    expect((await ask(url, 'Who are you?\u001b[2J\u009b2J\n')).status).toBe(500);
    child.kill('SIGTERM');
    const { stderr } = await end;
    expect(stderr).toContain('1 chat, model m, turn 1: rule 1\n');
    expect(stderr).toContain('2 chat: No rule of the script answers this (chat, model m, turn 1): "Who are you?');
    expect(stderr).not.toMatch(/[\u001b\u009b]/);
  });

  it('takes the port that it is given, and says so when it is taken', async () => {
    const taken = new URL(await listen(createServer(), 'http')).port;
    const cwd = await temporaryFolder({ 'script.yaml': script });
    const { exitCode, stdout, stderr } = await assay(['fake-model', 'script.yaml', '--port', taken], { cwd });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`Port ${taken} cannot be opened: it is in use.`);
  });
});

const badScripts: Readonly<Record<string, readonly [text: string, ...told: string[]]>> = {
  'no rules': ['▸model: m\n', '`rules` is missing'],
  'an empty list of rules': ['rules: ▸[]\n', '`rules` must have at least 1 item'],
  'an unknown key': ['▸rulez: []\n', 'unknown key `rulez`', 'Did you mean `rules`?'],
  'an unknown condition': [
    'rules:\n  - when: { ▸lst: a }\n    reply: x\n',
    'unknown key `lst`',
    'Did you mean `last`?',
  ],
  'an unknown API': [
    'rules:\n  - when: { path: ▸chats }\n    reply: x\n',
    '`rules[0].when.path` cannot be `chats`',
    'Did you mean `chat`?',
  ],
  'a bad pattern': [
    'rules:\n  - when: { last: ▸/(/ }\n    reply: x\n',
    'the regular expression cannot be used: missing closing )',
  ],
  'a flag without meaning': ['rules:\n  - when: { last: ▸/a/g }\n    reply: x\n', 'the flag `g` is not supported'],
  'a rule without effect': ['rules:\n  - ▸when: { last: a }\n', 'this rule does nothing', 'Give it a `reply`'],
  'an unknown fault': ['rules:\n  - fault: ▸rest\n', '`rules[0].fault` cannot be `rest`', 'Did you mean `reset`?'],
  'a fault of another kind': ['rules:\n  - fault: ▸7\n', '`rules[0].fault` must be one of `reset`, `stall`'],
  'an unknown key of a fault': [
    'rules:\n  - fault: { status: 429, ▸retryAftr: 1 }\n',
    'unknown key `retryAftr`',
    'Did you mean `retryAfter`?',
  ],
  'a status that is no error': [
    'rules:\n  - fault: { status: ▸200 }\n',
    '`rules[0].fault.status` must be at least 400',
  ],
  'an unknown key of a reply': ['rules:\n  - reply: { ▸jsn: 1 }\n', 'unknown key `jsn`', 'Did you mean `json`?'],
  'a reply of another kind': ['rules:\n  - reply: ▸7\n', '`rules[0].reply` must be text or an object, not a number'],
  'a misspelt placeholder': [
    'rules:\n  - reply: You said ▸{{lats}}\n',
    'unknown placeholder `{{lats}}`',
    'Did you mean `{{last}}`?',
  ],
  'a misspelt placeholder in an input': [
    'rules:\n  - toolCalls: [{ name: t, input: { a: ["x ▸{{macth.1}}"] } }]\n',
    'unknown placeholder `{{macth}}`',
  ],
  'broken YAML': ['rules:\n  - reply: ▸"x\n', ''],
};

describe('a script that cannot be used', () => {
  it.each(Object.entries(badScripts))('%s', async (_, [marked, ...told]) => {
    const { text, place } = unmarked(marked);
    const cwd = await temporaryFolder({ 'script.yaml': text });
    const { exitCode, stdout, stderr } = await assay(['fake-model', 'script.yaml'], { cwd });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`script.yaml:${place}: `);
    for (const words of told) expect(stderr).toContain(words);
  });

  it('is not there', async () => {
    const { exitCode, stderr } = await assay(['fake-model', 'missing.yaml'], { cwd: await temporaryFolder() });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('missing.yaml:1:1: ');
  });
});
