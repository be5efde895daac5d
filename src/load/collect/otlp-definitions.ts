import type { INamespace } from 'protobufjs/light.js';

const list = (type: string, id: number) => ({ rule: 'repeated' as const, type, id });

/**
 * Messages of OTLP traces and logs as opentelemetry-proto 1.x defines them, and the `Status` of failed requests, by their
 * official names, types and numbers. Fields that are not listed are skipped, as the protocol demands.
 */
export const otlpDefinitions: INamespace = {
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
