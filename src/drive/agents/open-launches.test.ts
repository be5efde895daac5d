import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { openTestingSession, type TestingSession } from '../../testing/fakes/agents/testing-session.ts';
import { only } from '../../testing/fakes/agents/testing-stream.ts';
import type { AgentKind, AgentMcpServer, AgentReport } from './agent.ts';
import { cline } from './cline/cline.ts';
import { continueAgent } from './continue/continue.ts';
import { copilot } from './copilot/copilot.ts';
import { kimi } from './kimi/kimi.ts';
import { opencode } from './opencode/opencode.ts';
import { pi } from './pi/pi.ts';

const key = 'sk-very-secret';
const baseUrl = 'http://127.0.0.1:9/v1';
const mcpServers: Record<string, AgentMcpServer> = {
  files: { command: 'mcp-files', args: ['--root', '.'], env: { A: 'b' } },
  web: { url: 'https://mcp.example/', headers: { 'X-Key': 'k' } },
};

interface Started {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As the program saw it while it ran. */
  readonly homeFile: (name: string) => Promise<string>;
  readonly testing: TestingSession;
  readonly report: AgentReport;
}

type Request = NonNullable<Parameters<typeof openTestingSession>[0]>;

/** Drives the kind with a program that keeps how it was started and then prints a good stream. */
async function drive(
  kind: AgentKind,
  request: Request,
  look: (started: Started) => Promise<void> | void,
): Promise<void> {
  const fixture = fileURLToPath(new URL(`./${kind.name}/fixtures/ok.jsonl`, import.meta.url));
  const kept = 'printf "%s\\0" "$@" > ../argv; env -0 > ../env; cat > ../stdin; cp -Rp "$HOME" ../seen';
  await using testing = await openTestingSession({
    script: `${kept}; cat '${fixture}'`,
    model: 'some-model',
    ...request,
  });
  const report = await kind.drive(testing.session);
  const zeroEnded = async (name: string): Promise<string[]> =>
    (await readFile(join(testing.folder, name), 'utf8')).split('\0').slice(0, -1);
  const pairs = (await zeroEnded('env')).map((text) => [text.split('=', 1)[0], text.slice(text.indexOf('=') + 1)]);
  await look({
    argv: await zeroEnded('argv'),
    env: Object.fromEntries(pairs),
    homeFile: (name) => readFile(join(testing.folder, 'seen', name), 'utf8'),
    testing,
    report,
  });
}

const full: Request = { mcpServers, settings: { apiKey: key, baseUrl, args: ['--extra', 'x'] } };
const prompt = 'Do the task.';
const kinds = [opencode, pi, copilot, kimi, cline, continueAgent];

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe('how an agent with a free choice of models is started', () => {
  it.each(kinds)('$name does its task and is read to its end', async (kind) => {
    await drive(kind, full, ({ report, testing }) => {
      expect(report).toMatchObject({ completed: true, reason: null, fault: undefined });
      expect(only(testing.events, 'message').at(-1)).toMatchObject({ text: 'DONE: the tool printed hello-from-tool.' });
    });
  });

  it('opencode', async () => {
    await drive(opencode, full, async ({ argv, env, homeFile, testing }) => {
      expect(argv).toEqual(['run', '--format', 'json', '--extra', 'x']);
      expect(await readFile(join(testing.folder, 'stdin'), 'utf8')).toBe(prompt);
      const { home } = testing.session;
      expect(env).toMatchObject({
        OPENAI_API_KEY: key,
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        XDG_CONFIG_HOME: join(home, '.config'),
        XDG_DATA_HOME: join(home, '.local/share'),
      });
      expect(JSON.parse(await homeFile('.config/opencode/opencode.json'))).toEqual({
        autoupdate: false,
        share: 'disabled',
        permission: 'allow',
        model: 'assay/some-model',
        small_model: 'assay/some-model',
        provider: {
          assay: {
            npm: '@ai-sdk/openai-compatible',
            name: 'assay',
            options: { baseURL: baseUrl, apiKey: '{env:OPENAI_API_KEY}' },
            models: { 'some-model': { name: 'some-model' } },
          },
        },
        mcp: {
          files: { type: 'local', command: ['mcp-files', '--root', '.'], environment: { A: 'b' }, enabled: true },
          web: { type: 'remote', url: 'https://mcp.example/', headers: { 'X-Key': 'k' }, enabled: true },
        },
      });
    });
  });

  it('opencode with a configured provider', async () => {
    await drive(opencode, { model: 'anthropic/claude' }, async ({ homeFile }) => {
      const config = JSON.parse(await homeFile('.config/opencode/opencode.json'));
      expect(config).toMatchObject({ model: 'anthropic/claude' });
      expect(config).not.toHaveProperty('provider');
    });
  });

  it('pi', async () => {
    await drive(pi, full, async ({ argv, env, homeFile, testing }) => {
      expect(argv).toEqual([
        ...['-p', '--mode', 'json', '--no-session', '--provider', 'assay', '--model', 'some-model'],
        ...['--extra', 'x', prompt],
      ]);
      expect(env).toMatchObject({
        OPENAI_API_KEY: key,
        PI_OFFLINE: '1',
        PI_CODING_AGENT_DIR: join(testing.session.home, '.pi/agent'),
      });
      expect(JSON.parse(await homeFile('.pi/agent/models.json'))).toEqual({
        providers: {
          assay: {
            baseUrl,
            api: 'openai-completions',
            apiKey: '!printenv OPENAI_API_KEY',
            models: [{ id: 'some-model' }],
          },
        },
      });
      expect(only(testing.events, 'notice')).toMatchObject([{ message: expect.stringContaining('MCP') }]);
    });
  });

  it('pi with a configured provider', async () => {
    await drive(pi, { model: 'anthropic/claude' }, ({ argv }) => {
      expect(argv).toEqual(['-p', '--mode', 'json', '--no-session', '--model', 'anthropic/claude', prompt]);
    });
  });

  it('copilot', async () => {
    await drive(copilot, full, async ({ argv, env, homeFile, testing }) => {
      expect(argv).toEqual([
        ...[
          '--allow-all-tools',
          '--allow-all-paths',
          '--output-format',
          'json',
          '--no-auto-update',
          '--disable-client-telemetry',
        ],
        ...['--additional-mcp-config', `@${join(testing.session.home, 'mcp.json')}`, '--extra', 'x'],
        `--prompt=${prompt}`,
      ]);
      expect(env).toMatchObject({
        COPILOT_PROVIDER_BASE_URL: baseUrl,
        COPILOT_PROVIDER_TYPE: 'openai',
        COPILOT_PROVIDER_API_KEY: key,
        COPILOT_MODEL: 'some-model',
        COPILOT_OFFLINE: 'true',
      });
      expect(JSON.parse(await homeFile('mcp.json'))).toEqual({
        mcpServers: {
          files: { type: 'local', ...mcpServers.files, tools: ['*'] },
          web: { type: 'http', ...mcpServers.web, tools: ['*'] },
        },
      });
    });
  });

  it('copilot with the models of GitHub', async () => {
    await drive(copilot, { model: 'gpt-5' }, ({ argv, env }) => {
      expect(argv.slice(-3, -1)).toEqual(['--model', 'gpt-5']);
      expect(env).not.toHaveProperty('COPILOT_OFFLINE');
    });
  });

  it('kimi', async () => {
    await drive(kimi, full, async ({ argv, env, homeFile, testing }) => {
      expect(argv).toEqual(['-p', prompt, '--output-format', 'stream-json', '-m', 'assay', '--extra', 'x']);
      expect(env).toMatchObject({ KIMI_CODE_HOME: join(testing.session.home, '.kimi-code') });
      expect(parseToml(await homeFile('.kimi-code/config.toml'))).toEqual({
        default_model: 'assay',
        telemetry: false,
        providers: { assay: { type: 'openai', base_url: baseUrl, api_key: key } },
        models: { assay: { provider: 'assay', model: 'some-model', max_context_size: 128_000 } },
      });
      expect(JSON.parse(await homeFile('.kimi-code/mcp.json'))).toEqual({ mcpServers });
    });
  });

  it.each([
    ['KIMI_API_KEY', 'https://api.kimi.com/coding/v1'],
    ['MOONSHOT_API_KEY', 'https://api.moonshot.ai/v1'],
  ])('kimi with the models of Moonshot, by %s', async (variable, base_url) => {
    await drive(kimi, { settings: { env: { [variable]: key } }, model: undefined }, async ({ homeFile }) => {
      expect(parseToml(await homeFile('.kimi-code/config.toml'))).toMatchObject({
        providers: { assay: { type: 'kimi', base_url, api_key: key } },
        models: { assay: { model: 'kimi-for-coding' } },
      });
    });
  });

  it('cline', async () => {
    await drive(cline, full, async ({ argv, env, homeFile, testing }) => {
      expect(argv).toEqual(['--json', '-P', 'openai-compatible', '-m', 'some-model', '--extra', 'x', '--', prompt]);
      expect(env).toMatchObject({ CLINE_DATA_DIR: join(testing.session.home, '.cline/data') });
      expect(JSON.parse(await homeFile('.cline/data/settings/providers.json'))).toMatchObject({
        version: 1,
        lastUsedProvider: 'openai-compatible',
        providers: {
          'openai-compatible': {
            settings: { provider: 'openai-compatible', apiKey: key, model: 'some-model', baseUrl },
            tokenSource: 'manual',
          },
        },
      });
      expect(JSON.parse(await homeFile('.cline/data/settings/cline_mcp_settings.json'))).toEqual({
        mcpServers: {
          files: { type: 'stdio', ...mcpServers.files },
          web: { type: 'streamableHttp', ...mcpServers.web },
        },
      });
    });
  });

  it('continue', async () => {
    await drive(continueAgent, { ...full, maxTurns: 3 }, async ({ argv, env, homeFile, testing }) => {
      const config = join(testing.session.home, '.continue/config.yaml');
      expect(argv).toEqual(['-p', '--auto', '--format', 'json', '--config', config, '--extra', 'x', '--', prompt]);
      expect(env).toMatchObject({ CONTINUE_GLOBAL_DIR: join(testing.session.home, '.continue') });
      expect(parseYaml(await homeFile('.continue/config.yaml'))).toMatchObject({
        schema: 'v1',
        models: [
          { provider: 'openai', model: 'some-model', apiBase: baseUrl, apiKey: key, capabilities: ['tool_use'] },
        ],
        mcpServers: [
          { name: 'files', type: 'stdio', command: 'mcp-files', args: ['--root', '.'], env: { A: 'b' } },
          {
            name: 'web',
            type: 'streamable-http',
            url: 'https://mcp.example/',
            requestOptions: { headers: { 'X-Key': 'k' } },
          },
        ],
      });
      expect(only(testing.events, 'notice')).toMatchObject([{ message: expect.stringContaining('turns') }]);
    });
  });

  it.each(kinds)('$name has no key among its arguments, and leaves none in its home', async (kind) => {
    await drive(kind, full, async ({ argv, testing }) => {
      expect(argv.join(' ')).not.toContain(key);
      for (const file of await filesIn(testing.session.home)) expect(await readFile(file, 'utf8')).not.toContain(key);
    });
  });

  it.each(kinds)('$name has settings that only its owner can read', async (kind) => {
    await drive(kind, full, async ({ testing }) => {
      const files = await filesIn(join(testing.folder, 'seen'));
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) expect((await stat(file)).mode & 0o777).toBe(0o600);
    });
  });

  it.each(kinds)('$name reaches its model where the environment says', async (kind) => {
    const name = kind === copilot ? 'COPILOT_PROVIDER_BASE_URL' : 'OPENAI_BASE_URL';
    await drive(kind, { settings: { env: { [name]: 'http://proxy.example/v1' } } }, async ({ env, testing }) => {
      const files = await filesIn(join(testing.folder, 'seen'));
      const settings = await Promise.all(files.map((file) => readFile(file, 'utf8')));
      const configured = kind === copilot ? env.COPILOT_PROVIDER_BASE_URL : settings.join('');
      expect(configured).toContain('http://proxy.example/v1');
    });
  });

  it.each(kinds.filter((kind) => kind !== kimi))('$name needs a model for a configured address', async (kind) => {
    await using testing = await openTestingSession({ settings: { baseUrl } });
    await expect(kind.drive(testing.session)).rejects.toMatchObject({ code: 'MODEL_UNKNOWN' });
    expect(testing.launches).toEqual([]);
  });

  it.each([opencode, pi, copilot, cline, continueAgent])('$name reads a very long prompt from stdin', async (kind) => {
    const long = 'long '.repeat(60_000);
    await drive(kind, { prompt: long }, async ({ argv, testing }) => {
      expect(argv.join(' ').length).toBeLessThan(1_000);
      expect(await readFile(join(testing.folder, 'stdin'), 'utf8')).toBe(long);
    });
  });

  it.each(kinds)('$name takes a prompt that looks like an option', async (kind) => {
    await drive(kind, { prompt: '--version' }, async ({ argv, testing }) => {
      const at = argv.indexOf('--version');
      const isApart = at < 0 || ['--', '-p'].includes(argv[at - 1] ?? '');
      expect(isApart).toBe(true);
      const stdin = await readFile(join(testing.folder, 'stdin'), 'utf8');
      expect([stdin, ...argv].join('\n')).toContain('--version');
    });
  });

  it.each([opencode, pi, copilot, kimi, cline])('$name is stopped when it begins a turn too many', async (kind) => {
    await drive(kind, { maxTurns: 1 }, ({ report }) => {
      expect(report).toMatchObject({ completed: false, reason: 'stopped at the limit of 1 turn', fault: undefined });
    });
  });

  it('removes a key also when the agent cannot be driven to its end', async () => {
    await using testing = await openTestingSession({ ...full, model: 'm' });
    const broken = Object.create(testing.session, {
      start: {
        value: () => {
          throw new Error('no process');
        },
      },
    });
    await mkdir(join(testing.session.home, 'kept'));
    await expect(cline.drive(broken)).rejects.toThrow('no process');
    for (const file of await filesIn(testing.session.home)) expect(await readFile(file, 'utf8')).not.toContain(key);
  });
});
