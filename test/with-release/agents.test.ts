import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { eventsOf } from '../../src/domain/trace.ts';
import { type CommandResult, ended } from '../../src/testing/support/assay.ts';
import { toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';
import { executable } from './clean-root.ts';

const source = (path: string): Promise<string> => readFile(fileURLToPath(new URL(path, import.meta.url)), 'utf8');
const files = {
  'agent.mjs': await source('../../src/testing/support/mcp-agent.mjs'),
  'server.mjs': await source('../../src/testing/fakes/mcp/logging-server.mjs'),
};

it('records what an isolated agent asks of an MCP server, although its files lie in the HOME that is hidden', async () => {
  const home = await temporaryFolder();
  const folder = await toolProject({ scenario: '', script: '', files });
  const server = { command: 'node', args: [join(folder, 'server.mjs'), 'server.log'] };
  const scenario = toolScenario(
    '[{ type: file_exists, path: server.log }]',
    `mcp_servers: { notes: ${JSON.stringify(server)} }`,
  );
  await writeFiles(folder, {
    'scenario.yaml': scenario.replace('prompt: Create an item.', 'prompt: \'call echo {"text":"milk"}\''),
    'assay.config.yaml': JSON.stringify({
      isolation: 'bubblewrap',
      agent: 'mine',
      agents: { mine: { command: `node ${folder}/agent.mjs` } },
    }),
  });
  const run = (...args: readonly string[]): Promise<CommandResult> =>
    ended(spawn(executable, args, { cwd: folder, env: { PATH: `${folder}/bin:${process.env.PATH}`, HOME: home } }));
  const { exitCode, stdout } = await run('run', 'scenario.yaml', '--json');
  const [trial] = JSON.parse(stdout).trials;
  expect([exitCode, trial.outcome, trial.reason]).toEqual([0, 'pass', expect.any(String)]);
  const { trace } = JSON.parse((await run('show', trial.trialId, '--json')).stdout);
  const calls = eventsOf(trace, 'tool-call').filter(({ seenBy }) => seenBy === 'recorder');
  expect(calls).toMatchObject([{ tool: 'echo', input: { text: 'milk' } }]);
});
