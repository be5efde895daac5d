import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Trace, TraceEvent, UnstampedEvent } from '../../../domain/trace.ts';
import { LogReader } from '../../../drive/mcp/proxy/log-reader.ts';
import { RecordedServer } from '../../../drive/mcp/proxy/recorded-server.ts';

type Message = Readonly<Record<string, unknown>>;

const proxy = 'a0b1c2d3e4f5';

/** Lines of the log that a proxy writes about one session of an agent with a server. */
export const mcpLog: readonly string[] = [
  { kind: 'start' },
  sent({ id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18' } }),
  received({ id: 0, result: { protocolVersion: '2025-06-18', serverInfo: { name: 'shop', version: '1' } } }),
  sent({ method: 'notifications/initialized' }),
  sent({ id: 1, method: 'tools/list' }),
  received({ id: 1, result: { tools: [{ name: 'find', inputSchema: { type: 'object' } }, { name: 'buy' }] } }),
  sent({ id: 2, method: 'tools/call', params: { name: 'find', arguments: { word: 'tea' } } }),
  received({ method: 'notifications/progress', params: { progressToken: 1, progress: 1 } }),
  received({ id: 2, result: { content: [{ type: 'text', text: 'green tea' }] } }),
  sent({ id: 3, method: 'tools/call', params: { name: 'buy', arguments: { item: 'green tea' } } }),
  received({ id: 3, result: { content: [{ type: 'text', text: 'sold out' }], isError: true } }),
  { kind: 'end', endedBy: 'agent', code: null, what: 'was closed', stderr: '', messagesLeftOut: 0 },
].map((record, index) => JSON.stringify({ ...record, proxy, at: index }));

function sent(message: Message): object {
  return { kind: 'message', direction: 'to-server', text: JSON.stringify({ jsonrpc: '2.0', ...message }) };
}

function received(message: Message): object {
  return { kind: 'message', direction: 'from-server', text: JSON.stringify({ jsonrpc: '2.0', ...message }) };
}

/** The trace of a trial in which a proxy wrote these lines. */
export function mcpTraceOf(lines: readonly string[]): Trace {
  const events: UnstampedEvent[] = [{ type: 'reports', what: ['tool-calls', 'mcp-calls'] }];
  const facts = { label: 'shop', transport: 'stdio', wording: null, surface: null } as const;
  const emit = (event: UnstampedEvent): void => void events.push(event);
  const server = new RecordedServer({ ...facts, acceptsAnnouncedChanges: true }, emit, 0);
  const folder = mkdtempSync(join(tmpdir(), 'mcp-log-'));
  try {
    using log = new LogReader(join(folder, 'log.jsonl'), (record) => server.take(record));
    appendFileSync(join(folder, 'log.jsonl'), `${lines.join('\n')}\n`);
    log.read();
    server.finish();
    for (const reason of [...server.gaps, ...log.problems])
      emit({ type: 'gap', channels: ['tool-calls', 'tool-results'], reason });
  } finally {
    rmSync(folder, { recursive: true });
  }
  return events.map((event, at) => ({ seenBy: 'recorder', ...event, at }) as TraceEvent);
}
