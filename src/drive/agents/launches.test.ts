import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { openTestingSession, type TestingSession } from '../../testing/fakes/agents/testing-session.ts';
import { only } from '../../testing/fakes/agents/testing-stream.ts';
import type { AgentKind, AgentMcpServer } from './agent.ts';
import { claudeCode } from './claude-code/claude-code.ts';
import { codex } from './codex/codex.ts';
import { gemini } from './gemini/gemini.ts';
import { qwen } from './qwen/qwen.ts';

const key = 'sk-very-secret';
const baseUrl = 'http://127.0.0.1:9/v1';
const mcpServers: Record<string, AgentMcpServer> = {
  files: { command: 'mcp-files', args: ['--root', '.'], env: { A: 'b' } },
  web: { url: 'https://mcp.example/', headers: { 'X-Key': 'k' } },
};

interface Started {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly testing: TestingSession;
}

type Request = Parameters<typeof openTestingSession>[0];

/** Drives the kind with a program that says how it was started and then prints a good stream. */
async function drive(
  kind: AgentKind,
  request: Request,
  look: (started: Started) => Promise<void> | void,
): Promise<void> {
  const folder = kind.name;
  const fixture = fileURLToPath(new URL(`./${folder}/fixtures/ok.jsonl`, import.meta.url));
  const script = `printf '%s\\0' "$@" > "$HOME/../argv"; env -0 > "$HOME/../env"; cat > "$HOME/../stdin"; cat '${fixture}'`;
  await using testing = await openTestingSession({ script, ...request });
  const report = await kind.drive(testing.session);
  expect(report).toMatchObject({ completed: true, fault: undefined });
  expect(only(testing.events, 'tool-call')).toHaveLength(1);
  const argv = await zeroEnded(testing, 'argv');
  const pairs = (await zeroEnded(testing, 'env')).map((text) => [
    text.split('=', 1)[0],
    text.slice(text.indexOf('=') + 1),
  ]);
  await look({ argv, env: Object.fromEntries(pairs), testing });
}

async function zeroEnded(testing: TestingSession, name: string): Promise<string[]> {
  return (await readFile(join(testing.folder, name), 'utf8')).split('\0').slice(0, -1);
}

const homeFile = ({ testing }: Started, name: string): Promise<string> =>
  readFile(join(testing.session.home, name), 'utf8');

const full: Request = {
  prompt: 'Do the task.',
  model: 'some-model',
  maxTurns: 7,
  mcpServers,
  settings: { apiKey: key, baseUrl, args: ['--extra', 'x'] },
};

const kinds = [claudeCode, codex, gemini, qwen];

describe('how an agent is started', () => {
  it('claude-code', async () => {
    await drive(claudeCode, full, async (started) => {
      const config = join(started.testing.session.home, 'mcp.json');
      expect(started.argv).toEqual([
        ...['-p', '--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions'],
        ...['--model', 'some-model', '--max-turns', '7', '--mcp-config', config, '--strict-mcp-config'],
        ...['--extra', 'x', '--', 'Do the task.'],
      ]);
      expect(started.env).toMatchObject({
        ANTHROPIC_API_KEY: key,
        ANTHROPIC_BASE_URL: baseUrl,
        IS_SANDBOX: '1',
        CLAUDE_CODE_MAX_RETRIES: '2',
        DISABLE_AUTOUPDATER: '1',
        MCP_CONNECTION_NONBLOCKING: '0',
        MCP_CONNECT_TIMEOUT_MS: '30000',
      });
      expect(JSON.parse(await homeFile(started, 'mcp.json'))).toEqual({
        mcpServers: { files: mcpServers.files, web: { type: 'http', ...mcpServers.web } },
      });
    });
  });

  it('codex', async () => {
    await drive(codex, full, async (started) => {
      expect(started.argv).toEqual([
        ...['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
        ...['--extra', 'x', '--', 'Do the task.'],
      ]);
      expect(started.env).toMatchObject({
        OPENAI_API_KEY: key,
        CODEX_HOME: join(started.testing.session.home, '.codex'),
      });
      expect(parse(await homeFile(started, '.codex/config.toml'))).toEqual({
        model: 'some-model',
        model_provider: 'assay',
        check_for_update_on_startup: false,
        analytics: { enabled: false },
        model_providers: {
          assay: { name: 'assay', base_url: baseUrl, env_key: 'OPENAI_API_KEY', wire_api: 'responses' },
        },
        mcp_servers: {
          files: { ...mcpServers.files, startup_timeout_sec: 30, required: true },
          web: { url: 'https://mcp.example/', http_headers: { 'X-Key': 'k' }, startup_timeout_sec: 30, required: true },
        },
      });
    });
  });

  it('codex reaches its provider where the environment says, else at its own address', async () => {
    for (const [env, expected] of [
      [{ OPENAI_BASE_URL: 'http://proxy/v1' }, 'http://proxy/v1'],
      [{}, 'https://api.openai.com/v1'],
    ] as const) {
      await drive(codex, { settings: { env } }, async (started) => {
        const config = parse(await homeFile(started, '.codex/config.toml'));
        expect(config.model_providers).toMatchObject({ assay: { base_url: expected } });
      });
    }
  });

  it('codex, which knows no limit of turns, is stopped at it', async () => {
    const fixture = fileURLToPath(new URL('./codex/fixtures/ok.jsonl', import.meta.url));
    await using testing = await openTestingSession({ maxTurns: 1, script: `cat '${fixture}'; exec sleep 600` });
    const report = await codex.drive(testing.session);
    expect(report).toMatchObject({ completed: false, reason: 'stopped at the limit of 1 turn', fault: undefined });
    expect(only(testing.events, 'tool-result')).toHaveLength(1);
  });

  it('gemini', async () => {
    await drive(gemini, full, async (started) => {
      expect(started.argv).toEqual([
        ...['--output-format', 'stream-json', '--approval-mode', 'yolo', '-m', 'some-model'],
        ...['--extra', 'x', '-p', 'Do the task.'],
      ]);
      expect(started.env).toMatchObject({
        GEMINI_API_KEY: key,
        GOOGLE_GEMINI_BASE_URL: baseUrl,
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      });
      expect(JSON.parse(await homeFile(started, '.gemini/settings.json'))).toMatchObject({
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        model: { name: 'some-model', maxSessionTurns: 7 },
        mcpServers: {
          files: { command: 'mcp-files', trust: true },
          web: { httpUrl: 'https://mcp.example/', headers: { 'X-Key': 'k' }, trust: true },
        },
      });
    });
  });

  it('qwen', async () => {
    await drive(qwen, full, async (started) => {
      expect(started.argv).toEqual([
        ...['--auth-type', 'openai', '--output-format', 'stream-json', '--approval-mode', 'yolo'],
        ...['--extra', 'x', '-p', 'Do the task.'],
      ]);
      expect(started.env).toMatchObject({ OPENAI_API_KEY: key, OPENAI_BASE_URL: baseUrl, OPENAI_MODEL: 'some-model' });
      expect(JSON.parse(await homeFile(started, '.qwen/settings.json'))).toMatchObject({
        security: { auth: { selectedType: 'openai' } },
        model: { maxSessionTurns: 7 },
      });
    });
  });

  it.each(kinds)('$name receives no setting that was not configured', async (kind) => {
    await drive(kind, {}, ({ argv, env }) => {
      const words = argv.join(' ');
      expect(words).not.toMatch(/model|turns|mcp|undefined/);
      expect(Object.values(env)).not.toContain('undefined');
    });
  });

  it.each(kinds)(
    '$name gets its key in the environment only, and only its owner can read its settings',
    async (kind) => {
      await drive(kind, full, async ({ argv, testing }) => {
        expect(argv.join(' ')).not.toContain(key);
        const names = { 'claude-code': 'mcp.json', codex: '.codex/config.toml' } as Record<string, string>;
        const file = join(testing.session.home, names[kind.name] ?? `.${kind.name}/settings.json`);
        expect(await readFile(file, 'utf8')).not.toContain(key);
        expect((await stat(file)).mode & 0o777).toBe(0o600);
      });
    },
  );

  it.each(kinds)('$name takes a prompt that looks like an option', async (kind) => {
    await drive(kind, { prompt: '--version' }, ({ argv }) => {
      const isGuarded = argv.at(-2) === '--' && argv.at(-1) === '--version';
      expect(isGuarded || argv.at(-1) === '--prompt=--version').toBe(true);
    });
  });

  it.each(kinds)('$name reads a very long prompt from stdin', async (kind) => {
    const prompt = 'long '.repeat(60_000);
    await drive(kind, { prompt }, async ({ argv, testing }) => {
      expect(argv.join(' ').length).toBeLessThan(1_000);
      expect(await readFile(join(testing.folder, 'stdin'), 'utf8')).toBe(prompt);
    });
  });
});
