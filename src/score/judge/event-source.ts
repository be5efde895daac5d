import type { EvidenceSource } from '../../domain/judge-result.ts';
import type { Trace, TraceEvent } from '../../domain/trace.ts';
import { gapsIn } from '../../domain/trace-coverage/coverage.ts';

/** Whose words or work an event holds; `assay` stands for what was set up or noted by Assay itself. */
export type EventSource = EvidenceSource | 'assay';

/** Default evidence for a verdict: words and actions of the agent, and results of tools. */
export const usualEvidence: readonly EvidenceSource[] = ['agent', 'tools'];

/**
 * Book-keeping of Assay. Its figures, ids and times are not part of what happened between user, agent and tools, and
 * they differ between identical runs, so a prompt that held them would be found in no recording and no cache. What a
 * played persona thought and what its model cost are among them.
 */
const bookkeeping: ReadonlySet<TraceEvent['type']> = new Set([
  'turn',
  'simulated-user',
  'approval-policy',
  'conversation-ended',
  'usage',
  'model-call',
  'instructions',
  'harness',
  'agent-started',
  'view',
  'attack',
  'secret-seen',
  'request-watch',
  'workspace',
  'state-change',
  'page-state',
  'mcp-server',
  'mcp-notification',
  'notice',
  'gap',
  'reports',
  'other',
]);

/** Events that a judge gets to see; recorded commands that may be forged are not evidence of anything. */
export function eventsForJudge(trace: Trace): Trace {
  const isDoubted = gapsIn(trace, 'commands').length > 0;
  return trace.filter(({ type }) => !bookkeeping.has(type) && !(isDoubted && type === 'command'));
}

/**
 * Source of the words in an event. Events of the engine hold the author's own material, such as the input of a call or
 * the messages that a conversation begins with, unless the engine itself drives the model under test.
 */
export function eventSources(trace: Trace): (event: TraceEvent) => EventSource {
  const hasAgent = trace.some(({ seenBy }) => seenBy === 'agent');
  const isDrivenByEngine = !hasAgent && trace.some(({ type }) => type === 'message');
  const isAuthors = ({ seenBy }: TraceEvent): boolean => seenBy === 'engine' && !isDrivenByEngine;
  return (event) => {
    switch (event.type) {
      case 'message':
        if (event.role === 'system') return 'assay';
        return event.role === 'user' || isAuthors(event) ? 'user' : 'agent';
      case 'user-call':
        return 'user';
      case 'tool-call':
        return isAuthors(event) ? 'user' : 'agent';
      case 'tool-result':
        return isAuthors(event) && hasAgent ? 'user' : 'tools';
      case 'reasoning':
      case 'output':
      case 'file-change':
      // A program may print whatever its author wants to be quoted.
      case 'surface-call':
        return 'agent';
      case 'command':
      case 'mcp-exchange':
      case 'mcp-test':
        return 'tools';
      case 'script':
        return event.phase === 'post' ? 'tools' : 'assay';
      default:
        return 'assay';
    }
  };
}

/** Fields that hold what was said, done or returned; the others are labels and figures that Assay wrote. */
export const quotableFields: ReadonlySet<string> = new Set([
  'text',
  'tool',
  'input',
  'shellCommand',
  'result',
  'error',
  'argv',
  'stdout',
  'stderr',
  'path',
  'diff',
  'method',
  'params',
  'observed',
]);

/** The task in the trace: the first message of the user, or the input of a direct call. */
export function taskIn(trace: Trace): string | undefined {
  const first = trace.find(
    (event) => (event.type === 'message' && event.role === 'user') || event.type === 'tool-call',
  );
  if (first?.type === 'message') return first.text;
  return first?.type === 'tool-call' ? `${first.tool}: ${JSON.stringify(first.input)}` : undefined;
}
