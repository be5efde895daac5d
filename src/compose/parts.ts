import type { FilePosition } from '../domain/errors.ts';
import type { PartSpec } from '../domain/scenario.ts';
import type { AgentKind } from '../drive/agents/agent.ts';
import type { ConnectorKind } from '../drive/connectors/connector.ts';
import { connectorKinds } from '../drive/connectors/index.ts';
import { conversationTargetWith } from '../drive/conversation/conversation-target.ts';
import { targetKinds } from '../drive/targets/index.ts';
import type { ScenarioParts } from '../load/scenarios/scenario-format.ts';
import { reporters } from '../report/reporters/index.ts';
import type { Reporter } from '../report/reporters/reporter.ts';
import { evaluators } from '../score/evaluators/index.ts';

/** Everything that a project can name: the program's own parts, and those of its plug-ins. */
export interface Parts extends ScenarioParts {
  readonly connectors: readonly ConnectorKind[];
  readonly reporters: readonly Reporter[];
  /** Of plug-ins; the program's own are loaded when an agent is looked for. */
  readonly agents: readonly AgentKind[];
  /** Evaluators of plug-ins that run on every case. */
  readonly autoEvaluators: readonly PartSpec[];
}

/** The program's own parts. */
export const registeredParts: Parts = {
  targets: [...targetKinds, conversationTargetWith(connectorKinds)],
  evaluators,
  connectors: connectorKinds,
  reporters,
  agents: [],
  autoEvaluators: [],
};

interface NamedPlugins {
  readonly plugins: readonly string[];
  readonly evaluators: readonly string[];
}

/** The parts of a project with its plug-ins; problems are reported at their position in the config. */
export async function partsWith(
  config: NamedPlugins,
  folder: string,
  locate: (path: readonly PropertyKey[]) => FilePosition,
): Promise<Parts> {
  if (config.plugins.length + config.evaluators.length === 0) return registeredParts;
  const { loadPlugins, pluginEntries, withPlugins } = await import('./plugins/load-plugins.ts');
  const { agentKinds } = await import('../drive/agents/index.ts');
  const plugins = await loadPlugins(pluginEntries(config, locate), folder);
  const merged = withPlugins({ ...registeredParts, agents: agentKinds }, plugins);
  return {
    ...merged,
    targets: [...targetKinds, conversationTargetWith(merged.connectors)],
    agents: plugins.agents,
    autoEvaluators: plugins.autoEvaluators,
  };
}
