import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { acp } from './acp/acp.ts';
import type { AgentKind, AgentSettings, FoundAgent } from './agent.ts';
import { agentEnvironment } from './agent-environment.ts';
import { command } from './command.ts';
import { findAgent } from './find-agent.ts';
import { isOlder } from './is-older.ts';
import { opencode } from './opencode/opencode.ts';
import { pi } from './pi/pi.ts';

const none: AgentSettings = { env: {}, args: [] };
const withKey = { OPENAI_API_KEY: 'sk' };

interface Sought {
  readonly kind?: AgentKind;
  readonly settings?: Partial<AgentSettings>;
  readonly env?: Record<string, string>;
}

/** Looks for an agent with a PATH on which its program is this script. */
async function find(
  script: string | undefined,
  { kind = opencode, settings, env = withKey }: Sought,
): Promise<FoundAgent> {
  const folder = await mkdtemp(join(tmpdir(), "assay's find-"));
  try {
    // A folder of the program's name, earlier on PATH, is not a program.
    await mkdir(join(folder, 'first/opencode'), { recursive: true });
    const program = join(folder, 'opencode');
    if (script !== undefined) await writeFile(program, `#!/bin/sh\n${script}\n`);
    if (script !== undefined) await chmod(program, 0o755);
    const path = `relative:${join(folder, 'first')}:${folder}:/usr/bin:/bin`;
    return await findAgent(kind, { ...none, ...settings }, { env: { PATH: path, ...env } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('looking for an agent', () => {
  it('finds its program on PATH, and its version', async () => {
    const found = await find('[ "$1" = --version ] && echo "opencode v1.18.33 (linux)"', {});
    expect(found).toMatchObject({ version: '1.18.33', kind: opencode });
    expect(found.program).toMatch(/\/opencode$/);
  });

  it('says how to get one that is not there', async () => {
    await expect(find(undefined, {})).rejects.toMatchObject({
      code: 'AGENT_MISSING',
      message: 'The agent "opencode" is not installed: there is no `opencode` on PATH.',
      hint: 'Install it: npm install -g opencode-ai',
    });
  });

  it('says why one cannot be started', async () => {
    await expect(find('echo "needs Node 22" >&2; exit 1', {})).rejects.toMatchObject({
      code: 'AGENT_MISSING',
      message: expect.stringContaining('failed: needs Node 22'),
    });
  });

  it('refuses one that is too old', async () => {
    await expect(find('echo 0.9.12', {})).rejects.toMatchObject({
      code: 'AGENT_TOO_OLD',
      message: expect.stringContaining('version 0.9.12 is installed, and the oldest supported version is 1.0.0'),
    });
  });

  it('says of a version that the config pins what to change there', async () => {
    const cache = await temporaryFolder({
      'assay/agents/opencode-0.9.12/node_modules/.bin/opencode': '#!/bin/sh\necho 0.9.12\n',
    });
    await chmod(join(cache, 'assay/agents/opencode-0.9.12/node_modules/.bin/opencode'), 0o755);
    const env = { ...withKey, XDG_CACHE_HOME: cache };
    await expect(find(undefined, { settings: { version: '0.9.12' }, env })).rejects.toMatchObject({
      code: 'AGENT_TOO_OLD',
      hint: 'Set a newer `version` of the agent in the config.',
    });
  });

  it.each([
    ['0.73.1', '@mariozechner/pi-coding-agent'],
    ['0.74.0', '@earendil-works/pi-coding-agent'],
  ])('installs pi %s from the package that has it', async (version, name) => {
    const folder = await temporaryFolder({ npm: '#!/bin/sh\nexit 1\n' });
    await chmod(join(folder, 'npm'), 0o755);
    const env = { ...withKey, PATH: `${folder}:/usr/bin:/bin`, XDG_CACHE_HOME: folder };
    await expect(find(undefined, { kind: pi, settings: { version }, env })).rejects.toMatchObject({
      code: 'AGENT_MISSING',
      hint: expect.stringContaining(`npm view ${name} versions`),
    });
  });

  it('accepts one that prints no version', async () => {
    expect(await find('echo unknown', {})).toMatchObject({ version: null });
  });

  it('asks a command of the settings for its version', async () => {
    const found = await find(undefined, { settings: { command: "echo 'wrapped 2.3.4'" } });
    expect(found).toMatchObject({ program: 'opencode', version: '2.3.4' });
    await expect(find(undefined, { settings: { command: 'no-such-program' } })).rejects.toMatchObject({
      code: 'AGENT_MISSING',
    });
  });

  it('does not hand keys or the home to the question for the version', async () => {
    const found = await find('[ -z "$OPENAI_API_KEY$SECRET" ] && [ "$HOME" != /root ] && echo 1.0.0', {
      env: { ...withKey, SECRET: 'x', HOME: '/root' },
    });
    expect(found.version).toBe('1.0.0');
  });

  it('wants a key, wherever it comes from', async () => {
    await expect(find('echo 1.0.0', { env: {} })).rejects.toMatchObject({
      code: 'AGENT_NO_KEY',
      hint: expect.stringContaining('Set `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`'),
    });
    for (const given of [
      { env: { ANTHROPIC_API_KEY: 'k' } },
      { env: {}, settings: { apiKey: 'k' } },
      { env: {}, settings: { env: { OPENROUTER_API_KEY: 'k' } } },
    ]) {
      expect(await find('echo 1.0.0', given)).toMatchObject({ version: '1.0.0' });
    }
  });

  it.each([acp, command])('wants the command of the kind $name, and starts nothing', async (kind) => {
    await expect(find(undefined, { kind, env: {} })).rejects.toMatchObject({ code: 'AGENT_MISSING' });
    const found = await find(undefined, { kind, env: {}, settings: { command: 'exit 9' } });
    expect(found).toMatchObject({ program: kind.name, version: null });
  });

  it.each([
    ['1.2.3', '1.2.3', false],
    ['1.2.3', '1.10.0', true],
    ['2.0', '1.9.9', false],
    ['1.0.0-beta.2', '1.0.0', false],
    ['0.166.0', '1.0.0', true],
  ])('knows whether %s is older than %s', (version, than, expected) => {
    expect(isOlder(version, than)).toBe(expected);
  });
});

describe('the environment of an agent', () => {
  it('has what its kind may inherit and what the settings give, and nothing else', () => {
    const env = { OPENAI_API_KEY: 'inherited', ANTHROPIC_API_KEY: 'a', JUDGE_KEY: 'j', AWS_SECRET_ACCESS_KEY: 's' };
    expect(agentEnvironment(opencode, { ...none, env: { EXTRA: 'x' } }, env)).toEqual({
      OPENAI_API_KEY: 'inherited',
      ANTHROPIC_API_KEY: 'a',
      EXTRA: 'x',
    });
    expect(agentEnvironment(command, { ...none, env: { EXTRA: 'x' }, apiKey: 'k' }, env)).toEqual({ EXTRA: 'x' });
  });

  it('has the key of the settings under the first name of the kind', () => {
    const env = { OPENAI_API_KEY: 'inherited' };
    expect(agentEnvironment(opencode, { ...none, apiKey: 'own' }, env)).toEqual({ OPENAI_API_KEY: 'own' });
  });
});
