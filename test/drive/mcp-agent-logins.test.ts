import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { eventsOf, type Trace } from '../../src/domain/trace.ts';
import { confidentialClient } from '../../src/testing/fakes/oauth/authorization-server.ts';
import { startProtectedServer } from '../../src/testing/fakes/oauth/protected-server.ts';
import { assay } from '../../src/testing/support/assay.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import {
  type ToolTrial,
  toolEnvironment,
  toolProject,
  toolScenario,
} from '../../src/testing/support/cli-tool-project.ts';
import { filesWith, logIn, machineWithKeyring } from '../../src/testing/support/mcp-logins.ts';
import { keys, scripted } from '../../src/testing/support/models.ts';
import { writeFiles } from '../../src/testing/support/temporary-folder.ts';

const agent = await readFile(
  fileURLToPath(new URL('../../src/testing/support/mcp-agent.mjs', import.meta.url)),
  'utf8',
);

/** A project whose agent, whose model and whose CLI tool use the same server behind a login. */
async function projectOf(url: string, oauth?: object): Promise<string> {
  const servers = { files: { url, ...(oauth && { oauth }) } };
  const scenario = toolScenario('[]', `mcp_servers: ${JSON.stringify(servers)}`);
  const task = 'prompt: |-\n    call read\n    call echo';
  const folder = await toolProject({ scenario: scenario.replace('prompt: Create an item.', task), script: '' });
  const steps = [{ user: 'call read\ncall echo', expectTools: ['read', 'echo'] }];
  await writeFiles(folder, {
    'agent.mjs': agent,
    'assay.config.yaml': JSON.stringify({ agent: 'mine', agents: { mine: { command: `node ${folder}/agent.mjs` } } }),
    'agent.json': JSON.stringify({ server: { url }, agents: ['mine'], workflows: [{ name: 'Agent', steps }] }),
    'model.json': JSON.stringify({ server: { url }, model: 'openai/gpt-4o', workflows: [{ name: 'Model', steps }] }),
  });
  return folder;
}

it('a login is used for the servers of agents and of models, none of which get to know its tokens', async () => {
  const server = await startProtectedServer();
  const cwd = await projectOf(server.url);
  const model = await scripted({
    rules: [
      { when: { turn: 1 }, toolCalls: [{ name: 'read' }] },
      { when: { turn: 2 }, toolCalls: [{ name: 'echo' }] },
      { reply: 'Done.' },
    ],
  });
  const keyring = await machineWithKeyring();
  const env = { ...toolEnvironment(cwd), ...keyring, ...model.environment, ...keys };
  const run = async (...files: string[]): Promise<{ trials: ToolTrial[]; printed: string }> => {
    const { stdout, stderr } = await assay(['run', ...files, '--json', '-o', 'report.html'], { cwd, env });
    if (!stdout.startsWith('{')) throw new Error(stderr);
    return { trials: (JSON.parse(stdout) as { trials: ToolTrial[] }).trials, printed: stdout + stderr };
  };
  const traceOf = async (trial: ToolTrial | undefined): Promise<Trace> =>
    JSON.parse((await assayInProcess(['show', trial?.trialId ?? '', '--json'], { cwd })).stdout).trace;

  const before = await run('agent.json');
  expect(before.trials).toMatchObject([{ outcome: 'error', fault: { code: 'MCP_LOGIN_REQUIRED' } }]);
  expect(server.methods).toEqual([]);
  expect(eventsOf(await traceOf(before.trials[0]), 'agent-ended')).toEqual([]);

  const login = await logIn(['scenario.yaml'], cwd, env);
  expect(login.stdout).toContain(`Logged in to ${server.url} at`);
  // The first request has to renew the token.
  server.authorization.expireAccess();
  const after = await run('agent.json', 'model.json', 'scenario.yaml');
  const [byAgent, byModel, withTool] = after.trials;
  expect([byAgent?.outcome, byModel?.outcome]).toEqual(['pass', 'pass']);
  const results = eventsOf(await traceOf(byAgent), 'tool-result');
  expect(results.map(({ result }) => JSON.stringify(result))).toEqual([
    expect.stringContaining('done'),
    expect.stringContaining('token [redacted] [redacted]'),
  ]);
  const called = eventsOf(await traceOf(withTool), 'tool-call').filter(({ seenBy }) => seenBy === 'recorder');
  expect(called.map(({ tool }) => tool)).toEqual(['read', 'echo']);

  const { secrets } = server.authorization;
  expect(secrets.size).toBeGreaterThan(3);
  expect(await filesWith(cwd, secrets)).toEqual([]);
  const output = before.printed + after.printed + JSON.stringify(model.log());
  expect([...secrets].filter((secret) => output.includes(secret))).toEqual([]);
});

it('a server of a CLI tool gets its token as its `oauth` says, and neither agent nor files get the secret', async () => {
  const server = await startProtectedServer();
  const cwd = await projectOf(server.url, {
    grant: 'client-credentials',
    clientId: confidentialClient.id,
    clientSecretEnv: 'OF_THE_CLIENT',
    issuer: server.issuer,
  });
  const run = async (secret: string) => {
    const env = { ...toolEnvironment(cwd), ASSAY_KEYRING: 'off', OF_THE_CLIENT: secret };
    const { stdout, stderr } = await assay(['run', 'scenario.yaml', '--json'], { cwd, env });
    if (!stdout.startsWith('{')) throw new Error(stderr);
    return { trial: (JSON.parse(stdout) as { trials: ToolTrial[] }).trials[0], printed: stdout + stderr };
  };
  const refused = await run('not-the-right-one');
  expect(refused.trial).toMatchObject({ outcome: 'error', fault: { code: 'MCP_SERVER_REFUSED' } });
  expect(server.methods).toEqual([]);
  const { trial, printed } = await run(confidentialClient.secret);
  expect(trial?.fault?.code).toBe('NOTHING_ASSERTED');
  expect(server.methods.filter((method) => method === 'tools/call')).toHaveLength(2);
  const { secrets } = server.authorization;
  expect(await filesWith(cwd, [...secrets, 'not-the-right-one'])).toEqual([]);
  expect([...secrets, 'not-the-right-one'].filter((secret) => (refused.printed + printed).includes(secret))).toEqual(
    [],
  );
});
