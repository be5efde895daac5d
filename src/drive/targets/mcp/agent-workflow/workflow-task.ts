import { resolve } from 'node:path';
import { type Workflow, workflowServerName } from '../../../../domain/mcp-suites.ts';
import { expandVariables } from '../../../../shared/variables.ts';
import type { ServerDefinition } from '../../../mcp/server-definition.ts';
import type { TaskConfig } from '../../agent-task/task-config.ts';
import type { TargetContext } from '../../target.ts';
import { chosenWording } from '../workflow/chosen-wording.ts';
import type { AgentWorkflowConfig } from './agent-workflow-config.ts';

/** The workflow as a task for an agent that has the server and nothing else under test. */
export function workflowTask(
  workflow: Workflow,
  config: AgentWorkflowConfig,
  description: string | undefined,
  context: Pick<TargetContext, 'directory' | 'env'>,
): TaskConfig {
  const definition = definitionIn(config.server, context);
  const chosen = chosenWording(description, config.wordings);
  const wording = Object.keys(chosen).length === 0 ? null : chosen;
  return {
    tool: undefined,
    mcpServers: { [workflowServerName]: { definition, wording } },
    judgesServers: true,
    prompt: promptOf(workflow),
    env: {},
    setup: [],
    postScripts: [],
    guidance: {},
    isolation: config.isolation ?? 'auto',
  };
}

/** As the file means it: variables are those of the user, and a program starts in the folder of the file. */
function definitionIn(server: ServerDefinition, { directory, env }: Pick<TargetContext, 'directory' | 'env'>) {
  const definition = expandVariables(server, env);
  return definition.transport === 'stdio'
    ? { ...definition, cwd: resolve(directory, definition.cwd ?? '.') }
    : definition;
}

/** One step is the task; of several, each must be done before the next. */
function promptOf({ steps, system }: Workflow): string {
  const [only] = steps;
  const asked =
    steps.length === 1 && only
      ? only.user
      : `Do these steps one after the other:\n${steps.map(({ user }, index) => `${index + 1}. ${user}`).join('\n')}`;
  return system === undefined ? asked : `${system}\n\n${asked}`;
}
