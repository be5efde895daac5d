import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Project } from '../../../compose/config/project.ts';
import { AssayError } from '../../../domain/errors.ts';
import type { VariantChoice } from '../../../domain/run.ts';
import { listOption, textOption } from './values.ts';

/** Who drives CLI tools, as the command line says it. */
export interface AgentOptions {
  readonly agent?: string[];
  readonly tool?: string[];
  readonly tools?: string[];
  readonly model?: string[];
  readonly models?: string[];
  readonly profile?: string;
  readonly targetBinary?: string;
  readonly connector?: string[];
  readonly connectorUrl?: string;
}

/** The flags, with the names that they had in earlier programs. */
export function addAgentOptions(command: Command): void {
  command
    .option('--agent <names>', 'agents to run', listOption)
    .option('--model <names>', 'models for the agents', listOption)
    .option('--profile <name>', 'use the agents and models of this config profile', textOption)
    .option('--target-binary <path>', 'test this program instead of the one in the scenarios', textOption)
    .option('--connector <names>', 'names of connectors to conversational agents', listOption)
    .option('--connector-url <url>', 'override the URL of the connectors', textOption);
  for (const [older, name] of [
    ['tool', 'agent'],
    ['tools', 'agent'],
    ['models', 'model'],
  ]) {
    command.addOption(new Option(`--${older} <names>`, `the same as --${name}`).argParser(listOption).hideHelp());
  }
}

/** The choice that the flags make; null when they make none. */
export function variantChoice(options: AgentOptions, cwd: string): VariantChoice | null {
  const agents = [options.agent, options.tool, options.tools].flatMap((names) => names ?? []);
  const models = [options.model, options.models].flatMap((names) => names ?? []);
  const { profile = null, targetBinary } = options;
  if (profile !== null && agents.length + models.length > 0) {
    throw new AssayError('USAGE', 'Cannot specify both --profile and --agent/--model (--tool/--model).');
  }
  const { connector: connectors = [], connectorUrl = null } = options;
  const chosen = [...agents, ...models, ...connectors, profile, targetBinary, connectorUrl];
  if (chosen.every((each) => each === null || each === undefined)) return null;
  const isPath = targetBinary?.includes('/') ?? false;
  const binary = isPath ? resolve(cwd, targetBinary ?? '') : (targetBinary ?? null);
  return { agents, models, profile, targetBinary: binary, connectors, connectorUrl };
}

/** The file that `--scenario` names, in the current folder or among the fixtures; undefined when it is a name. */
export function scenarioFile(given: string | undefined, cwd: string, { folder, config }: Project): string | undefined {
  if (given === undefined) return undefined;
  const fixtures = config.fixtures === undefined ? [] : [join(folder, config.fixtures)];
  const places = [cwd, ...fixtures].flatMap((place) => ['', '.yaml', '.yml'].map((end) => resolve(place, given + end)));
  // A folder of that name is not meant: a scenario is one file.
  return places.find((place) => /\.(ya?ml|jsonc?|toml)$/i.test(place) && existsSync(place));
}
