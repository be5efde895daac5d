import type { Problem } from '../domain/problem.ts';
import type { Scenario } from '../domain/scenario.ts';
import type { AgentKind } from '../drive/agents/agent.ts';
import type { Project } from './config.ts';

const consequences: Readonly<Record<Exclude<AgentKind['reports']['usage'], 'live'>, string>> = {
  'at-end': 'reports its cost only at its end, so it is not stopped when it passes the limit',
  never: 'reports neither tokens nor cost, so the limit is not enforced',
  unknown: 'may not report its cost while it works, so it may pass the limit before it is stopped',
};

/** Limits of cost that cannot be enforced, because the agent does not report what it spends while it works. */
export async function costLimitWarnings(scenarios: readonly Scenario[], project: Project): Promise<Problem[]> {
  const limited = scenarios.filter(({ target }) => maxUsdOf(target.config) !== undefined);
  if (limited.length === 0) return [];
  const { agentKinds } = await import('../drive/agents/index.ts');
  const kinds = new Map([...agentKinds, ...project.parts.agents].map((kind) => [kind.name, kind]));
  const kindOf = (agent: string): AgentKind | undefined => {
    const config = project.config.agents[agent];
    return kinds.get(config?.kind ?? agent) ?? (config?.command === undefined ? undefined : kinds.get('command'));
  };
  return limited.flatMap(({ file, variants, target }) => {
    const agents = new Set((variants ?? []).flatMap(({ agent }) => agent ?? []));
    return [...agents].flatMap((agent) => {
      const kind = kindOf(agent);
      if (!kind || kind.isScripted || kind.reports.usage === 'live') return [];
      const message = `\`cost.max_usd\` is $${maxUsdOf(target.config)}, but the agent \`${agent}\` ${consequences[kind.reports.usage]}`;
      return [{ at: { file, line: 1, column: 1 }, message }];
    });
  });
}

function maxUsdOf(config: unknown): number | undefined {
  const { maxUsd } = (config ?? {}) as { readonly maxUsd?: unknown };
  return typeof maxUsd === 'number' ? maxUsd : undefined;
}
