import protobuf from 'protobufjs/light.js';
import type { JsonObject } from '../imports/coerce.ts';
import { otlpDefinitions } from './otlp-definitions.ts';

const definitions = protobuf.Root.fromJSON(otlpDefinitions);
const requestTypes = {
  traces: definitions.lookupType('ExportTraceServiceRequest'),
  logs: definitions.lookupType('ExportLogsServiceRequest'),
};
// The answer to logs has the same fields by other names.
const responseType = definitions.lookupType('ExportTraceServiceResponse');
const statusType = definitions.lookupType('Status');

/** The kind of data in an export request. */
export type Signal = keyof typeof requestTypes;

/** Spans that were refused although the rest was accepted. */
export interface PartialSuccess {
  readonly rejectedSpans: number;
  readonly errorMessage: string;
}

/** The body of an export request as OTLP/JSON has it; throws for bytes that are not a whole message. */
export function decodeExport(bytes: Uint8Array, signal: Signal): JsonObject {
  return plainMessage(requestTypes[signal].decode(bytes)) as JsonObject;
}

/** An export request as it is sent, from OTLP/JSON. */
export function encodeExport(message: object, signal: Signal): Uint8Array {
  const type = requestTypes[signal];
  return type.encode(type.fromObject(withBytes(message) as Record<string, unknown>)).finish();
}

/** Ids are hex in OTLP/JSON, and bytes on the wire. */
function withBytes(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withBytes(item));
  if (typeof value === 'string' && idNames.has(name)) return Buffer.from(value, 'hex');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withBytes(item, key)]));
}

/** A response to an export, with how much of it was refused; throws for bytes that are not a whole message. */
export function decodeResponse(bytes: Uint8Array): JsonObject {
  return plainMessage(responseType.decode(bytes)) as JsonObject;
}

/** The body of a response to an export. */
export function encodeResponse(partialSuccess: PartialSuccess | undefined): Uint8Array {
  return responseType.encode(partialSuccess ? { partialSuccess } : {}).finish();
}

/** The body of a failed request. */
export function encodeStatus(code: number, message: string): Uint8Array {
  return statusType.encode({ code, message }).finish();
}

interface WideInteger {
  readonly low: number;
  readonly high: number;
  readonly unsigned: boolean;
}

const idNames: ReadonlySet<string> = new Set(['traceId', 'spanId', 'parentSpanId']);

/** Decoded messages become plain objects: ids are hex, other bytes base64, and wide integers numbers or text. */
function plainMessage(value: unknown, name = ''): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => plainMessage(item));
  if (value instanceof Uint8Array) return Buffer.from(value).toString(idNames.has(name) ? 'hex' : 'base64');
  if ('low' in value && 'high' in value) return wideInteger(value as WideInteger);
  const plain: Record<string, unknown> = {};
  for (const key of Object.keys(value)) plain[key] = plainMessage((value as Record<string, unknown>)[key], key);
  return plain;
}

/** A time loses less than a microsecond as a number; other integers stay exact. */
function wideInteger({ low, high, unsigned }: WideInteger): number | string {
  if (unsigned) return (high >>> 0) * 2 ** 32 + (low >>> 0);
  const number = high * 2 ** 32 + (low >>> 0);
  return Number.isSafeInteger(number) ? number : String((BigInt(high) << 32n) | BigInt(low >>> 0));
}
