import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Signal } from '../../load/collect/otlp-protobuf.ts';
import { parseJson } from '../../load/imports/coerce.ts';
import { OtlpRefusal } from './otlp-refusal.ts';

/** The same limit as that of the OpenTelemetry Collector, for the body as sent and as unpacked. */
const mostBodyBytes = 20 * 1_048_576;
/** Of all bodies that are being read or stored; further requests are to be sent again. */
const mostPendingBytes = 64 * 1_048_576;
const mostPendingRequests = 512;

const unpack = promisify(gunzip);

/** Memory that requests may take together. */
export class PendingBytes {
  #bytes = 0;
  #requests = 0;

  /** Refuses a request for which there is no room; gives what frees it again. */
  take(bytes: number): () => void {
    if (this.#requests >= mostPendingRequests || this.#bytes + bytes > mostPendingBytes) {
      throw new OtlpRefusal(429, 'Too many spans are being stored; send this request again later.', 1);
    }
    this.#bytes += bytes;
    this.#requests++;
    return () => {
      this.#bytes -= bytes;
      this.#requests--;
    };
  }
}

/** How many bytes to count for a request before it is read. */
export function announcedBytes({ headers }: IncomingMessage): number {
  const announced = Number(headers['content-length'] ?? Number.NaN);
  if (announced > mostBodyBytes) throw tooLarge();
  // A body of unknown length, or one that is unpacked, may become as large as is allowed.
  if (!Number.isFinite(announced)) return 1_048_576;
  return headers['content-encoding'] === undefined ? announced : Math.min(mostBodyBytes, announced * 8);
}

/** The whole body, unpacked. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  return isPacked(request) ? unpacked(body) : body;
}

function isPacked({ headers }: IncomingMessage): boolean {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return false;
  if (encoding === 'gzip') return true;
  throw new OtlpRefusal(415, `The content encoding ${encoding} is not supported; use gzip or none.`);
}

async function unpacked(body: Buffer): Promise<Buffer> {
  try {
    return await unpack(body, { maxOutputLength: mostBodyBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new OtlpRefusal(400, 'The body is not valid gzip.');
  }
}

/** The body as OTLP/JSON; throws a refusal for one that is not a message. */
export async function decodeBody(body: Buffer, isProtobuf: boolean, signal: Signal): Promise<unknown> {
  if (!isProtobuf) {
    const value = parseJson(body.toString('utf8'));
    if (value === undefined) throw new OtlpRefusal(400, 'The body is not JSON, or is nested too deeply.');
    return value;
  }
  const { decodeExport } = await import('../../load/collect/otlp-protobuf.ts');
  try {
    return decodeExport(body, signal);
  } catch {
    throw new OtlpRefusal(400, `The body is not a whole export request for ${signal}.`);
  }
}

function tooLarge(): OtlpRefusal {
  return new OtlpRefusal(
    413,
    `The request is larger than ${mostBodyBytes / 1_048_576} MiB; send fewer spans at a time.`,
  );
}
