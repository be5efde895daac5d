import { hasTurns } from '../../../domain/conversation.ts';
import { AssayError } from '../../../domain/errors.ts';
import { eventsOf, type Trace } from '../../../domain/trace.ts';
import type { Project } from '../../config/project.ts';
import type { RecordedTrial } from './recorded-trial.ts';

/** Facts that a trace may lack. */
export interface TraceHints {
  /** The connector of a conversation: a name or an address. */
  readonly connector?: string | undefined;
  /** The program under test, where an agent used one. */
  readonly binary?: string | undefined;
}

/** A scenario from a trace alone: a task for an agent with a tool, or a conversation. */
export function caseOfTrace(trial: RecordedTrial, hints: TraceHints, project: Project): Record<string, unknown> {
  const { trace, record } = trial;
  const prompts = userMessages(trace);
  const [prompt] = prompts;
  if (prompt === undefined) {
    throw new AssayError('USAGE', 'The trial cannot be promoted: its trace has no message of a user.', {
      hint: 'Restore its scenario file, and promote it again.',
    });
  }
  const binary = hints.binary ?? toolOf(trace);
  const isTask = binary !== undefined || (isAgentSession(trace) && project.config.target !== undefined);
  if (isTask && hints.connector === undefined) {
    const { agent, model } = record.variant;
    return {
      target: binary === undefined ? 'from_config' : { binary },
      task: { prompt },
      ...(agent !== undefined && { agents: [agent] }),
      ...(model !== undefined && { models: [model] }),
    };
  }
  return {
    ...connectorOf(hints, project),
    ...systemMessages(trace),
    userMessages: prompts,
    maxMessages: Math.max(10, prompts.length * 2),
  };
}

function userMessages(trace: Trace): string[] {
  const sent = eventsOf(trace, 'message').filter(({ role, text }) => role === 'user' && text.trim() !== '');
  return sent.map(({ text }) => text);
}

/** Instructions of the agent come before its first answer. */
function systemMessages(trace: Trace): Record<string, unknown> {
  const system = eventsOf(trace, 'message').filter(({ role }) => role === 'system');
  return system.length === 0 ? {} : { messages: system.map(({ role, text: content }) => ({ role, content })) };
}

/** The program that the trace says is under test. */
function toolOf(trace: Trace): string | undefined {
  return eventsOf(trace, 'workspace')[0]?.tool?.binary ?? eventsOf(trace, 'command')[0]?.argv[0];
}

function isAgentSession(trace: Trace): boolean {
  return !hasTurns(trace) && trace.some(({ type }) => type === 'agent-started');
}

function connectorOf({ connector }: TraceHints, { config }: Project): Record<string, unknown> {
  if (connector !== undefined) return { connector };
  const [only, ...others] = Object.keys(config.connectors);
  if (only !== undefined && others.length === 0) return { connector: only };
  const message =
    only === undefined ? 'The project has no connector to the agent.' : 'The project has several connectors.';
  throw new AssayError('USAGE', message, {
    hint:
      only === undefined
        ? 'Name the agent with --connector http://…, or the program that it used with --binary.'
        : `Choose one with --connector: ${[only, ...others].join(', ')}.`,
  });
}
