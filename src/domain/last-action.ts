import { printable, shorten } from '../shared/text.ts';
import type { Trace, TraceEvent } from './trace.ts';

/** A trace can be long, and its newest action is never far from its end. */
const lookedAt = 200;
const longest = 500;

/** Last action of a target, in one line; undefined before it did anything. The text is not redacted. */
export function lastAction(trace: Trace): string | undefined {
  for (let index = trace.length - 1; index >= Math.max(0, trace.length - lookedAt); index--) {
    const event = trace[index];
    const text = event && actionText(event);
    if (text !== undefined) return text;
  }
  return undefined;
}

function actionText(event: TraceEvent): string | undefined {
  switch (event.type) {
    case 'tool-call':
      return event.shellCommand === undefined ? `${event.tool} ${valueText(event.input)}` : `$ ${event.shellCommand}`;
    case 'command':
      return `$ ${event.argv.join(' ')}`;
    case 'script':
      return `${event.phase} $ ${event.command}`;
    case 'message':
      return `${event.role === 'assistant' ? 'says' : event.role}: ${event.text}`;
    case 'reasoning':
      return `thinks: ${event.text}`;
    case 'output':
      return lastLine(event.text);
    case 'agent-started':
      return `${event.agent} started`;
    case 'model-call':
      return `model call ${event.number}`;
    case 'user-call':
      return `the user calls ${event.tool}`;
    case 'mcp-exchange':
      return event.method;
    case 'mcp-test':
      return `test ${event.index + 1} of ${event.name}`;
    default:
      return undefined;
  }
}

function lastLine(text: string): string | undefined {
  const line = text.trimEnd().split('\n').at(-1)?.trim();
  return line === '' ? undefined : line;
}

function valueText(value: unknown): string {
  return JSON.stringify(value) ?? '';
}

/** An action for a line of a terminal or page. */
export function shownAction(redacted: string): string {
  return shorten(printable(redacted).trim(), longest);
}
