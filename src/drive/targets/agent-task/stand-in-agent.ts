import { everyAction } from '../../agents/actions.ts';
import type { AgentKind, FoundAgent } from '../../agents/agent.ts';

/** Stands in for an agent, without a program or a model, to find out what a task demands. */
export function standInAgent(name: string, summary: string, drive: AgentKind['drive']): FoundAgent {
  const kind: AgentKind = {
    ...{ name, summary, drive, program: null, versionArguments: [], install: '' },
    ...{ inheritedVariables: [], keyVariables: [], isScripted: true, isStandIn: true },
    reports: { work: 'live', usage: 'live', actions: everyAction },
  };
  return { kind, settings: { env: {}, args: [] }, program: name, version: null };
}
