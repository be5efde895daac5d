import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { AssayError } from '../domain/errors.ts';
import type { AgentKind, AgentSettings, FoundAgent } from './agent.ts';
import { agentEnvironment } from './agent-environment.ts';
import { askVersion, isOlder } from './agent-version.ts';

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where a command of the settings is started to ask for its version. */
  readonly cwd?: string | undefined;
}

/** Looks for an agent, its version and its key; throws an AssayError that says what is missing and how to get it. */
export async function findAgent(
  kind: AgentKind,
  settings: AgentSettings,
  { env, cwd = tmpdir() }: Surroundings,
): Promise<FoundAgent> {
  const path = env.PATH ?? '';
  const program = settings.command === undefined ? await programOf(kind, path) : (kind.program ?? kind.name);
  const question = versionCommand(kind, settings, program);
  const version = question === undefined ? null : await askVersion({ agent: kind.name, command: question, path, cwd });
  checkVersion(kind, version);
  checkKey(kind, settings, env);
  return { kind, settings, program, version };
}

async function programOf(kind: AgentKind, path: string): Promise<string> {
  if (kind.program === null && kind.isScripted) return kind.name;
  const hint = kind.program === null ? kind.install : `Install it: ${kind.install}`;
  if (kind.program === null) {
    throw new AssayError('AGENT_MISSING', `an agent of the kind \`${kind.name}\` needs a command`, { hint });
  }
  for (const folder of path.split(delimiter)) {
    const file = join(folder, kind.program);
    if (isAbsolute(folder) && (await isProgram(file))) return file;
  }
  const message = `the agent \`${kind.name}\` is not installed: there is no \`${kind.program}\` on PATH`;
  throw new AssayError('AGENT_MISSING', message, { hint });
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

function versionCommand(kind: AgentKind, settings: AgentSettings, program: string): string | undefined {
  if (kind.versionArguments.length === 0) return undefined;
  return [settings.command ?? quoted(program), ...kind.versionArguments.map(quoted)].join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function checkVersion({ name, oldestVersion, install }: AgentKind, version: string | null): void {
  if (version === null || oldestVersion === undefined || !isOlder(version, oldestVersion)) return;
  const message = `the agent \`${name}\` is too old: it is ${version}, and ${oldestVersion} is the oldest that is understood`;
  throw new AssayError('AGENT_TOO_OLD', message, { hint: `Update it: ${install}` });
}

function checkKey(kind: AgentKind, settings: AgentSettings, env: Surroundings['env']): void {
  const given = agentEnvironment(kind, settings, env);
  const { name, keyVariables } = kind;
  if (keyVariables.length === 0 || keyVariables.some((variable) => given[variable])) return;
  const wanted = keyVariables.map((variable) => `\`${variable}\``).join(' or ');
  throw new AssayError('AGENT_NO_KEY', `the agent \`${name}\` has no key: ${wanted} is not set`, {
    hint: `Set ${wanted} in the environment, or \`apiKey\` of the agent in the config; any text will do for a server that asks for none.`,
  });
}
