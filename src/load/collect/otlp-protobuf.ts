import type { INamespace } from 'protobufjs/light.js';
import protobuf from 'protobufjs/light.js';
import type { JsonObject } from '../imports/coerce.ts';

const list = (type: string, id: number) => ({ rule: 'repeated' as const, type, id });

/**
 * Messages of OTLP traces and logs as opentelemetry-proto 1.x defines them, and the `Status` of failed requests, by their
 * official names, types and numbers. Fields that are not listed are skipped, as the protocol demands.
 */
const otlpDefinitions: INamespace = {
  nested: {
    ExportTraceServiceRequest: { fields: { resourceSpans: list('ResourceSpans', 1) } },
    ExportTraceServiceResponse: { fields: { partialSuccess: { type: 'ExportTracePartialSuccess', id: 1 } } },
    ExportTracePartialSuccess: {
      fields: { rejectedSpans: { type: 'int64', id: 1 }, errorMessage: { type: 'string', id: 2 } },
    },
    ExportLogsServiceRequest: { fields: { resourceLogs: list('ResourceLogs', 1) } },
    ResourceLogs: { fields: { resource: { type: 'Resource', id: 1 }, scopeLogs: list('ScopeLogs', 2) } },
    ScopeLogs: { fields: { scope: { type: 'InstrumentationScope', id: 1 }, logRecords: list('LogRecord', 2) } },
    LogRecord: {
      fields: {
        timeUnixNano: { type: 'fixed64', id: 1 },
        severityNumber: { type: 'int32', id: 2 },
        body: { type: 'AnyValue', id: 5 },
        attributes: list('KeyValue', 6),
        droppedAttributesCount: { type: 'uint32', id: 7 },
        traceId: { type: 'bytes', id: 9 },
        spanId: { type: 'bytes', id: 10 },
        observedTimeUnixNano: { type: 'fixed64', id: 11 },
        eventName: { type: 'string', id: 12 },
      },
    },
    Status: { fields: { code: { type: 'int32', id: 1 }, message: { type: 'string', id: 2 } } },
    ResourceSpans: {
      fields: { resource: { type: 'Resource', id: 1 }, scopeSpans: list('ScopeSpans', 2) },
    },
    Resource: { fields: { attributes: list('KeyValue', 1) } },
    ScopeSpans: { fields: { scope: { type: 'InstrumentationScope', id: 1 }, spans: list('Span', 2) } },
    InstrumentationScope: {
      fields: {
        name: { type: 'string', id: 1 },
        version: { type: 'string', id: 2 },
        attributes: list('KeyValue', 3),
      },
    },
    Span: {
      fields: {
        traceId: { type: 'bytes', id: 1 },
        spanId: { type: 'bytes', id: 2 },
        parentSpanId: { type: 'bytes', id: 4 },
        name: { type: 'string', id: 5 },
        kind: { type: 'int32', id: 6 },
        startTimeUnixNano: { type: 'fixed64', id: 7 },
        endTimeUnixNano: { type: 'fixed64', id: 8 },
        attributes: list('KeyValue', 9),
        droppedAttributesCount: { type: 'uint32', id: 10 },
        events: list('Event', 11),
        droppedEventsCount: { type: 'uint32', id: 12 },
        links: list('Link', 13),
        droppedLinksCount: { type: 'uint32', id: 14 },
        status: { type: 'SpanStatus', id: 15 },
        flags: { type: 'fixed32', id: 16 },
      },
    },
    Event: {
      fields: {
        timeUnixNano: { type: 'fixed64', id: 1 },
        name: { type: 'string', id: 2 },
        attributes: list('KeyValue', 3),
        droppedAttributesCount: { type: 'uint32', id: 4 },
      },
    },
    Link: {
      fields: {
        traceId: { type: 'bytes', id: 1 },
        spanId: { type: 'bytes', id: 2 },
        attributes: list('KeyValue', 4),
      },
    },
    SpanStatus: { fields: { message: { type: 'string', id: 2 }, code: { type: 'int32', id: 3 } } },
    KeyValue: { fields: { key: { type: 'string', id: 1 }, value: { type: 'AnyValue', id: 2 } } },
    AnyValue: {
      oneofs: {
        value: {
          oneof: ['stringValue', 'boolValue', 'intValue', 'doubleValue', 'arrayValue', 'kvlistValue', 'bytesValue'],
        },
      },
      fields: {
        stringValue: { type: 'string', id: 1 },
        boolValue: { type: 'bool', id: 2 },
        intValue: { type: 'int64', id: 3 },
        doubleValue: { type: 'double', id: 4 },
        arrayValue: { type: 'ArrayValue', id: 5 },
        kvlistValue: { type: 'KeyValueList', id: 6 },
        bytesValue: { type: 'bytes', id: 7 },
      },
    },
    ArrayValue: { fields: { values: list('AnyValue', 1) } },
    KeyValueList: { fields: { values: list('KeyValue', 1) } },
  },
};

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
