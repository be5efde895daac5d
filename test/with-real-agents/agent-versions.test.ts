import { join } from 'node:path';
import { expect, it } from 'vitest';
import { assay } from '../../src/testing/support/assay.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const versions: Readonly<Record<string, string>> = { before: '2.1.100', after: '2.1.200' };

const scenario = `name: Versions
description: Two versions of one agent
template_folder: template
target: { binary: sh, command_pattern: "sh" }
agents: [before, after]
task: { prompt: Say hello. }
evaluation: { gates: [{ type: file_exists, path: hello.txt }] }
`;

it('Claude Code is installed from npm in two versions for one scenario', async () => {
  const cwd = await temporaryFolder({
    'scenario.yaml': scenario,
    'template/README.md': '# Template\n',
    'assay.config.yaml': `agents:
  before: { kind: claude-code, version: ${versions.before} }
  after: { kind: claude-code, version: ${versions.after} }
`,
  });
  // Nothing listens on this port: the agents start, and only their model is missing.
  const env = {
    XDG_CACHE_HOME: join(cwd, 'cache'),
    ANTHROPIC_API_KEY: 'any',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
  };
  const run = JSON.parse((await assay(['run', 'scenario.yaml', '--json'], { cwd, env })).stdout);
  expect(run.trials).toHaveLength(2);
  for (const { trialId, variant, fault } of run.trials) {
    expect(fault).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    const { trace } = JSON.parse((await assay(['show', trialId, '--json'], { cwd, env })).stdout);
    const started = { type: 'agent-started', agent: variant.agent, version: versions[variant.agent] };
    expect(trace).toContainEqual(expect.objectContaining(started));
  }
  const listed = JSON.parse((await assay(['agents', '--json'], { cwd, env })).stdout);
  for (const [name, version] of Object.entries(versions)) {
    expect(listed).toContainEqual(expect.objectContaining({ name, version, isUsable: true }));
  }
}, 600_000);
