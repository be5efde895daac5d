import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanEnvironment } from '../drive/workspace/clean-environment.ts';
import { runProcess } from '../shared/processes/run-process.ts';

const versionTimeoutMs = 10_000;
const mostVersionBytes = 65_536;

/** How the program answers `--version`, whatever that is: an older or newer one may answer differently. */
export async function printedVersion(program: string, env: Record<string, string>): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'assay-version-'));
  try {
    const signal = AbortSignal.timeout(versionTimeoutMs);
    const surroundings = { cwd: home, env: { ...env, ...cleanEnvironment(env, { home, tmp: home }) } };
    const request = { ...surroundings, tag: randomUUID(), stdin: '', stdoutLimitBytes: mostVersionBytes, signal };
    const end = await runProcess(`'${program.replaceAll("'", `'\\''`)}' --version`, { ...request, endsDaemons: true });
    if (end.wasStopped) throw new Error(`\`${program} --version\` did not end within ${versionTimeoutMs / 1_000} s`);
    return JSON.stringify([end.exitCode, end.stdout.text, end.stderr.text]).replaceAll(home, '');
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
