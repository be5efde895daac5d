import { Readable } from 'node:stream';
import { jsonOrText } from '../../../shared/json.ts';
import type { TrialPaths } from '../../tape/trial-paths.ts';
import type { UpstreamReply } from '../upstream.ts';
import { piecesOf, streamOf, withReplacedTexts } from './reply-pieces.ts';
import type { TapedReply } from './tape.ts';

/** Headers that clients act on; the others belong to one request or one connection. */
const keptHeaders = ['content-type', 'retry-after', 'retry-after-ms', 'x-should-retry'];

/** A reply as it was passed on. */
export interface PassedReply {
  /** Null: there was none. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  readonly error: string | undefined;
  /** Whether the agent itself broke it off. */
  readonly isAbandoned: boolean;
}

export function tapedReplyOf(
  { status, headers, text, error, isAbandoned }: PassedReply,
  paths: TrialPaths,
  redact: (text: string) => string,
): TapedReply {
  const kept = keptHeaders.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : []));
  const ending = error === undefined ? 'whole' : isAbandoned ? 'left' : 'cut';
  const isStream = String(headers['content-type'] ?? '').includes('event-stream');
  const mapped = <Value>(values: readonly Value[]): Value[] => withReplacedTexts(values, paths.toNames, redact);
  return {
    status,
    headers: Object.fromEntries(kept),
    ending,
    ...(error === undefined ? {} : { error: redact(error.replace(/^[a-z ]+: /, '')) }),
    ...(isStream ? { pieces: mapped(piecesOf(text)) } : status === null ? {} : { body: mapped([jsonOrText(text)])[0] }),
  };
}

/** The reply as it comes to the agent of this trial, in the pieces that it came in; rejects where there was none. */
export async function replayedReply(reply: TapedReply, paths: TrialPaths, signal: AbortSignal): Promise<UpstreamReply> {
  if (reply.status === null) {
    if (reply.ending === 'left') await untilAborted(signal);
    throw new Error(reply.error);
  }
  const asIs = (text: string): string => text;
  const mapped = <Value>(values: readonly Value[]): Value[] => withReplacedTexts(values, paths.toFolders, asIs);
  const texts = reply.pieces ? mapped(reply.pieces).map(streamOf) : mapped([reply.body]).map(textOf);
  return {
    status: reply.status,
    headers: reply.headers,
    body: Readable.from(sent(texts, reply, signal), { objectMode: false }),
    isReplayed: true,
  };
}

async function* sent(texts: readonly string[], { ending, error }: TapedReply, signal: AbortSignal) {
  for (const text of texts) if (text !== '') yield Buffer.from(text);
  if (ending === 'left') await untilAborted(signal);
  if (ending !== 'whole') throw new Error(error);
}

/** A reply whose end the agent did not wait for has none: it stays open until the agent goes. */
function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function textOf(body: unknown): string {
  if (body === undefined) return '';
  return typeof body === 'string' ? body : JSON.stringify(body);
}
