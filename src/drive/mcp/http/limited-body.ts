import { longestMessageBytes } from '../wire-limits.ts';

/** Where one event of a stream ends. */
const eventEnds = [Buffer.from('\n\n'), Buffer.from('\r\n\r\n'), Buffer.from('\r\r')];
const longestEventEnd = 4;

/** A response whose body breaks off when one message in it is longer than allowed; `onTooLong` is told first. */
export function withLimitedBody(response: Response, onTooLong: () => void): Response {
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  const isPacked = response.headers.has('content-encoding');
  if (!response.body || (length <= longestMessageBytes && !isPacked)) return response;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const count = isStream ? countEvent() : countAll();
  const limited = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (count(chunk) <= longestMessageBytes) return controller.enqueue(chunk);
        onTooLong();
        controller.error(new Error('a message is too long'));
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(limited, { status, statusText, headers });
}

/** The size of everything so far. */
function countAll(): (chunk: Uint8Array) => number {
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.length;
    return bytes;
  };
}

/** The size of the event that is not complete yet. */
function countEvent(): (chunk: Uint8Array) => number {
  let bytes = 0;
  let tail: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const text = Buffer.concat([tail, chunk]);
    const ends = eventEnds.filter((mark) => text.includes(mark)).map((mark) => text.lastIndexOf(mark) + mark.length);
    bytes = ends.length > 0 ? text.length - Math.max(...ends) : bytes + chunk.length;
    tail = Buffer.from(text.subarray(-longestEventEnd + 1));
    return bytes;
  };
}
