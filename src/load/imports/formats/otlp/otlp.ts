import { counted } from '../../../../shared/format.ts';
import { isRecord } from '../../../../shared/json.ts';
import { charactersIn, figureOf, nameOf, objectOf, possibleTime } from '../../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../../import-format.ts';
import type { ImportSource } from '../../import-source.ts';
import type { JsonObject, OtlpSpan } from './otlp-span.ts';
import { trialOfSpans } from './otlp-trial.ts';

const listKeys: ReadonlySet<string> = new Set(['resourceSpans']);
/** Memory limit: traces are kept until their spans are complete. */
const mostHeldCharacters = 24 * 1_048_576;

/** OTLP/JSON traces with GenAI attributes, as one document or as one export per line: each trace is a trial. */
export const otlp: ImportFormat = {
  name: 'otlp',
  summary: 'OTLP/JSON traces with gen_ai attributes',
  reports: ['tool-calls'],
  recognises: ({ text }) => /"resourceSpans"\s*:/.test(text),
  async *read(source) {
    const traces = new HeldTraces(source);
    for await (const { value, line, key } of source.records(listKeys)) {
      if (key === undefined || !isRecord(value)) {
        source.problem(line, '`resourceSpans` is missing');
        continue;
      }
      const { spans, withoutTrace } = spansIn(value, line);
      if (withoutTrace > 0) source.problem(line, `${counted(withoutTrace, 'span')} without a \`traceId\``);
      for (const span of spans) traces.add(span);
      yield* traces.release();
    }
    yield* traces.releaseAll();
  },
};

interface HeldTrace {
  readonly spans: OtlpSpan[];
  readonly spanIds: Set<string>;
  characters: number;
}

/** Spans by their trace, in the order in which traces were first seen. */
class HeldTraces {
  readonly #source: ImportSource;
  readonly #held = new Map<string, HeldTrace>();
  readonly #released = new Set<string>();
  #characters = 0;
  #traceCount = 0;

  constructor(source: ImportSource) {
    this.#source = source;
  }

  add(span: OtlpSpan): void {
    if (this.#released.has(span.traceId)) {
      this.#source.problem(
        span.line,
        `span \`${span.name}\` came too late for its trace ${span.traceId} and was left out`,
      );
      return;
    }
    const held = this.#held.get(span.traceId) ?? { spans: [], spanIds: new Set(), characters: 0 };
    // An exporter resends its spans when it gets no answer.
    if (span.spanId !== '' && held.spanIds.has(span.spanId)) return;
    held.spanIds.add(span.spanId);
    const characters = charactersIn(span);
    held.spans.push(span);
    held.characters += characters;
    this.#characters += characters;
    this.#held.set(span.traceId, held);
  }

  /** When too much is kept: the oldest traces that are probably complete, because they have a root. */
  *release(): Generator<ImportedTrial, void> {
    if (this.#characters <= mostHeldCharacters) return;
    for (const [traceId, { spans }] of this.#held) {
      if (this.#characters <= mostHeldCharacters / 2) return;
      const isWhole = spans.some(({ isRoot }) => isRoot);
      if (isWhole || this.#characters > 2 * mostHeldCharacters) yield* this.#finish(traceId);
    }
  }

  *releaseAll(): Generator<ImportedTrial, void> {
    for (const traceId of [...this.#held.keys()]) yield* this.#finish(traceId);
  }

  *#finish(traceId: string): Generator<ImportedTrial, void> {
    const { spans, characters } = this.#held.get(traceId) ?? { spans: [], characters: 0 };
    this.#held.delete(traceId);
    this.#released.add(traceId);
    this.#characters -= characters;
    this.#traceCount++;
    if (spans.some(isGenAiSpan)) yield trialOfSpans(spans, this.#traceCount);
    else this.#source.problem(spans[0]?.line ?? 1, `trace ${traceId} has no spans with gen_ai attributes`);
  }
}

/** The spans of one element of `resourceSpans`; spans without a trace are skipped and counted. */
function spansIn(resourceSpans: JsonObject, line: number): { spans: OtlpSpan[]; withoutTrace: number } {
  const resource = attributesOf(objectOf(resourceSpans.resource).attributes);
  const scopes = listOf(resourceSpans.scopeSpans ?? resourceSpans.instrumentationLibrarySpans);
  const written = scopes.flatMap((scope) => listOf(scope.spans));
  const spans = written.map((span) => spanOf(span, nameOf(resource['service.name']), line));
  return {
    spans: spans.filter(({ traceId }) => traceId !== ''),
    withoutTrace: spans.filter(({ traceId }) => traceId === '').length,
  };
}

/** Whether a span is about a model, a tool or an agent. */
function isGenAiSpan({ attributes, events }: OtlpSpan): boolean {
  const isGenAi = (name: string): boolean => name.startsWith('gen_ai.') || name.startsWith('llm.');
  return Object.keys(attributes).some(isGenAi) || events.some(({ name }) => isGenAi(name));
}

function spanOf(span: JsonObject, service: string | undefined, line: number): OtlpSpan {
  const status = objectOf(span.status);
  return {
    traceId: nameOf(span.traceId) ?? '',
    spanId: nameOf(span.spanId) ?? '',
    isRoot: nameOf(span.parentSpanId) === undefined,
    name: nameOf(span.name) ?? '',
    startMs: nanoseconds(span.startTimeUnixNano),
    endMs: nanoseconds(span.endTimeUnixNano),
    attributes: attributesOf(span.attributes),
    events: listOf(span.events).map((event) => ({
      name: nameOf(event.name) ?? '',
      attributes: attributesOf(event.attributes),
    })),
    isFailed: status.code === 2 || status.code === 'STATUS_CODE_ERROR',
    statusMessage: nameOf(status.message),
    service,
    line,
  };
}

function nanoseconds(value: unknown): number | undefined {
  return possibleTime((figureOf(value) ?? Number.NaN) / 1e6);
}

function attributesOf(list: unknown): JsonObject {
  const entries = listOf(list).flatMap(({ key, value }) =>
    typeof key === 'string' ? [[key, plainValue(value)] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** OTLP wraps each value in its type. */
function plainValue(value: unknown): unknown {
  if (!isRecord(value)) return undefined;
  if ('stringValue' in value) return value.stringValue;
  if ('intValue' in value) return figureOf(value.intValue);
  if ('doubleValue' in value) return figureOf(value.doubleValue);
  if ('boolValue' in value) return value.boolValue === true;
  if (isRecord(value.arrayValue)) return listOf(value.arrayValue.values).map(plainValue);
  return isRecord(value.kvlistValue) ? attributesOf(value.kvlistValue.values) : undefined;
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
