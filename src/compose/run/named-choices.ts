import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { AssayError, type ErrorCode } from '../../domain/errors.ts';
import type { RunOptions } from '../../domain/option-values.ts';
import type { Problem } from '../../domain/problem.ts';
import { judgeOptions } from '../../domain/run-options/judge.ts';
import { nameOfOption } from '../../domain/run-options/run-option.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { Variant } from '../../domain/variant.ts';
import { suggestion } from '../../shared/suggest.ts';
import type { Project } from '../config/project.ts';
import { ProjectAgents } from '../config/project-agents.ts';
import { isJudged } from './cost-limits.ts';

/** Refuses names in options that mean nothing, also where no scenario would use them. */
export async function assertNamedChoices(
  { agents = [], profile, connectors = [], replay }: RunOptions,
  project: Project,
  scenarios: readonly Scenario[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { config, parts, folder } = project;
  if (agents.length > 0) {
    const { agentKinds } = await import('../../drive/agents/index.ts');
    const ids = await new ProjectAgents(project, env).ids();
    assertKnown('agent', agents, ids, { others: agentKinds.map(({ name }) => name), code: 'AGENT_UNKNOWN' });
  }
  if (profile !== undefined) assertKnown('profile', [profile], Object.keys(config.profiles));
  const others = [
    ...parts.connectors.map(({ type }) => type),
    ...scenarios.flatMap(({ variants }) => variants.flatMap(({ connector }) => connector ?? [])),
  ];
  assertKnown('connector', connectors, Object.keys(config.connectors), { others });
  if (replay === undefined || existsSync(resolve(folder, replay))) return;
  const hint = 'Record them with --record.';
  throw new AssayError('REPLAY_UNREADABLE', `There are no recordings in ${replay}.`, { hint });
}

/** Warnings about options that choose a part of variants which no scenario of the run has. */
export function idleChoices(
  { agents = [], models = [], connectors = [] }: RunOptions,
  scenarios: readonly Scenario[],
): Problem[] {
  const choices = [
    { flag: '--agent', part: 'agent', names: agents },
    { flag: '--model', part: 'model', names: models },
    { flag: '--connector', part: 'connector', names: connectors },
  ] as const;
  const [first] = scenarios;
  const has = (part: keyof Variant): boolean =>
    scenarios.some(({ variants }) => variants.some((variant) => variant[part] !== undefined));
  return choices.flatMap(({ flag, part, names }) => (names.length === 0 || has(part) ? [] : idle(flag, part, first)));
}

/** Warnings about options that choose how judges work, where no scenario of the run has one. */
export async function idleJudging(
  options: RunOptions,
  scenarios: readonly Scenario[],
  project: Project,
): Promise<Problem[]> {
  const { judge, judgeModels = [], judgePrompt, judgeAlways, judgeProbes, batch } = options;
  const given = { judge, judgeModels: judgeModels.length > 0, judgePrompt, judgeAlways, judgeProbes, batch };
  const flags = judgeOptions.filter(({ key }) => given[key]).map((option) => nameOfOption(option));
  if (flags.length === 0) return [];
  for (const scenario of scenarios) if (await isJudged(scenario, project)) return [];
  return flags.flatMap((flag) => idle(flag, 'judge', scenarios[0]));
}

function idle(flag: string, part: string, first: Scenario | undefined): Problem[] {
  if (!first) return [];
  const message = `${flag} has no effect: no scenario of this run uses ${part === 'agent' ? 'an' : 'a'} ${part}`;
  const hint = 'Leave it out, or choose scenarios that use one.';
  return [{ at: { file: first.file, line: 1, column: 1 }, message, hint }];
}

/** `others` mean something too, and are not what is suggested first. */
function assertKnown(
  kind: string,
  names: readonly string[],
  known: readonly string[],
  { others = [], code = 'USAGE' }: { readonly others?: readonly string[]; readonly code?: ErrorCode } = {},
): void {
  const all = [...new Set([...known, ...others])];
  const other = names.find((name) => !all.includes(name));
  if (other === undefined) return;
  const hint =
    all.length === 0 ? `Leave it out: the config names no ${kind}.` : suggestion(other, known.length > 0 ? known : all);
  throw new AssayError(code, `There is no ${kind} "${other}".`, { hint });
}
