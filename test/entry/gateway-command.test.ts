import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assay, ended, startAssay } from '../../src/testing/support/assay.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const key = 'sk-of-the-user-0123456789';

it('records the calls of any program, keeps the key to itself, and ends cleanly', async () => {
  await using model = await startScriptedModel({
    apiKey: key,
    rules: [{ reply: 'Good day.', usage: { input: 12, output: 3 } }],
  });
  const cwd = await temporaryFolder();
  const args = ['gateway', '--upstream', `${model.url}/v1`, '--api', 'openai-chat', '--record', 'calls'];
  const child = startAssay(args, { cwd, env: { OPENAI_API_KEY: key } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const result = ended(child);
  let printed = '';
  child.stderr?.on('data', (text: string) => {
    printed += text;
  });
  const [address] = (await once(child.stdout ?? child, 'data')) as [string];
  const variables = Object.fromEntries(
    [...printed.matchAll(/^ {2}(\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]),
  );
  expect(Object.keys(variables)).toEqual(['OPENAI_BASE_URL', 'OPENAI_API_KEY']);
  expect(address).toBe(`${variables.OPENAI_BASE_URL}\n`);
  expect(printed).not.toContain(key);
  const send = (authorization: string) =>
    fetch(`${variables.OPENAI_BASE_URL}/chat/completions`, {
      method: 'POST',
      headers: { authorization },
      body: JSON.stringify({ model: 'gpt-x', messages: [{ role: 'user', content: 'Hello' }] }),
    });
  expect((await send(`Bearer ${variables.OPENAI_API_KEY}`)).status).toBe(200);
  // A key that the program brings itself is the provider's to judge.
  expect((await send('Bearer sk-another-key')).status).toBe(401);
  child.kill('SIGINT');
  const { exitCode, stderr } = await result;
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/1 openai-chat gpt-x: HTTP 200 in .+, 12 tokens in, 3 out\n/);
  expect(stderr).toMatch(/2 openai-chat gpt-x: HTTP 401: The API key is not the one that the script requires\./);
  const lines = readFileSync(join(cwd, 'calls/calls.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ type }) => type)).toEqual(['model-call', 'usage', 'model-call']);
  expect(readFileSync(join(cwd, 'calls', lines[0].files.request), 'utf8')).toContain('Hello');
});

it('says which API it takes an upstream for', async () => {
  const child = startAssay(['gateway', '--upstream', 'http://127.0.0.1:9/v1'], { cwd: await temporaryFolder() });
  onTestFinished(() => void child.kill('SIGKILL'));
  const result = ended(child);
  await once(child.stdout ?? child, 'data');
  child.kill('SIGINT');
  expect((await result).stderr).toMatch(
    /warning: --upstream without --api is taken for an OpenAI API\.\n {2}For another provider, use --api anthropic-messages or --api gemini\./,
  );
});

it.each([
  [['--api', 'soap'], '--api must be one of'],
  [['--upstream', 'ftp://a'], '--upstream must be an http or https URL, not "ftp://a"'],
  [['--port', 'x'], '--port'],
])('refuses %j', async (flags, message) => {
  const { exitCode, stderr } = await assay(['gateway', ...flags], { cwd: await temporaryFolder() });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});
