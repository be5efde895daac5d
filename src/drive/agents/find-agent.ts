import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { AssayError } from '../../domain/errors.ts';
import type { AgentKind, AgentSettings, FoundAgent } from './agent.ts';
import { agentEnvironment } from './agent-environment.ts';
import { askVersion, isOlder } from './agent-version.ts';
import { checkCommand, lookForProgram, whyNot } from './command-program.ts';

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
  if (settings.command !== undefined) await checkCommand(kind.name, settings.command, path);
  await checkScript(kind, settings);
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
  const found = await lookForProgram(kind.program, path);
  if (found.state === 'program') return found.file;
  if (found.state === 'not-executable') {
    const message = `the agent \`${kind.name}\` cannot be started: ${whyNot(kind.program, found)}`;
    throw new AssayError('AGENT_MISSING', message, { hint: `Run \`chmod +x ${found.file}\`.` });
  }
  const message = `the agent \`${kind.name}\` is not installed: ${whyNot(kind.program, found)}`;
  throw new AssayError('AGENT_MISSING', message, { hint });
}

/** A script that is not there would end every trial. */
async function checkScript({ name, isScripted }: AgentKind, { script }: AgentSettings): Promise<void> {
  if (!isScripted || script === undefined) return;
  if ((await stat(script.path).catch(() => undefined))?.isFile()) return;
  throw new AssayError('CONFIG_INVALID', `the script ${script.path} of the agent \`${name}\` does not exist`, {
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

function checkVersion({ name, oldestVersion, install }: AgentKind, version: string | null): void {
  if (version === null || oldestVersion === undefined || !isOlder(version, oldestVersion)) return;
  const message = `the agent \`${name}\` is too old: it is ${version}, and ${oldestVersion} is the oldest that is understood`;
  throw new AssayError('AGENT_TOO_OLD', message, { hint: `Update it: ${install}` });
}

function checkKey(kind: AgentKind, settings: AgentSettings, env: Surroundings['env']): void {
  const given = agentEnvironment(kind, settings, env);
  const { name, keyVariables } = kind;
  if (keyVariables.length === 0 || keyVariables.some((variable) => given[variable]?.trim())) return;
  const wanted = keyVariables.map((variable) => `\`${variable}\``).join(' or ');
  throw new AssayError('AGENT_NO_KEY', `the agent \`${name}\` has no key: ${wanted} is not set`, {
    hint: `Set ${wanted} in the environment, or \`apiKey\` of the agent in the config; any text will do for a server that asks for none.`,
  });
}
