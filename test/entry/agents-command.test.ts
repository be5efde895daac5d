import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assay } from '../../src/testing/support/assay.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const brokenProgram = `#!/bin/sh
cat >&2 <<'END'
node:internal/modules/cjs/loader:1207
  throw err;
  ^

Error: Cannot find module 'missing-part'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1204:15)
    at Module._load (node:internal/modules/cjs/loader:1030:27)
END
exit 1
`;

async function listed(agents: object, files: Readonly<Record<string, string>> = {}, env = {}) {
  const folder = await temporaryFolder({ 'assay.config.yaml': JSON.stringify({ agents }), ...files });
  for (const name of Object.keys(files)) if (name.endsWith('.sh')) await chmod(join(folder, name), 0o755);
  await assayInProcess(['trust'], { cwd: folder });
  const { stdout } = await assay(['agents', '--json'], { cwd: folder, env });
  const all = JSON.parse(stdout) as { name: string; isUsable: boolean; problem: string | null }[];
  return (name: string) => all.find((agent) => agent.name === name);
}

describe('assay list agents', () => {
  it('does not tick what cannot run, and says why in one line', async () => {
    const find = await listed(
      {
        gone: { command: './nope.sh' },
        blocked: { command: './blocked.txt' },
        acp: { kind: 'acp', command: 'no-such-program --acp' },
        script: { kind: 'scripted', script: 'missing.yaml' },
        broken: { kind: 'codex', command: './broken.sh', apiKey: 'any' },
        blank: { kind: 'codex', command: './fine.sh', apiKey: ' ' },
        fine: { command: 'MODE=1 ./fine.sh --fast' },
      },
      { 'blocked.txt': 'text', 'broken.sh': brokenProgram, 'fine.sh': '#!/bin/sh\necho 99.0.0\n' },
      { OPENAI_API_KEY: ' ' },
    );
    const problems = ['gone', 'blocked', 'acp', 'script', 'broken', 'blank'].map(find);
    expect(problems.map((agent) => agent?.isUsable)).toEqual([false, false, false, false, false, false]);
    expect(find('fine')?.isUsable).toBe(true);
    expect(find('gone')?.problem).toContain('nope.sh does not exist');
    expect(find('blocked')?.problem).toContain('blocked.txt is not executable');
    expect(find('acp')?.problem).toContain('there is no `no-such-program` on PATH');
    expect(find('script')?.problem).toContain('missing.yaml');
    expect(find('broken')?.problem).toContain("Error: Cannot find module 'missing-part'");
    expect(find('broken')?.problem).not.toMatch(/\bat Module|node:internal|\n/);
    expect(find('blank')?.problem).toContain('has no key');
  });
});

describe('a scripted agent whose script does not exist', () => {
  const config = 'agent: demo\nagents:\n  demo: { kind: scripted, script: missing.yaml }\n';
  const scenario = toolScenario('[{ type: file_exists, path: out }]');

  it.each([['validate'], ['run', 'scenario.yaml']])('is a problem of the config for %s', async (...args) => {
    const folder = await toolProject({ scenario, script: 'steps: []', files: { 'assay.config.yaml': config } });
    const { exitCode, stderr } = await assayInProcess(args, { cwd: folder });
    expect(stderr).toContain('assay.config.yaml:3:35: the script `missing.yaml` of the agent "demo" does not exist');
    expect(exitCode).toBe(2);
  });
});

describe('a gate that cannot be evaluated', () => {
  it.each([
    ["{ type: file_matches, path: a, pattern: '[' }", 'Invalid regex pattern'],
    ["{ type: command_output_matches, command: ls, pattern: '(' }", 'Invalid regex pattern'],
    ["{ type: command_json_path, command: ls, path: '$[', assertion: exists }", 'Invalid JSON path'],
    ["{ type: command_json_path, command: ls, path: '$', assertion: 'is 5' }", 'Invalid assertion'],
  ])('is refused before anything runs: %s', async (gate, message) => {
    const folder = await toolProject({ scenario: toolScenario(`[${gate}]`), script: 'steps: []' });
    for (const args of [
      ['validate', 'scenario.yaml'],
      ['run', 'scenario.yaml'],
    ]) {
      const { exitCode, stderr } = await assayInProcess(args, { cwd: folder });
      expect(stderr).toMatch(/scenario\.yaml:10:\d+: /);
      expect(stderr).toContain(message);
      expect(exitCode).toBe(2);
    }
  });

  it('is refused among the evaluators too', async () => {
    const more = "evaluators: [{ type: file_matches, config: { path: a, pattern: '[' } }]\n";
    const folder = await toolProject({ scenario: toolScenario('[]', more), script: 'steps: []' });
    const { exitCode, stderr } = await assayInProcess(['validate', 'scenario.yaml'], { cwd: folder });
    expect(stderr).toContain('Invalid regex pattern');
    expect(exitCode).toBe(2);
  });
});

it('says of a tool that is not executable what to do', async () => {
  const scenario = toolScenario('[{ type: file_exists, path: out }]').replace('binary: my-tool', 'binary: ./plain');
  const folder = await toolProject({ scenario, script: 'steps: [./plain]', files: { plain: 'text' } });
  const { stdout } = await assayInProcess(['run', 'scenario.yaml', '--json'], { cwd: folder });
  const [{ fault }] = JSON.parse(stdout).trials;
  expect(fault.message).toContain('plain is not executable');
  expect(fault.hint).toContain('chmod +x');
});
