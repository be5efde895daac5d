import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ended, startAssay } from '../../src/testing/support/assay.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { reply, serve } from '../../src/testing/support/http-server.ts';
import { judgedScenario, secretKey } from '../../src/testing/support/judged-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const judge = { model: 'openai/gpt-4o', successCriteria: ['It names the capital.'] };
const html = { 'content-type': 'text/html' };
const json = { 'content-type': 'application/json' };
const chat = (content: unknown) =>
  JSON.stringify({ choices: [{ index: 0, message: { content }, finish_reason: 'stop' }] });

/** Ways in which a judge gives no verdict. */
const dead: Readonly<Record<string, RequestListener>> = {
  'status 500': reply(500, '{"error":{"message":"boom"}}', { ...json, 'retry-after': '0' }),
  'a page of HTML': reply(200, '<html>Sign in</html>', html),
  'an empty body': reply(200, '', json),
  'an empty reply': reply(200, chat(''), json),
  'a reply that is cut': reply(200, chat('{"criteria":[{"id":"succ'), json),
  'a closed connection': (request) => request.socket.destroy(),
};

/** Ways in which a judge keeps a run waiting. */
const hanging: Readonly<Record<string, RequestListener>> = {
  'accepts the connection and never answers': () => undefined,
  'sends headers and stops': (_, response) => response.writeHead(200, json).flushHeaders(),
  'sends a byte now and then': (_, response) => {
    response.writeHead(200, json);
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  },
};

async function judgedProject(baseUrl: string, config = '{}') {
  const tool = "export const answer = () => ({ text: 'Paris is the capital of France.' });\n";
  const files = { 's.json': judgedScenario(judge), 'tool.mjs': tool, 'assay.config.yaml': config };
  return { cwd: await temporaryFolder(files), env: { OPENAI_API_KEY: secretKey, OPENAI_BASE_URL: baseUrl } };
}

async function judgedBy(baseUrl: string, config?: string) {
  const { stdout, exitCode } = await assay(['run', 's.json', '--json'], await judgedProject(baseUrl, config));
  const [trial] = JSON.parse(stdout).trials;
  return { exitCode, outcome: trial.outcome, blame: trial.fault?.blame };
}

describe('a judge that gives no verdict is an error of its own, never a pass or a fail of the agent', () => {
  it.each(Object.entries(dead))('%s', async (_, answer) => {
    expect(await judgedBy(await serve(answer))).toEqual({
      exitCode: expect.any(Number),
      outcome: 'error',
      blame: expect.stringMatching(/^(?:judge|model)$/),
    });
  });

  it.each(Object.entries(hanging))('one that %s', async (_, answer) => {
    const config = 'models: { providers: { openai: { timeoutSecs: 0.3 } } }\n';
    expect(await judgedBy(await serve(answer), config)).toMatchObject({
      outcome: 'error',
      blame: expect.stringMatching(/^(?:judge|model)$/),
    });
  });

  it('no server at all', async () => {
    expect(await judgedBy('http://127.0.0.1:1')).toMatchObject({
      outcome: 'error',
      blame: expect.stringMatching(/^(?:judge|model)$/),
    });
  });
});

it('a run that waits for its judge ends when it is interrupted', async () => {
  const started: ChildProcess[] = [];
  const url = await serve(() => started[0]?.kill('SIGINT'));
  const child = startAssay(['run', 's.json'], await judgedProject(url));
  started.push(child);
  const { exitCode, stdout, stderr } = await ended(child);
  expect(exitCode).toBe(130);
  expect(stdout + stderr).not.toMatch(/\b1 (?:passed|failed)\b/);
});

/** Notes what keeps the process alive when it prints its summary. */
const probe = `import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
const { write } = process.stdout;
if (isMainThread) process.stdout.write = function (text, ...rest) {
  if (/ run r-\\d/.test(String(text))) writeFileSync('open.json', JSON.stringify(process.getActiveResourcesInfo()));
  return write.call(this, text, ...rest);
};
`;

it('a run leaves nothing open when it prints its summary, whatever its judges do', async () => {
  const providers: Record<string, object> = { refused: { baseUrl: 'http://127.0.0.1:1/v1', timeoutSecs: 0.5 } };
  for (const [name, answer] of Object.entries({ ...dead, ...hanging }))
    providers[name.replaceAll(' ', '-')] = { baseUrl: await serve(answer), apiKey: 'any', timeoutSecs: 0.3 };
  const names = Object.keys(providers);
  const scenarios = names.map((name) => [
    `${name}.json`,
    JSON.stringify({ ...JSON.parse(judgedScenario({ ...judge, model: `${name}/m` })), name }),
  ]);
  const cwd = await temporaryFolder({
    ...Object.fromEntries(scenarios),
    'tool.mjs': "export const answer = () => ({ text: 'Paris is the capital of France.' });\n",
    'assay.config.yaml': JSON.stringify({ models: { providers } }),
    'probe.mjs': probe,
  });
  const files = names.map((name) => `${name}.json`);
  const env = { NODE_OPTIONS: `--import=${pathToFileURL(join(cwd, 'probe.mjs'))}` };
  const { stdout } = await ended(startAssay(['run', ...files], { cwd, env }));
  expect(stdout).toContain(`${names.length} could not be judged`);
  const left: string[] = JSON.parse(await readFile(join(cwd, 'open.json'), 'utf8'));
  expect(left.filter((kind) => kind !== 'PipeWrap')).toEqual([]);
});
