import * as z from 'zod';
import type { Problem } from '../../../domain/problem.ts';
import type { Variant } from '../../../domain/variant.ts';
import { surfaceNames, type ToolSubsets, toolOfServer } from '../../../drive/mcp/surfaces/tool-surface.ts';
import { didYouMean, suggestion } from '../../../shared/suggest.ts';
import type { DataPath } from '../../sources/parsed-source.ts';
import type { CliToolDefaults } from '../scenario-format.ts';

/** Sections of a scenario that choose agents and models. */
export interface AgentSections {
  readonly tool_matrix?: readonly { readonly tool: string; readonly models: readonly string[] }[] | undefined;
  readonly agents?: readonly string[] | undefined;
  readonly models?: readonly string[] | undefined;
}

/** Names of what is laid down for the agent: the task is done under each guidance with each set of skills. */
export interface Arms {
  readonly guidance: readonly string[];
  readonly skills: readonly string[];
}

/** Problem of a choice, with its path in the scenario; empty when it comes from the command line. */
export interface ChoiceProblem extends Pick<Problem, 'message' | 'hint'> {
  readonly path: DataPath;
}

/** The variants of agents and models, or problems. */
export interface Choice {
  readonly variants: readonly Variant[];
  readonly problems: readonly ChoiceProblem[];
}

/** One agent with one model, and its path in the scenario. */
interface Pair {
  readonly agent: string;
  readonly model: string;
  readonly path: DataPath;
}

/** The model name for the agent's own default. */
const ownChoice = 'default';

/** Chooses the agents and models: those of a requested profile, else of the scenario, else of the command line. */
export function chooseVariants(sections: AgentSections, defaults: CliToolDefaults, arms: Arms): Choice {
  const obstacle = obstacleTo(sections, defaults);
  if (obstacle) return { variants: [], problems: [obstacle] };
  const pairs = pairsOf(sections, defaults);
  const problems = pairs.flatMap((pair) => unsupported(pair, defaults));
  return { variants: variantsOf(pairs, arms), problems };
}

/** The key of the scenario that overrides agents or models of the command line. */
export function overridingKey(sections: AgentSections, requested: CliToolDefaults): keyof AgentSections | undefined {
  if (requested.profile !== undefined) return undefined;
  if (sections.tool_matrix && (requested.agents ?? requested.models)) return 'tool_matrix';
  if (sections.agents && requested.agents) return 'agents';
  return sections.models && requested.models ? 'models' : undefined;
}

function obstacleTo(sections: AgentSections, { profile, profiles }: CliToolDefaults): ChoiceProblem | undefined {
  const beside = sections.agents ? 'agents' : sections.models ? 'models' : undefined;
  if (sections.tool_matrix && beside)
    return { path: [beside], message: `\`tool_matrix\` and \`${beside}\` cannot be used together` };
  if (profile === undefined) {
    if (sections.tool_matrix?.length !== 0) return undefined;
    const hint = 'Name a tool, or leave `tool_matrix` out.';
    return { path: ['tool_matrix'], message: '`tool_matrix` has no tools, so nothing would run', hint };
  }
  if (!Object.hasOwn(profiles, profile)) {
    const names = Object.keys(profiles);
    const hint = names.length > 0 ? suggestion(profile, names) : 'Define profiles in the configuration; it has none.';
    return { path: [], message: `Profile '${profile}' not found in configuration`, hint };
  }
  if (profiles[profile]?.agents.length === 0) return { path: [], message: `Profile '${profile}' names no tools` };
  return undefined;
}

function pairsOf(sections: AgentSections, defaults: CliToolDefaults): Pair[] {
  const profile = defaults.profile === undefined ? undefined : defaults.profiles[defaults.profile];
  if (profile) return product(profile.agents, profile.models, () => []);
  if (sections.tool_matrix)
    return sections.tool_matrix.flatMap(({ tool, models }, row) =>
      product([tool], models, (_agent, model) => ['tool_matrix', row, 'models', model]),
    );
  const agents = sections.agents ?? defaults.agents ?? [defaults.defaultAgent()];
  const models = sections.models ?? defaults.models ?? [];
  return product(agents, models, (agent, model) => {
    if (sections.models) return ['models', model];
    return sections.agents ? ['agents', agent] : [];
  });
}

function product(
  agents: readonly string[],
  models: readonly string[],
  pathOf: (agent: number, model: number) => DataPath,
): Pair[] {
  const tried = models.length > 0 ? models : [ownChoice];
  return agents.flatMap((agent, row) => tried.map((model, column) => ({ agent, model, path: pathOf(row, column) })));
}

/** Only a profile needs its agents in the config; other agents are built in. */
function unsupported({ agent, model, path }: Pair, { tools, profile }: CliToolDefaults): ChoiceProblem[] {
  const tool = Object.hasOwn(tools, agent) ? tools[agent] : undefined;
  if (!tool) {
    if (profile === undefined) return [];
    const hint = didYouMean(agent, Object.keys(tools)) ?? `Add a \`[tools.${agent}]\` to it.`;
    return [{ path, message: `Tool '${agent}' not found in configuration`, hint }];
  }
  if (model === ownChoice || tool.models.length === 0 || tool.models.includes(model)) return [];
  return [{ path, message: `Tool '${agent}' does not support model '${model}'`, hint: suggestion(model, tool.models) }];
}

function variantsOf(pairs: readonly Pair[], arms: Arms): Variant[] {
  const guidances = arms.guidance.length > 0 ? arms.guidance.map((guidance) => ({ guidance })) : [{}];
  const skills = arms.skills.length > 0 ? arms.skills.map((name) => ({ skills: name })) : [{}];
  const laidDown = guidances.flatMap((guidance) => skills.map((part) => ({ ...guidance, ...part })));
  const variants = pairs.flatMap(({ agent, model }) =>
    laidDown.map((arm) => ({ agent, ...(model === ownChoice ? {} : { model }), ...arm })),
  );
  // A trial is identified by its variant, so duplicates are removed.
  return [...new Map(variants.map((variant) => [JSON.stringify(variant), variant])).values()];
}

/** The keys of a file for the ways in which tools of MCP servers are offered. */
export const surfacesKeys = (aboutSubsets: string) => ({
  surfaces: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe(
      'ways to offer the tools to the model, one variant each: `all`, `search` (find and call), `code` (one tool that runs programs), or the name of a subset',
    ),
  subsets: z
    .record(z.string().min(1), z.array(z.string().min(1)).min(1))
    .default({})
    .describe(aboutSubsets),
});

interface SurfaceSections {
  readonly surfaces?: readonly string[] | undefined;
  readonly subsets: ToolSubsets;
}

/** Surfaces that do not exist, and subsets with the name of one that does. */
export function surfaceProblems({ surfaces = [], subsets }: SurfaceSections): ChoiceProblem[] {
  const names = [...surfaceNames, ...Object.keys(subsets)];
  const unknown = surfaces.flatMap((name, index): ChoiceProblem[] => {
    if (names.includes(name)) return [];
    return [{ path: ['surfaces', index], message: `unknown surface "${name}"`, hint: suggestion(name, names) }];
  });
  const taken = surfaceNames.filter((name) => Object.hasOwn(subsets, name));
  const renamed = taken.map((name): ChoiceProblem => {
    const hint = 'Give the subset another name.';
    return { path: ['subsets', name], message: `\`${name}\` is the name of a surface that every server has`, hint };
  });
  return [...unknown, ...renamed];
}

/** The same, and tools of subsets that belong to none of the servers; which tools a server has is known when it runs. */
export function surfaceProblemsOfServers(sections: SurfaceSections, servers: readonly string[]): ChoiceProblem[] {
  const { surfaces, subsets } = sections;
  if (servers.length === 0) {
    const key = surfaces ? 'surfaces' : Object.keys(subsets).length > 0 ? 'subsets' : undefined;
    const message = `\`${key}\` offers the tools of MCP servers, and the scenario has none`;
    return key === undefined ? [] : [{ path: [key], message, hint: 'Add `mcp_servers`.' }];
  }
  const strangers = Object.entries(subsets).flatMap(([name, tools]) =>
    tools.flatMap((tool, index): ChoiceProblem[] => {
      if (toolOfServer(tool, servers)) return [];
      const hint = `Write \`server/tool\`, with one of these servers: ${servers.join(', ')}.`;
      return [{ path: ['subsets', name, index], message: `"${tool}" names no tool of a server`, hint }];
    }),
  );
  return [...surfaceProblems(sections), ...strangers];
}

/** Each variant with each surface; the same variants where none are named. */
export function withSurfaces(variants: readonly Variant[], surfaces: readonly string[] = []): readonly Variant[] {
  if (surfaces.length === 0) return variants;
  // A trial is identified by its variant, so duplicates are removed.
  const names = [...new Set(surfaces)];
  return variants.flatMap((variant) => names.map((surface) => ({ ...variant, surface })));
}
