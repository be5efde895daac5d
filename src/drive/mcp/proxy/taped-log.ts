import { isRecord, parseJson } from '../../../shared/json.ts';
import type { FrameSink } from '../control/mcp-reply.ts';
import type { TapedServer } from '../control/taped-server.ts';
import type { LogRecord } from './log-reader.ts';

/** Makes a recording of the messages that proxies log. */
export class TapedLog {
  readonly #server: TapedServer;
  readonly #sessions = new Map<string, FrameSink>();

  constructor(server: TapedServer) {
    this.#server = server;
  }

  /** True for a record that is of no use to others. */
  take(record: LogRecord): boolean {
    if (record.kind === 'full') this.#server.obstacle('its messages were more than can be recorded');
    if (record.kind !== 'tape' && record.kind !== 'tape-end') return false;
    const session = this.#sessions.get(record.proxy) ?? this.#server.session();
    this.#sessions.set(record.proxy, session);
    if (record.kind === 'tape-end') {
      if (record.id === null) session.ended(record);
      else session.unanswered(record.id, record);
      return true;
    }
    if (record.bytesLeftOut !== undefined) this.#server.obstacle('a message was too long to be recorded');
    const message = parseJson(record.text);
    if (record.direction === 'from-server') session.received(message);
    else if (isRecord(message)) session.sent(message);
    return true;
  }
}
