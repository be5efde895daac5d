import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { runTool, toolEnvironment, toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';
import { writeFiles } from '../../src/testing/support/temporary-folder.ts';

const gates = '[{ type: file_exists, path: started }]';
const init = JSON.stringify({ type: 'system', subtype: 'init', session_id: 's', model: 'm', tools: [] });
const result = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'done', session_id: 's' });

/** Installs a program that prints its version, and notes each call; it knows all versions except 9.9.9. */
const npm = `#!/bin/sh
echo "$@" >> "$(dirname "$0")/../npm.log"
for package; do :; done
version=\${package##*@}
if [ "$version" = 9.9.9 ]; then
  echo "npm error code ETARGET" >&2
  echo "npm error notarget No matching version found for $package." >&2
  exit 1
fi
mkdir -p node_modules/.bin
cat > node_modules/.bin/claude <<END
#!/bin/sh
[ "\\$1" = --version ] && { echo "$version (Claude Code)"; exit 0; }
touch started
my-tool list
echo '${init}'
echo '${result}'
END
chmod +x node_modules/.bin/claude
`;

async function project(config: string): Promise<{ folder: string; env: Record<string, string> }> {
  const scenario = toolScenario(gates, 'agents: [old, new]\n');
  const folder = await toolProject({ scenario, script: '' });
  await writeFiles(folder, { 'bin/npm': npm, 'assay.config.yaml': config });
  await chmod(join(folder, 'bin/npm'), 0o755);
  const env = { ...toolEnvironment(folder), XDG_CACHE_HOME: join(folder, 'cache'), ANTHROPIC_API_KEY: 'any' };
  return { folder, env };
}

const pinned = (old: string, recent: string): string =>
  `agents:\n  old: { kind: claude-code, version: ${old} }\n  new: { kind: claude-code, version: ${recent} }\n`;

const calls = async (folder: string): Promise<string[]> =>
  (await readFile(join(folder, 'npm.log'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');

describe('an agent with a version', () => {
  it('is installed once, used for its trials and named in their traces, two versions in one scenario', async () => {
    const { folder, env } = await project(pinned('2.1.100', '2.1.200'));
    const { trials, stderr } = await runTool(folder, [], env);
    expect({ outcomes: trials.map(({ outcome }) => outcome), stderr }).toMatchObject({ outcomes: ['pass', 'pass'] });
    for (const { trialId, variant } of trials) {
      const { stdout } = await assay(['show', trialId, '--json'], { cwd: folder, env });
      const version = variant.agent === 'old' ? '2.1.100' : '2.1.200';
      const started = expect.objectContaining({ type: 'agent-started', agent: variant.agent, version });
      expect(JSON.parse(stdout).trace).toContainEqual(started);
    }
    const installed = await calls(folder);
    expect(installed).toHaveLength(2);
    expect(installed.every((line) => line.includes('@anthropic-ai/claude-code@2.1.'))).toBe(true);
    // The second run needs neither npm nor a network.
    await writeFile(join(folder, 'bin/npm'), '#!/bin/sh\nexit 1\n');
    expect((await runTool(folder, [], env)).trials.map(({ outcome }) => outcome)).toEqual(['pass', 'pass']);
    expect((await readdir(join(folder, 'cache/assay/agents'))).sort()).toEqual([
      'claude-code-2.1.100',
      'claude-code-2.1.200',
    ]);
  });

  it('is listed with its state, and neither a list nor a dry run installs anything', async () => {
    const { folder, env } = await project(pinned('2.1.100', '2.1.200'));
    const listed = await assay(['agents'], { cwd: folder, env });
    expect(listed.stdout).toContain('The agent "claude-code" in version 2.1.100 is not installed yet.');
    expect((await assay(['run', 'scenario.yaml', '--dry-run'], { cwd: folder, env })).exitCode).toBe(0);
    expect(await calls(folder)).toEqual([]);
    await runTool(folder, [], env);
    const after = JSON.parse((await assay(['agents', '--json'], { cwd: folder, env })).stdout);
    expect(after).toContainEqual(expect.objectContaining({ name: 'old', isUsable: true, version: '2.1.100' }));
  });

  it('that cannot be had is an error that names the cause and the way out, and leaves nothing behind', async () => {
    const { folder, env } = await project(pinned('9.9.9', '2.1.200'));
    const { trials, exitCode } = await runTool(folder, [], env);
    const failed = trials.find(({ variant }) => variant.agent === 'old');
    expect(failed).toMatchObject({
      outcome: 'error',
      fault: {
        code: 'AGENT_MISSING',
        message: expect.stringContaining(
          'The agent "claude-code" in version 9.9.9 could not be installed: notarget No matching version found',
        ),
      },
    });
    expect(trials.find(({ variant }) => variant.agent === 'new')?.outcome).toBe('pass');
    expect(exitCode).toBe(3);
    expect(await readdir(join(folder, 'cache/assay/agents'))).toEqual(['claude-code-2.1.200']);
  });

  it('that prints another version is not used', async () => {
    const { folder, env } = await project(pinned('2.1.100', '2.1.200'));
    await runTool(folder, [], env);
    const cache = join(folder, 'cache/assay/agents');
    await rm(join(cache, 'claude-code-2.1.100'), { recursive: true });
    await mkdir(join(cache, 'claude-code-2.1.100/node_modules/.bin'), { recursive: true });
    const swapped = join(cache, 'claude-code-2.1.100/node_modules/.bin/claude');
    await writeFile(swapped, await readFile(join(cache, 'claude-code-2.1.200/node_modules/.bin/claude')), {
      mode: 0o755,
    });
    const { trials } = await runTool(folder, [], env);
    expect(trials.find(({ variant }) => variant.agent === 'old')).toMatchObject({
      outcome: 'error',
      fault: { message: expect.stringContaining('is pinned to version 2.1.100') },
    });
  });

  it('must be a package, without a command, in an exact version', async () => {
    const { folder, env } = await project(
      'agents:\n  old: { kind: acp, command: ./a.sh, version: 1.0.0 }\n  new: { kind: codex, version: latest }\n',
    );
    const refused = await assay(['agents'], { cwd: folder, env });
    expect(refused.stderr).toContain('an exact version, such as `1.2.3`');
    await writeFiles(folder, {
      'assay.config.yaml': 'agents: { old: { kind: acp, command: ./a.sh, version: 1.0.0 } }\n',
    });
    await assay(['trust'], { cwd: folder, env });
    const { stdout } = await assay(['agents'], { cwd: folder, env });
    expect(stdout).toContain('The agent "acp" cannot have a `version`: it has a `command`.');
  });
});
