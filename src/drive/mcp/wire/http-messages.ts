import { createParser } from 'eventsource-parser';
import { isRecord } from '../../../shared/json.ts';
import type { Clean } from '../../../shared/redaction/redaction.ts';
import { printable } from '../../../shared/text.ts';
import { isWholeText } from '../../../shared/utf8.ts';
import type { AuthorizedAddress } from './http-address.ts';
import { parseReceived } from './parse-message.ts';
import { type RequestId, type WireEnd, WireError } from './wire.ts';

export type Message = Readonly<Record<string, unknown>>;

/** Where a stream can be continued, and how soon. */
export interface StreamPosition {
  eventId?: string;
  retryMs?: number;
}

interface MessageReader {
  onMessage(message: Message): void;
  /** Called with an event that is not a message. */
  onStray(text: string): void;
  /** Kept up to date, for a stream that is continued where it breaks off. */
  readonly position?: StreamPosition | undefined;
  /** Called with events of other types than messages; without it they are read as messages. */
  onEvent?(type: string, data: string): void;
}

/** Undefined for notifications, and for answers to requests of the server. */
export function requestIdOf({ id, method }: Message): RequestId | undefined {
  return method !== undefined && (typeof id === 'number' || typeof id === 'string') ? id : undefined;
}

export function isEventStream(response: Response): boolean {
  return /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
}

/** Reads the messages of a response: those of one JSON text, or the events of a stream until it ends or breaks off. */
export async function readMessages(response: Response, redact: Clean, reader: MessageReader): Promise<void> {
  if (isEventStream(response)) return readEvents(response, reader);
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString('utf8');
  const messages = isWholeText(text, bytes) ? messagesIn(text) : undefined;
  if (!messages) throw new WireError(notAMessage(redact(text)));
  for (const message of messages) reader.onMessage(message);
}

async function readEvents({ body }: Response, { position = {}, ...reader }: MessageReader): Promise<void> {
  const parser = createParser({
    onRetry: (retryMs) => {
      position.retryMs = retryMs;
    },
    onEvent: ({ id, event = 'message', data }) => {
      if (id !== undefined && id !== '') position.eventId = id;
      if (event !== 'message' && reader.onEvent) return reader.onEvent(event, data);
      // An event without data only says from where the stream can be continued.
      if (data === '') return;
      const messages = messagesIn(data);
      if (!messages) return reader.onStray(data);
      for (const message of messages) reader.onMessage(message);
    },
  });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
  } catch (error) {
    // A stream that breaks off has the same end as one that is closed.
    if (error instanceof TypeError && 'code' in error) reader.onStray('bytes that are not UTF-8');
  }
}

/** The message of a text, or several, as one version of the protocol allowed; undefined for any other text. */
function messagesIn(text: string): Message[] | undefined {
  const value = parseReceived(text);
  const messages: unknown[] = Array.isArray(value) ? value : [value];
  return messages.every(isMessage) ? messages : undefined;
}

function isMessage(value: unknown): value is Message {
  return isRecord(value) && value.jsonrpc === '2.0' && ('method' in value || 'result' in value || 'error' in value);
}

function notAMessage(text: string): WireEnd {
  const what = `answered with something that is not a message: ${printable(text).slice(0, 500)}`;
  return { code: 'MCP_PROTOCOL_VIOLATED', what };
}

/** Why a request was not answered, by what was thrown for it. */
export function endBy(error: unknown, redact: Clean): WireEnd {
  if (error instanceof WireError) return error.end;
  const message = printable(redact(error instanceof Error ? error.message : String(error)));
  return { code: 'MCP_SERVER_UNREACHABLE', what: `could not be reached: ${message.slice(0, 500)}` };
}

const mostRedirects = 5;

/** Follows redirects where the server stays the same: another one must not see what this one may. */
export async function followRedirects(
  { redact }: AuthorizedAddress,
  start: URL,
  send: (url: URL) => Promise<Response>,
): Promise<Response> {
  let url = start;
  for (let redirects = 0; ; redirects++) {
    const response = await send(url);
    if (response.status < 300 || response.status >= 400) return response;
    const next = new URL(response.headers.get('location') ?? '', url);
    await response.body?.cancel();
    const isSame = (response.status === 307 || response.status === 308) && next.origin === url.origin;
    if (!isSame || redirects >= mostRedirects) throw notFollowed(next, redact);
    url = next;
  }
}

function notFollowed({ origin, pathname }: URL, redact: Clean): WireError {
  const what = `could not be reached: Redirect to ${printable(redact(`${origin}${pathname}`))} not followed`;
  return new WireError({ code: 'MCP_SERVER_UNREACHABLE', what });
}
