import { isAbsolute, resolve } from 'node:path';
import { AssayError, asAssayError } from '../../domain/errors.ts';
import type { AgentKind, AgentSettings, Agents, FoundAgent, GatewaySettings } from '../../drive/agents/agent.ts';
import { installedAgents } from '../../drive/agents/installed-agents.ts';
import type { AgentScript } from '../../drive/agents/scripted/script.ts';
import { assertMayRun } from '../../shared/project-trust.ts';
import { shellQuoted } from '../../shared/shell-words.ts';
import { suggestion } from '../../shared/suggest.ts';
import { expandVariables } from '../../shared/variables.ts';
import type { AgentConfig } from './config-schema.ts';
import type { Project } from './project.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The agents of a project: the built-in kinds by their names, and those of the config. Each is searched once. */
export class ProjectAgents implements Agents {
  readonly #project: Project;
  readonly #env: Env;
  readonly #mayInstall: boolean;
  readonly #found = new Map<string, Promise<FoundAgent>>();

  constructor(project: Project, env: Env, { mayInstall = true }: { readonly mayInstall?: boolean } = {}) {
    this.#project = project;
    this.#env = env;
    this.#mayInstall = mayInstall;
  }

  find(id: string): Promise<FoundAgent> {
    const agent = this.#found.get(id) ?? this.#look(id);
    this.#found.set(id, agent);
    return agent;
  }

  /** Every id, whether the agent works on this machine or not. */
  async ids(): Promise<string[]> {
    const { agentKinds } = await import('../../drive/agents/index.ts');
    const kinds = [...agentKinds, ...this.#project.parts.agents];
    const named = kinds.filter(({ program }) => program !== null).map(({ name }) => name);
    return [...new Set([...named, ...Object.keys(this.#project.config.agents)])];
  }

  async #look(id: string): Promise<FoundAgent> {
    const { findAgent } = await import('../../drive/agents/find-agent.ts');
    const config = this.#project.config.agents[id];
    const kind = await this.kindOf(id);
    const settings = agentSettings(kind, id, this.#project, this.#env);
    const { configFile, folder } = this.#project;
    // A program that the config names is started to learn its version.
    if (config?.command !== undefined) assertMayRun(configFile ?? folder);
    return findAgent(kind, settings, { env: this.#env, mayInstall: this.#mayInstall }).catch((error: unknown) => {
      throw withOtherAgents(error, this.#env.PATH);
    });
  }

  /** Of an agent that need not be installed. */
  async kindOf(id: string): Promise<AgentKind> {
    const config = this.#project.config.agents[id];
    const { agentKinds } = await import('../../drive/agents/index.ts');
    const kinds = [...agentKinds, ...this.#project.parts.agents];
    const byName = (name: string): AgentKind | undefined => kinds.find((kind) => kind.name === name);
    const kindName = config?.kind ?? id;
    const kind = byName(kindName) ?? (config?.command === undefined ? undefined : byName('command'));
    if (kind) return kind;
    throw new AssayError('AGENT_UNKNOWN', `There is no agent "${kindName}".`, {
      hint: suggestion(kindName, await this.ids()),
    });
  }
}

/** An agent that is missing, with those that are installed instead. */
function withOtherAgents(error: unknown, path: string | undefined): unknown {
  const found = asAssayError(error);
  const others = found.code === 'AGENT_MISSING' ? installedAgents(path) : [];
  if (others.length === 0) return error;
  const instead = `Or choose one that is installed, with --agent or \`agent:\` of the config: ${others.join(', ')}.`;
  return new AssayError(found.code, found.message, { hint: `${found.hint} ${instead}`, cause: error });
}

/** The settings of an agent of a project: its own, and for the gateway those of the project by default. */
export function agentSettings(kind: AgentKind, id: string, { config, folder }: Project, env: Env): AgentSettings {
  const own = config.agents[id];
  return { ...settingsOf(kind, own, folder, env), gateway: gatewayOf(own?.gateway ?? config.gateway) };
}

/** Switched on without further settings unless they are written. */
function gatewayOf(written: boolean | GatewaySettings): AgentSettings['gateway'] {
  return typeof written === 'boolean' ? written && {} : written;
}

function settingsOf(kind: AgentKind, config: AgentConfig | undefined, folder: string, env: Env): AgentSettings {
  if (!config) return { env: {}, args: [] };
  const { kind: _kind, models: _models, gateway: _gateway, script, ...settings } = expandVariables(config, env);
  const path = script === undefined || isAbsolute(script) ? script : resolve(folder, script);
  // A command that is only the program's name is searched like any other.
  const command = settings.command === kind.program ? undefined : inFolder(settings.command, folder);
  return { ...settings, command, script: path === undefined ? undefined : { path, load: () => loadScript(path) } };
}

/** Loaded when a scripted agent starts, because most runs have none. */
async function loadScript(path: string): Promise<AgentScript> {
  return (await import('../../load/scripts.ts')).loadAgentScript(path);
}

/** Relative programs belong to the project, although they start in the work directory. */
function inFolder(command: string | undefined, folder: string): string | undefined {
  return command?.replace(/^\.{1,2}\/\S+/, (path) => shellQuoted(resolve(folder, path)));
}

/** An agent as `assay list agents` lists it. */
export interface AgentDescription {
  readonly name: string;
  readonly kind: string | null;
  readonly summary: string;
  readonly isUsable: boolean;
  readonly version: string | null;
  readonly program: string | null;
  /** Whether its requests to its model go through the gateway. */
  readonly isRecorded: boolean;
  /** `opened`, or why it gets pipes instead of the terminal that it should have; null where it should have none. */
  readonly terminal: string | null;
  /** Why it cannot be used; `hint` says what to do. */
  readonly problem: string | null;
  readonly hint: string | null;
}

/** Every agent of a project, and whether it works on this machine. */
export async function describeAgents(project: Project, env: Env): Promise<AgentDescription[]> {
  const { agentKinds } = await import('../../drive/agents/index.ts');
  const { terminalProblem } = await import('../../drive/workspace/agent-terminal.ts');
  const { agentRoutes } = await import('../../drive/gateway/agent-routes.ts');
  const agents = new ProjectAgents(project, env, { mayInstall: false });
  const summaryOf = (name: string): string =>
    [...agentKinds, ...project.parts.agents].find((kind) => kind.name === name)?.summary ?? '';
  const describe = async (name: string): Promise<AgentDescription> => {
    const kindName = project.config.agents[name]?.kind ?? name;
    try {
      const { kind, settings, version, program } = await agents.find(name);
      const isRecorded = agentRoutes(kind, settings, env).length > 0;
      const terminal = settings.terminal ? ((await terminalProblem()) ?? 'opened') : null;
      const facts = { kind: kind.name, summary: kind.summary, version, program, isRecorded };
      return { name, ...facts, terminal, isUsable: true, problem: null, hint: null };
    } catch (error) {
      const { message, hint } = asAssayError(error);
      const facts = { kind: null, summary: summaryOf(kindName), version: null, program: null, isRecorded: false };
      return { name, ...facts, terminal: null, isUsable: false, problem: message, hint };
    }
  };
  return Promise.all((await agents.ids()).map(describe));
}
