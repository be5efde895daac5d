import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ConformanceSuite } from '../../src/mcp-check/conformance/suite.ts';
import { programPath } from '../../src/testing/support/assay.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';
import { installedServer } from './installed-servers.ts';

const directory = installedServer('conformance');
const client = fileURLToPath(new URL('./oauth-client/client.mjs', import.meta.url));
const keyring = new URL('../../src/testing/fakes/oauth/use-keyring-package.mjs', import.meta.url).href;

/** All scenarios of the official suite about clients that log in as a user. */
const scenarios = [
  'auth/authorization-server-migration',
  'auth/basic-cimd',
  'auth/iss-normalized',
  'auth/iss-not-advertised',
  'auth/iss-supported',
  'auth/iss-supported-missing',
  'auth/iss-unexpected',
  'auth/iss-wrong-issuer',
  'auth/metadata-default',
  'auth/metadata-issuer-mismatch',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/offline-access-not-supported',
  'auth/offline-access-scope',
  'auth/pre-registration',
  'auth/resource-mismatch',
  'auth/scope-from-scopes-supported',
  'auth/scope-from-www-authenticate',
  'auth/scope-omitted-when-undefined',
  'auth/scope-retry-limit',
  'auth/scope-step-up',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-none',
  'auth/token-endpoint-auth-post',
];

interface Check {
  readonly status: string;
  readonly id: string;
  readonly errorMessage?: string;
}

async function checksIn(folder: string): Promise<Check[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('checks.json'));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.flatMap((text) => JSON.parse(text) as Check[]);
}

describe.skipIf(directory === undefined)('the official suite finds nothing wrong in how Assay logs in', () => {
  it.each(scenarios)('%s', async (scenario) => {
    const [cwd, results] = [await temporaryFolder(), await temporaryFolder()];
    const env = {
      PATH: process.env.PATH,
      NODE_OPTIONS: `--import ${keyring}`,
      FAKE_KEYRING_FILE: join(cwd, 'keyring.json'),
    };
    const suite = await ConformanceSuite.find({
      source: 'installed',
      directory: directory ?? '',
      env,
      timeoutMs: 110_000,
    });
    if (typeof suite === 'string') throw new Error(suite);
    const command = `"${process.execPath}" "${client}" "${programPath}" "${cwd}"`;
    const limits = ['--spec-version', '2026-07-28', '--timeout', '100000'];
    await suite.run(['client', '--command', command, '--scenario', scenario, ...limits, '--output-dir', results]);
    const checks = await checksIn(results);
    expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(2);
    const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    expect(failed.map(({ id, errorMessage }) => `${id}: ${errorMessage}`)).toEqual([]);
  });
});
