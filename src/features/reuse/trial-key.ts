import { join, resolve } from 'node:path';
import type { Trial } from '../../domain/trial.ts';
import type { FoundAgent } from '../../drive/agents/agent.ts';
import { agentEnvironment } from '../../drive/agents/agent-environment.ts';
import { simulatedTools } from '../../drive/mcp/control/simulated-tools.ts';
import { findProgram } from '../../drive/targets/agent-task/find-program.ts';
import type { CliToolConfig } from '../../drive/targets/agent-task/task-config.ts';
import { cleanEnvironment } from '../../drive/workspace/clean-environment.ts';
import type { ReuseParts } from '../../engine/feature.ts';
import { folderOf, matcherOf } from '../../keep/bundles/file-patterns.ts';
import { walkFiles } from '../../keep/bundles/list-files.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import { expandVariables } from '../../shared/variables.ts';
import { FileDigests } from './file-digests.ts';
import { commandInputs, filesInCommands, printedVersion, programInputs } from './program-inputs.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Inputs of trial keys, beside the trial itself. */
export interface TrialKeyParts extends ReuseParts {
  readonly env: Env;
  /** Of the project: commands of agents and plug-ins are relative to it. */
  readonly folder: string;
}

/** Computes a key over everything that runs in a trial with a CLI tool. Only its hash is ever stored. */
export class TrialKeys {
  readonly #parts: TrialKeyParts;
  readonly #digests = new FileDigests();
  readonly #versions = new Map<string, Promise<string>>();

  constructor(parts: TrialKeyParts) {
    this.#parts = parts;
  }

  /** Throws where a program of the trial cannot be read. */
  async of(trial: Trial): Promise<string> {
    const { scenario, variant, case: testCase } = trial;
    const config = scenario.target.config as CliToolConfig;
    const given = this.#environment(config);
    return sha256(
      canonicalJson({
        assay: this.#parts.version,
        scenario: scenario.contentHash,
        timeoutMs: scenario.timeoutMs,
        case: testCase.caseId,
        variant,
        judge: await this.#parts.judgeOf(scenario.judge),
        environment: given,
        agent: await this.#agent(await this.#parts.agents.find(variant.agent ?? ''), given.PATH ?? ''),
        tool: await this.#tool(trial, config, given),
        scripts: await filesInCommands(
          [...commandsOf(trial, config), ...approvalCommands(trial)],
          [scenario.directory],
          this.#digests,
        ),
        plugins: await this.#plugins(),
        ...(await this.#simulated(trial)),
      }),
    );
  }

  /** Models that play tools, as part of the key only where there are some. */
  async #simulated({ scenario }: Trial): Promise<{ readonly simulated?: unknown }> {
    const models = [...new Set(simulatedTools(scenario).map(({ model }) => model))];
    return models.length === 0 ? {} : { simulated: [models, await this.#parts.serversOf?.(models)] };
  }

  /** Environment of the tool, the agent and the scripts, without the folders of the trial. */
  #environment({ env, mcpServers }: CliToolConfig): Record<string, string> {
    const clean = cleanEnvironment(this.#parts.env, { home: '/home', tmp: '/tmp' });
    const servers = JSON.stringify(expandVariables(mcpServers, this.#parts.env));
    return { ...clean, ...expandVariables(env, this.#parts.env), 'mcp servers': servers };
  }

  async #agent(agent: FoundAgent, searchPath: string): Promise<unknown> {
    const { kind, settings, version: agentVersion } = agent;
    const { command, script } = settings;
    const places = { folders: [this.#parts.folder], searchPath };
    return {
      kind: kind.name,
      version: agentVersion,
      settings,
      environment: agentEnvironment(kind, settings, this.#parts.env),
      command: command === undefined ? null : await commandInputs(command, places, this.#digests),
      script: script === undefined ? null : await this.#digests.of(script.path),
    };
  }

  /** Its file, its package or declared inputs, its interpreter, and what it prints as its version. */
  async #tool({ scenario }: Trial, config: CliToolConfig, env: Record<string, string>): Promise<unknown> {
    const { binary, binaries, template, inputs } = config;
    const folders = [scenario.directory, template].filter((folder) => folder !== undefined);
    const declared = inputs.length > 0 ? await this.#declared(inputs, scenario.directory) : undefined;
    if (binary === undefined) return { declared: declared ?? null };
    const searchPath = env.PATH ?? '';
    const programs: unknown[] = [];
    for (const one of [binary, ...binaries]) {
      let program: string;
      try {
        program = findProgram(one, { folders, path: searchPath });
      } catch {
        if (declared === undefined) throw new Error(`\`${one}\` is not installed before the setup runs`);
        return { declared };
      }
      const files = declared ?? (await programInputs(program, searchPath, this.#digests));
      const version = await this.#versionOf(program, env);
      programs.push({ files, file: await this.#digests.of(program), version });
    }
    return programs;
  }

  #declared(patterns: readonly string[], directory: string): Promise<unknown> {
    const expanded = expandVariables(patterns, this.#parts.env);
    return declaredInputs(expanded, [directory, this.#parts.folder], this.#digests);
  }

  /** Runs the program again when it changed. */
  async #versionOf(program: string, env: Record<string, string>): Promise<string> {
    const key = canonicalJson([program, await this.#digests.of(program), env]);
    const version = this.#versions.get(key) ?? printedVersion(program, env);
    this.#versions.set(key, version);
    return version;
  }

  async #plugins(): Promise<unknown> {
    const inputs: Record<string, unknown> = {};
    const { plugins, folder, env } = this.#parts;
    for (const plugin of plugins) {
      const file = /^[./]/.test(plugin)
        ? resolve(folder, plugin)
        : join(folder, 'node_modules', plugin, 'package.json');
      inputs[plugin] = await programInputs(file, env.PATH ?? '', this.#digests);
    }
    return inputs;
  }
}

/** Shell commands of the scenario's author that run in every trial. */
function commandsOf({ case: testCase }: Trial, { setup, postScripts, healthCheck }: CliToolConfig): string[] {
  const evaluators = testCase.evaluators.flatMap(({ config }) => {
    const { command } = (config ?? {}) as { readonly command?: unknown };
    return typeof command === 'string' ? [command] : [];
  });
  return [...setup, ...postScripts.map(({ command }) => command), ...(healthCheck ? [healthCheck] : []), ...evaluators];
}

function approvalCommands({ scenario: { approvals = [] } }: Trial): string[] {
  return approvals.flatMap(({ rule: { answer } }) =>
    typeof answer === 'object' && 'command' in answer ? [answer.command] : [],
  );
}

/** SHA-256 of the files that patterns or paths name, each looked for in the folders in turn. Throws where one names none. */
async function declaredInputs(
  patterns: readonly string[],
  folders: readonly string[],
  digests: FileDigests,
): Promise<unknown> {
  const found: Record<string, unknown> = {};
  for (const pattern of patterns) {
    for (const folder of folders) found[pattern] ??= await matching(pattern, folder, digests);
    if (found[pattern] === undefined) throw new Error(`no file matches \`${pattern}\` of \`inputs\``);
  }
  return found;
}

async function matching(pattern: string, folder: string, digests: FileDigests): Promise<unknown> {
  if (!/[*?{]/.test(pattern)) return digests.of(resolve(folder, pattern)).catch(undefinedIfMissing);
  const isOwn = (_: string, name: string): boolean => name === '.git' || name === '.assay';
  const listing = await walkFiles(folder, isOwn, folderOf(pattern)).catch(undefinedIfMissing);
  const paths = (listing?.paths ?? []).filter(matcherOf([pattern])).sort();
  const files: [string, string][] = [];
  for (const path of paths) files.push([path, await digests.of(join(folder, path))]);
  return files.length === 0 ? undefined : files;
}

function undefinedIfMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return undefined;
}
