import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import { runProcess } from '../../shared/processes/run-process.ts';
import type { AgentKind, AgentSettings } from './agent.ts';
import { isOlder } from './is-older.ts';

/** Agents are packages of some hundred megabytes. */
const timeoutMs = 600_000;
const mostOutputBytes = 65_536;

interface PinContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** False: a version that is not in the cache is an error, because nothing is to be changed. */
  readonly mayInstall: boolean;
}

/** An agent in one version, as its package and its place in the cache. */
interface PinnedAgent {
  readonly agent: string;
  readonly version: string;
  readonly npmPackage: string;
  /** Absolute. */
  readonly folder: string;
  readonly program: string;
}

/** The program of an agent in the version of its settings. It is installed once for each version and user. */
export async function pinnedProgram(
  kind: AgentKind,
  settings: AgentSettings,
  { env, mayInstall }: PinContext,
): Promise<string> {
  const pinned = pinnedAgent(kind, settings, env);
  if (await exists(pinned.program)) return pinned.program;
  if (!mayInstall) throw notInstalled(pinned, 'is not installed yet.', 'The first run installs it with npm.');
  const staging = `${pinned.folder}.${randomUUID()}`;
  try {
    await install(pinned, staging, env);
    await publish(staging, pinned);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return pinned.program;
}

/** A pinned agent that prints another version is not what its user wants to measure. */
export function checkPin(
  { name }: AgentKind,
  { version: wanted }: AgentSettings,
  version: string | null,
  program: string,
): void {
  if (wanted === undefined || wanted === version) return;
  const message = `The agent "${name}" is pinned to version ${wanted}, and ${program} prints ${version ?? 'no version'}.`;
  const hint = 'Correct `version` of the agent in the config, or remove its folder from the cache.';
  throw new AssayError('AGENT_MISSING', message, { hint });
}

function pinnedAgent(kind: AgentKind, { version = '', command }: AgentSettings, env: PinContext['env']): PinnedAgent {
  const { name, npmPackage: current, earlierPackage: earlier, program } = kind;
  const npmPackage = earlier && isOlder(version, earlier.before) ? earlier.name : current;
  if (npmPackage === undefined || program === null || command !== undefined) {
    const why = command === undefined ? `agents of the kind "${name}" are not npm packages` : 'it has a `command`';
    const message = `The agent "${name}" cannot have a \`version\`: ${why}.`;
    throw new AssayError('CONFIG_INVALID', message, { hint: 'Remove `version` of the agent from the config.' });
  }
  const cache = env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache');
  const folder = join(cache, 'assay', 'agents', `${name}-${version}`);
  return { agent: name, version, npmPackage, folder, program: join(folder, 'node_modules', '.bin', program) };
}

async function install(
  { agent, version, npmPackage, ...pinned }: PinnedAgent,
  staging: string,
  env: PinContext['env'],
): Promise<void> {
  await mkdir(staging, { recursive: true });
  // Without a manifest, npm would install into a project above the folder.
  await writeFile(join(staging, 'package.json'), '{"private":true}\n');
  const command = `npm install --no-save --no-package-lock --no-audit --no-fund --loglevel=error '${npmPackage}@${version}'`;
  const signal = AbortSignal.timeout(timeoutMs);
  const request = {
    cwd: staging,
    env: definedIn(env),
    tag: randomUUID(),
    stdin: '',
    stdoutLimitBytes: mostOutputBytes,
    signal,
  };
  const { exitCode, stdout, stderr } = await runProcess(command, request);
  if (exitCode === 0 && (await exists(join(staging, 'node_modules', '.bin', basename(pinned.program))))) return;
  const reason = signal.aborted
    ? `npm took more than ${timeoutMs / 1_000} s`
    : reasonIn(`${stderr.text}\n${stdout.text}`);
  const byHand = `npm install --prefix ${pinned.folder} ${npmPackage}@${version}`;
  const hint = `Set another \`version\`; \`npm view ${npmPackage} versions\` lists them. Or install it where npm works: \`${byHand}\`.`;
  throw notInstalled({ agent, version }, `could not be installed: ${reason}.`, hint);
}

/** Another process may have been faster; then its folder is used. */
async function publish(staging: string, { folder, program }: PinnedAgent): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  try {
    await rename(staging, folder);
  } catch (error) {
    if (!(await exists(program))) throw error;
  }
}

function notInstalled(
  { agent, version }: Pick<PinnedAgent, 'agent' | 'version'>,
  what: string,
  hint: string,
): AssayError {
  return new AssayError('AGENT_MISSING', `The agent "${agent}" in version ${version} ${what}`, { hint });
}

/** The line of npm that names the cause. */
function reasonIn(output: string): string {
  const lines = output.split('\n').map((line) => line.replace(/^npm (?:error|ERR!)\s*/, '').trim());
  const causes = lines.filter((line) => line !== '' && !/^(?:code|A complete log|errno|syscall)\b/i.test(line));
  return (causes[0] ?? 'npm did not say why').replace(/\.$/, '').slice(0, 300);
}

function definedIn(env: PinContext['env']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}
