import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConformanceSuite } from '../../src/mcp-check/conformance/suite.ts';
import { programPath } from '../../src/testing/support/assay.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';
import { excusedChecks, excusedScenarios } from './excused-scenarios.ts';
import { installedServer } from './installed-servers.ts';

/** Scenarios that ask nothing of a server but the protocol and a list of tools. */
const required = {
  '2025-03-26': ['server-session-lifecycle'],
  '2025-06-18': ['ping', 'server-initialize', 'server-session-lifecycle', 'tools-list'],
  '2025-11-25': [
    'dns-rebinding-protection',
    'ping',
    'server-initialize',
    'server-session-lifecycle',
    'server-sse-multiple-streams',
    'tools-list',
  ],
  '2026-07-28': [
    'dns-rebinding-protection',
    'http-header-validation',
    'input-required-result-unsupported-methods',
    'server-sse-multiple-streams',
    'tools-list',
  ],
} as const;

interface Check {
  readonly status: string;
  readonly id: string;
  readonly errorMessage?: string;
}

async function startHttp(cwd: string): Promise<string> {
  const child = spawn(process.execPath, [programPath, 'mcp', '--port', '0', '--json'], { cwd });
  onTestFinished(() => {
    child.kill('SIGTERM');
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  while (!stdout.includes('\n')) await once(child.stdout, 'data');
  const { url, token } = JSON.parse(stdout) as { url: string; token: string };
  return `${url}/${token}`;
}

/** The checks of all scenarios that a suite has for a version, by scenario. */
async function checksOf(suite: ConformanceSuite, url: string, version: string): Promise<Map<string, Check[]>> {
  const folder = await temporaryFolder();
  await suite.run(['server', '--url', url, '--suite', 'all', '--spec-version', version, '--output-dir', folder]);
  const scenarios = new Map<string, Check[]>();
  for (const name of await readdir(folder)) {
    const checks = JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8')) as Check[];
    scenarios.set(name.replace(/^server-/, '').replace(/-\d{4}-\d{2}-\d{2}T.*$/, ''), checks);
  }
  return scenarios;
}

describe.each(['conformance', 'mcp-servers'] as const)('the official conformance suite of %s', (installation) => {
  const directory = installedServer(installation);
  const versions = installation === 'conformance' ? Object.keys(required) : ['2025-06-18', '2025-11-25'];

  it.skipIf(directory === undefined).each(versions)('finds nothing wrong in assay mcp: %s', async (version) => {
    const { PATH = '' } = process.env;
    const options = { source: 'installed', directory: directory ?? '', env: { PATH }, timeoutMs: 110_000 } as const;
    const suite = await ConformanceSuite.find(options);
    if (typeof suite === 'string') throw new Error(suite);
    const scenarios = await checksOf(suite, await startHttp(await temporaryFolder()), version);
    const failures = [...scenarios].flatMap(([name, checks]) =>
      checks.filter(({ status }) => status === 'FAILURE').map((check) => ({ ...check, name })),
    );
    const counted = failures.filter(
      ({ name, id }) => !excusedScenarios.has(name) && !excusedChecks.has(`${name} ${id}`),
    );
    expect(counted.map(({ name, id, errorMessage }) => `${name} ${id}: ${errorMessage}`)).toEqual([]);
    // What passes needs no excuse.
    const failing = new Set(failures.flatMap(({ name, id }) => [name, `${name} ${id}`]));
    const excused = [...scenarios].flatMap(([name, checks]) => [name, ...checks.map(({ id }) => `${name} ${id}`)]);
    const stale = excused.filter((one) => (excusedScenarios.has(one) || excusedChecks.has(one)) && !failing.has(one));
    expect(stale).toEqual([]);
    const passed = [...scenarios].filter(
      ([, checks]) =>
        checks.some(({ status }) => status === 'SUCCESS') && !checks.some(({ status }) => status === 'FAILURE'),
    );
    const wanted = required[version as keyof typeof required].filter(
      (name) => installation === 'conformance' || name !== 'server-session-lifecycle',
    );
    expect(passed.map(([name]) => name)).toEqual(expect.arrayContaining([...wanted]));
  });
});
