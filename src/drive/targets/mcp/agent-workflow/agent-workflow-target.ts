import { resolve } from 'node:path';
import { countedUsage } from '../../../../domain/counted-usage.ts';
import { type Workflow, workflowSchema } from '../../../../domain/mcp/suites.ts';
import type { Message } from '../../../../domain/message.ts';
import { onlyServerName } from '../../../../domain/tools/known-tools.ts';
import { eventsOf, type Trace, type TraceEvent, type UnstampedEvent } from '../../../../domain/trace.ts';
import type { Trial } from '../../../../domain/trial.ts';
import { knownUsage, sumOfUsage } from '../../../../domain/usage.ts';
import type { Variant } from '../../../../domain/variant.ts';
import { sumOf } from '../../../../shared/stats/spread.ts';
import { expandVariables } from '../../../../shared/variables.ts';
import type { ServerDefinition } from '../../../mcp/server-definition.ts';
import { chosenSurface } from '../../../mcp/surfaces/tool-surface.ts';
import type { AgentWork } from '../../agent-task/agent-work.ts';
import { attemptTask } from '../../agent-task/attempt-task.ts';
import type { TaskConfig } from '../../agent-task/task-config.ts';
import type { StampedTrace } from '../../stamped-trace.ts';
import type { Attempt, StopRequest, Target, TargetContext, TurnControl } from '../../target.ts';
import type { AgentWorkflowConfig } from '../mcp-agent-workflow-target.ts';
import { chosenWording } from '../workflow/prompt-and-wording.ts';

/** The workflow as a task for an agent that has the server and nothing else under test. */
export function workflowTask(
  workflow: Workflow,
  config: AgentWorkflowConfig,
  { description, surface }: Pick<Variant, 'description' | 'surface'>,
  context: Pick<TargetContext, 'directory' | 'env'>,
): TaskConfig {
  const definition = definitionIn(config.server, context);
  const chosen = chosenWording(description, config.wordings);
  const wording = Object.keys(chosen).length === 0 ? null : chosen;
  const offered = chosenSurface(surface, config.subsets);
  return {
    tool: undefined,
    mcpServers: { [onlyServerName]: { definition, wording, surface: offered.kind === 'all' ? null : offered } },
    judgesServers: true,
    prompt: promptOf(workflow),
    env: {},
    setup: [],
    postScripts: [],
    guidance: {},
    skills: {},
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
  const task =
    steps.length === 1 && only
      ? only.user
      : `Do these steps one after the other:\n${steps.map(({ user }, index) => `${index + 1}. ${user}`).join('\n')}`;
  return system === undefined ? task : `${system}\n\n${task}`;
}

/** All messages and tool calls of an agent, as one answer. */
export function workflowTurn(trace: Trace): UnstampedEvent {
  const [started, ended] = [eventsOf(trace, 'agent-started')[0], eventsOf(trace, 'agent-ended')[0]];
  const usage = countedUsage(trace);
  const used = knownUsage(sumOfUsage(usage) ?? {});
  const costs = usage.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    type: 'turn',
    number: 1,
    messages: trace.flatMap(messageIn),
    latencyMs: Math.max(0, (ended?.at ?? 0) - (started?.at ?? 0)),
    ...(used && { usage: used }),
    ...(usage.length > 0 && costs.length === usage.length && { costUsd: sumOf(costs) }),
  };
}

/** Calls are those that reached the server, by the names that it knows. */
function messageIn(event: TraceEvent): Message[] {
  if (event.type === 'message') return event.role === 'assistant' ? [{ role: 'assistant', content: event.text }] : [];
  if (event.seenBy !== 'recorder') return [];
  if (event.type === 'tool-call') {
    const { callId, tool, input } = event;
    const called = { name: tool, arguments: JSON.stringify(input) ?? 'null' };
    return [{ role: 'assistant', content: null, tool_calls: [{ id: callId, type: 'function', function: called }] }];
  }
  if (event.type !== 'tool-result') return [];
  return [{ role: 'tool', tool_call_id: event.callId, content: JSON.stringify(event.result ?? event.error) ?? '' }];
}

/** Gives the steps of a workflow to an agent as its task, with the server at hand. */
export class AgentWorkflowTarget implements Target {
  readonly #config: AgentWorkflowConfig;
  readonly #context: TargetContext;
  readonly #work: AgentWork;

  constructor(config: AgentWorkflowConfig, context: TargetContext, work: AgentWork) {
    this.#config = config;
    this.#context = context;
    this.#work = work;
  }

  async attempt(trial: Trial, trace: StampedTrace, stop: StopRequest, turns: TurnControl): Promise<Attempt> {
    const workflow = workflowSchema.parse(trial.case.input);
    const config = workflowTask(workflow, this.#config, trial.variant, this.#context);
    const { prepared } = turns;
    const attempt = await attemptTask({
      trial,
      config,
      work: this.#work,
      context: this.#context,
      trace,
      stop,
      prepared,
    });
    try {
      trace.emit(workflowTurn(trace.events));
      await turns.afterTurn(true);
      return attempt;
    } catch (error) {
      await attempt.settle();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Each trial ends what it started.
  }
}
