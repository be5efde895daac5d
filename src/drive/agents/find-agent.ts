import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import { runProcess } from '../../shared/processes/run-process.ts';
import type { AgentKind, AgentSettings, FoundAgent } from './agent.ts';
import { agentEnvironment } from './agent-environment.ts';
import { checkCommand, lookForProgram, whyNot } from './command-program.ts';
import { isOlder } from './is-older.ts';
import { checkPin, pinnedProgram } from './pinned-agent.ts';

/** Agents are large programs: on a busy machine, some need more than ten seconds to start. */
const timeoutMs = 60_000;
const mostOutputBytes = 65_536;
const longestWords = 400;

interface VersionRequest {
  /** For messages. */
  readonly agent: string;
  /** Shell command that prints the version. */
  readonly command: string;
  readonly path: string;
  readonly cwd: string;
}

/**
 * The version that an agent prints; null when it prints none. It runs in its own empty home, as in a trial, so an agent
 * that cannot start there is found before anything is spent.
 */
async function readVersion({ agent, command, path, cwd }: VersionRequest): Promise<string | null> {
  const home = await mkdtemp(join(tmpdir(), 'assay-version-'));
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const env = { PATH: path, HOME: home, NO_COLOR: '1' };
    const request = { cwd, env, tag: randomUUID(), stdin: '', stdoutLimitBytes: mostOutputBytes, signal };
    const { exitCode, stdout, stderr } = await runProcess(command, request);
    if (exitCode === 0) return versionIn(stdout.text) ?? versionIn(stderr.text);
    const reason = reasonIn(stderr.text) || reasonIn(stdout.text);
    const how = signal.aborted
      ? `timed out after ${timeoutMs / 1_000} s`
      : `failed: ${reason || `exit code ${exitCode}`}`;
    throw new AssayError('AGENT_MISSING', `The agent "${agent}" cannot be started: \`${command}\` ${how}`);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** The line that says what went wrong; a stack trace or an excerpt of source text says nothing to a user. */
function reasonIn(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^at |^node:|^\^+$|^Node\.js v|^file:\/\/|^[\w/.-]+:\d+$/.test(line));
  const reason = lines.find((line) => /error|cannot|not found|require|unsupported|needs/i.test(line)) ?? lines[0] ?? '';
  return reason.slice(0, longestWords);
}

function versionIn(text: string): string | null {
  return /\d+\.\d+(?:\.\d+)?(?:-[\w.]+)?/.exec(text)?.[0] ?? null;
}

interface SearchContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder in which a command of the settings prints its version. */
  readonly cwd?: string | undefined;
  /** False: a version that the settings name and that is not installed yet is an error; by default it is installed. */
  readonly mayInstall?: boolean | undefined;
}

/** Looks for an agent, its version and its key; throws an AssayError that names what is missing and how to get it. */
export async function findAgent(
  kind: AgentKind,
  settings: AgentSettings,
  { env, cwd = tmpdir(), mayInstall = true }: SearchContext,
): Promise<FoundAgent> {
  const path = env.PATH ?? '';
  const program = await programFor(kind, settings, { env, mayInstall });
  if (settings.command !== undefined) checkCommand(kind.name, settings.command, path);
  await checkScript(kind, settings);
  const versionRequest = versionCommand(kind, settings, program);
  const version =
    versionRequest === undefined ? null : await readVersion({ agent: kind.name, command: versionRequest, path, cwd });
  checkTerminal(kind, settings);
  checkPin(kind, settings, version, program);
  checkVersion(kind, settings, version);
  checkKey(kind, settings, env);
  return { kind, settings, program, version };
}

async function programFor(
  kind: AgentKind,
  settings: AgentSettings,
  { env, mayInstall }: { readonly env: SearchContext['env']; readonly mayInstall: boolean },
): Promise<string> {
  if (settings.version !== undefined) return pinnedProgram(kind, settings, { env, mayInstall });
  return settings.command === undefined ? programOf(kind, env.PATH ?? '') : (kind.program ?? kind.name);
}

async function programOf(kind: AgentKind, path: string): Promise<string> {
  if (kind.program === null && kind.isScripted) return kind.name;
  const hint = kind.program === null ? kind.install : `Install it: ${kind.install}`;
  if (kind.program === null) {
    throw new AssayError('AGENT_MISSING', `An agent of the kind "${kind.name}" has no \`command\`.`, { hint });
  }
  const found = lookForProgram(kind.program, path);
  if (found.state === 'program') return found.file;
  if (found.state === 'not-executable') {
    const message = `The agent "${kind.name}" cannot be started: ${whyNot(kind.program, found)}.`;
    throw new AssayError('AGENT_MISSING', message, { hint: `Run \`chmod +x ${found.file}\`.` });
  }
  const message = `The agent "${kind.name}" is not installed: ${whyNot(kind.program, found)}.`;
  throw new AssayError('AGENT_MISSING', message, { hint });
}

function checkTerminal({ name, isScripted, needsPipes = isScripted }: AgentKind, { terminal }: AgentSettings): void {
  if (!terminal || !needsPipes) return;
  throw new AssayError('CONFIG_INVALID', `An agent of the kind "${name}" cannot run in a terminal.`, {
    hint: 'Remove `terminal` of the agent from the config.',
  });
}

/** A missing script would end every trial. */
async function checkScript({ name, isScripted }: AgentKind, { script }: AgentSettings): Promise<void> {
  if (!isScripted || script === undefined) return;
  if ((await stat(script.path).catch(() => undefined))?.isFile()) return;
  throw new AssayError('CONFIG_INVALID', `The script ${script.path} of the agent "${name}" does not exist.`, {
    hint: 'Correct `script` of the agent in the config.',
  });
}

function versionCommand(kind: AgentKind, settings: AgentSettings, program: string): string | undefined {
  if (kind.versionArguments.length === 0) return undefined;
  return [settings.command ?? quoted(program), ...kind.versionArguments.map(quoted)].join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function checkVersion(
  { name, oldestVersion, install }: AgentKind,
  { version: pinned }: AgentSettings,
  version: string | null,
): void {
  if (version === null || oldestVersion === undefined || !isOlder(version, oldestVersion)) return;
  const message = `The agent "${name}" is too old: version ${version} is installed, and the oldest supported version is ${oldestVersion}.`;
  throw new AssayError('AGENT_TOO_OLD', message, {
    hint: pinned === undefined ? `Update it: ${install}` : 'Set a newer `version` of the agent in the config.',
  });
}

function checkKey(kind: AgentKind, settings: AgentSettings, env: SearchContext['env']): void {
  const given = agentEnvironment(kind, settings, env);
  const { name, keyVariables } = kind;
  if (keyVariables.length === 0 || keyVariables.some((variable) => given[variable]?.trim())) return;
  const wanted = keyVariables.map((variable) => `\`${variable}\``).join(' or ');
  throw new AssayError('AGENT_NO_KEY', `The agent "${name}" has no key: ${wanted} is not set.`, {
    hint: `Set ${wanted} in the environment, or \`apiKey\` of the agent in the config; any value works for a server that needs no key.`,
  });
}
