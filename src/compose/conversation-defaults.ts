import type { RunRequest } from '../domain/run.ts';
import type { ConversationDefaults } from '../load/scenarios/scenario-format.ts';
import type { Project } from './config.ts';

/** What the config and a request say of agents that are talked to, and of who talks to them. */
export function conversationDefaults(
  { config, parts }: Project,
  { variants }: Pick<RunRequest, 'variants'>,
): ConversationDefaults {
  const { connectors = [], connectorUrl, models = [] } = variants ?? {};
  return {
    connectors: config.connectors,
    personas: Object.fromEntries(
      Object.entries(config.personas).map(([key, persona]) => [key, { ...persona, name: persona.name ?? key }]),
    ),
    connectorKinds: parts.connectors,
    connectorNames: connectors.length > 0 ? connectors : undefined,
    connectorUrl: connectorUrl ?? undefined,
    models: models.length > 0 ? models : undefined,
  };
}
