import type { AgentKind } from '../agents/agent.ts';
import type { FilePosition } from '../domain/errors.ts';
import type { PartSpec } from '../domain/scenario.ts';
import { evaluators } from '../evaluators/index.ts';
import { reporters } from '../reporters/index.ts';
import type { Reporter } from '../reporters/reporter.ts';
import type { ScenarioParts } from '../scenarios/scenario-format.ts';
import type { ConnectorKind } from '../targets/connectors/connector.ts';
import { connectorKinds } from '../targets/connectors/index.ts';
import { conversationTargetWith } from '../targets/conversation/conversation-target.ts';
import { targetKinds } from '../targets/index.ts';

/** Everything that a project can name: the program's own parts, and those of its plug-ins. */
export interface Parts extends ScenarioParts {
  readonly connectors: readonly ConnectorKind[];
  readonly reporters: readonly Reporter[];
  /** Of plug-ins; the program's own are loaded when an agent is looked for. */
  readonly agents: readonly AgentKind[];
  /** Evaluators of plug-ins that every case is asked about. */
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

/** The parts of a project; its plug-ins are loaded, and what is wrong with them is told with its place in the config. */
export async function partsWith(
  config: NamedPlugins,
  folder: string,
  locate: (path: readonly PropertyKey[]) => FilePosition,
): Promise<Parts> {
  if (config.plugins.length + config.evaluators.length === 0) return registeredParts;
  const { loadPlugins } = await import('../plugins/load-plugins.ts');
  const { pluginEntries } = await import('../plugins/plugin-entries.ts');
  const { withPlugins } = await import('../plugins/with-plugins.ts');
  const { agentKinds } = await import('../agents/index.ts');
  const plugins = await loadPlugins(pluginEntries(config, locate), folder);
  const merged = withPlugins({ ...registeredParts, agents: agentKinds }, plugins);
  return {
    ...merged,
    targets: [...targetKinds, conversationTargetWith(merged.connectors)],
    agents: plugins.agents,
    autoEvaluators: plugins.autoEvaluators,
  };
}
