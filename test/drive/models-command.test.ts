import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { main } from '../../src/entry/cli/main.ts';
import { secretKey } from '../../src/testing/support/models.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/** Runs the command in this process, on streams of its own. */
async function modelsCommand(args: readonly string[], env: Record<string, string> = {}, config = '') {
  const cwd = await temporaryFolder({ 'assay.config.yaml': config });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const streams = { stdin: process.stdin, stdout, stderr } as unknown as Pick<
    typeof process,
    'stdin' | 'stdout' | 'stderr'
  >;
  const exitCode = await main(['models', ...args], { cwd, env, ...streams });
  return { exitCode, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

const config = `
models:
  providers:
    local: { baseUrl: "http://me:${secretKey}@localhost:11434/v1", apiKey: "\${LOCAL_KEY}" }
  prices:
    local/llama3: { inputPer1M: 0, outputPer1M: 0 }
`;

describe('assay list models', () => {
  it('lists providers with what is missing, and models with prices', async () => {
    const { exitCode, stdout } = await modelsCommand([], { OPENAI_API_KEY: secretKey });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/✓ openai +https:\/\/api\.openai\.com\/v1, with a key/);
    expect(stdout).toMatch(/✗ anthropic +Set the environment variable ANTHROPIC_API_KEY/);
    expect(stdout).toMatch(/openai\/gpt-4o-mini +0\.15 \/ 0\.60/);
  });

  it('prints one JSON document, with the servers of the config', async () => {
    const { stdout } = await modelsCommand(['--json'], { LOCAL_KEY: secretKey, GEMINI_API_KEY: secretKey }, config);
    const { providers, models, priceTable } = JSON.parse(stdout);
    expect(providers).toContainEqual(expect.objectContaining({ name: 'google', hasKey: true, missing: null }));
    expect(providers).toContainEqual(
      expect.objectContaining({ name: 'local', hasKey: true, baseUrl: 'http://localhost:11434/v1' }),
    );
    expect(models.every(({ price }: { price: unknown }) => price !== null)).toBe(true);
    expect(priceTable).toMatch(/genai-prices \d/);
  });

  it('shows what a name stands for', async () => {
    const known = await modelsCommand(['claude-sonnet-4-5']);
    expect(known.stdout).toMatch(/^anthropic\/claude-sonnet-4-5\n/);
    expect(known.stdout).toContain('3.00 / 15.00 USD for a million tokens');
    const own = await modelsCommand(['local/llama3', '--json'], { LOCAL_KEY: secretKey }, config);
    expect(JSON.parse(own.stdout)).toMatchObject({ model: 'llama3', price: { inputPer1M: 0, source: 'config' } });
  });

  it('says what is wrong with a name', async () => {
    const { exitCode, stderr } = await modelsCommand(['opnai/gpt-4o']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Did you mean `openai`?');
  });

  it('never prints a key', async () => {
    const env = { OPENAI_API_KEY: secretKey, ANTHROPIC_API_KEY: secretKey, LOCAL_KEY: secretKey };
    for (const args of [[], ['--json'], ['gpt-4o'], ['local/llama3'], ['local/llama3', '--json'], ['nothing']]) {
      const { stdout, stderr } = await modelsCommand(args, env, config);
      expect(stdout + stderr).not.toBe('');
      expect(stdout + stderr).not.toContain(secretKey);
    }
  });
});
