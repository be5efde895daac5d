import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { PartSpec, Scenario } from '../domain/scenario.ts';
import type { Variant } from '../domain/trial.ts';
import { type Needs, protocolVersion } from '../keep/distribution/distribution.ts';
import { isRecord } from '../shared/json.ts';
import { variablesIn } from '../shared/variables.ts';
import { agentNeeds } from './agent-needs.ts';
import type { Project } from './config.ts';
import { conversationNeeds } from './conversation-needs.ts';
import { modelKeys } from './model-keys.ts';

/** What decides beside the files what a trial needs. */
export interface NeedsContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Models that judge the trial; none where no evaluator asks a judge. */
  readonly judges: readonly string[];
  /** The model that plays those who talk to an agent, where they name none themselves. */
  readonly personaModel?: string | undefined;
}

/**
 * What a worker must have for the trials of a scenario under a variant. Of variables, `A|B` means that one of the two
 * is enough.
 */
export function needsOf(scenario: Scenario, variant: Variant, project: Project, context: NeedsContext): Needs {
  const { config } = project;
  const agent = variant.agent === undefined ? undefined : agentNeeds(variant.agent, variant.model, project);
  const models = [...context.judges, ...playersOf(scenario, variant, context)];
  const variables = [
    ...(project.variables ?? []),
    ...targetVariables(scenario, context),
    ...(scenario.target.type === 'conversation' ? conversationNeeds(scenario.target.config, variant) : []),
    ...(agent?.env ?? []),
    ...models.flatMap((model) => modelKeys(model, config.models, scenario.judge.apiKeys)),
  ];
  return {
    tags: unique([...config.worker.tags, ...(scenario.workerTags ?? [])]),
    agents: [...(agent?.agents ?? [])],
    env: unique(variables),
    protocol: protocolVersion,
  };
}

/** Whether a judge is asked about a case that these evaluators look at. */
export function asksJudge(evaluators: readonly PartSpec[], { parts }: Project): boolean {
  const judged = new Set(parts.evaluators.filter(({ needs }) => needs.includes('judge')).map(({ type }) => type));
  return evaluators.some(({ type }) => judged.has(type));
}

/** Models that take part in the trial itself: one that uses the tools of a server, or that plays the user. */
function playersOf({ target }: Scenario, { agent, model, persona }: Variant, context: NeedsContext): string[] {
  if (target.type === 'mcp-workflow') return agent === undefined && model !== undefined ? [model] : [];
  if (target.type !== 'conversation') return [];
  const personas = isRecord(target.config) && isRecord(target.config.personas) ? target.config.personas : {};
  const { model: own = context.personaModel } = (persona === undefined ? {} : personas[persona]) as { model?: string };
  return own !== undefined && isPlayed(persona === undefined ? undefined : personas[persona]) ? [own] : [];
}

/** Somebody without fixed messages, or who is described, is played by a model. */
function isPlayed(persona: unknown): boolean {
  if (!isRecord(persona)) return false;
  const isDescribed = ['description', 'systemPrompt', 'goal', 'stopWhen', 'model'].some((key) => key in persona);
  return isDescribed || !Array.isArray(persona.messages) || persona.messages.length === 0;
}

/** Settings of a target in which `${VAR}` is expanded when it is opened; elsewhere it is text, or the shell's. */
const expandedSettings = ['url', 'headers', 'env', 'server', 'mcpServers'];

function targetVariables({ target, file, directory }: Scenario, { env }: NeedsContext): string[] {
  const config = isRecord(target.config) ? target.config : {};
  const named = expandedSettings.flatMap((key) => variablesIn(config[key]));
  if (!target.type.startsWith('mcp-')) return named;
  // Their files are expanded when they are read, so that only the files themselves still tell; but for the key of the
  // judge, which only matters where a judge is asked.
  const text = textOf(join(directory, basename(file))).replace(/openaiKey["']?\s*[:=]\s*["']?\$\{[^}]+\}/g, '');
  return [...named, ...variablesIn(text).filter((name) => env[name])];
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
