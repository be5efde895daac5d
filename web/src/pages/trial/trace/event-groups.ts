import type { TraceEvent } from '../../../../../src/domain/trace.ts';

type EventType = TraceEvent['type'];

/** Kinds of events that are shown or hidden together. */
export interface EventGroup {
  readonly key: string;
  readonly label: string;
  readonly types: readonly EventType[];
}

/** Every type of event is in one group. */
export const eventGroups: readonly EventGroup[] = [
  { key: 'messages', label: 'Messages', types: ['message', 'turn'] },
  { key: 'thoughts', label: 'Thoughts', types: ['reasoning'] },
  { key: 'calls', label: 'Tool calls', types: ['tool-call', 'tool-result'] },
  { key: 'commands', label: 'Commands', types: ['command', 'script', 'output'] },
  { key: 'mcp', label: 'MCP', types: ['mcp-server', 'mcp-exchange', 'mcp-test'] },
  { key: 'files', label: 'Files', types: ['file-change'] },
  { key: 'tokens', label: 'Tokens', types: ['usage'] },
  { key: 'other', label: 'Other', types: ['agent-started', 'agent-ended', 'workspace', 'notice', 'reports', 'other'] },
];

/** The types of the chosen groups; none where everything is shown. */
export function typesOf(keys: readonly string[]): readonly EventType[] {
  return eventGroups.flatMap(({ key, types }) => (keys.includes(key) ? types : []));
}
