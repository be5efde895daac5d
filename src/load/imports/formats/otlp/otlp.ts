import { counted } from '../../../../shared/format.ts';
import { canonicalJson, isRecord } from '../../../../shared/json.ts';
import { charactersIn } from '../../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../../import-format.ts';
import type { ImportSource } from '../../import-source.ts';
import { isLoggedForSpan, spansOfLogs } from './otlp-logs.ts';
import { type JsonObject, type OtlpSpan, spansIn } from './otlp-span.ts';
import { trialOfTrace } from './otlp-trial.ts';

const listKeys = ['resourceSpans', 'resourceLogs'] as const;
/** Memory limit: traces are kept until their spans are complete. */
const mostHeldCharacters = 24 * 1_048_576;

/**
 * OTLP/JSON traces with GenAI attributes and logs of agents, as one document or as one export per line: each trace and
 * each session that was logged is a trial.
 */
export const otlp: ImportFormat = {
  name: 'otlp',
  summary: 'OTLP/JSON traces and logs of OpenTelemetry GenAI, OpenInference, the Vercel AI SDK, Claude Code and others',
  reports: [],
  recognises: ({ text }) => /"resource(?:Spans|Logs)"\s*:/.test(text),
  lacks: ({ text }) =>
    /"(?:scopeSpans|scopeLogs|startTimeUnixNano)"\s*:/.test(text) ? '`resourceSpans` or `resourceLogs`' : undefined,
  async *read(source) {
    const traces = new HeldTraces(source, await spanCounts(source));
    const logs = new LogCounts();
    for await (const { value, line, key } of source.records(...listKeys)) {
      if (key === undefined || !isRecord(value)) {
        source.lostPart(line, '`resourceSpans` or `resourceLogs` is missing');
        continue;
      }
      const spans = key === 'resourceLogs' ? logs.read(value, line, source) : spansOf(value, line, source);
      for (const span of spans) traces.add(span);
      yield* traces.release();
    }
    yield* traces.releaseAll();
    if (logs.areAllOthers) source.problem(1, `none of its ${counted(logs.records, 'log record')} is about an agent`);
  },
};

function spansOf(resourceSpans: JsonObject, line: number, source: ImportSource): readonly OtlpSpan[] {
  const { spans, unread } = spansIn(resourceSpans, line);
  if (unread > 0) source.lostPart(line, `${counted(unread, 'span')} without a \`traceId\``);
  return spans;
}

/** How many spans each trace has; undefined for a file that is held in memory as a whole. */
async function spanCounts(source: ImportSource): Promise<ReadonlyMap<string, number> | undefined> {
  if (source.bytes <= mostHeldCharacters) return undefined;
  const counts = new Map<string, number>();
  for await (const { value, key } of source.silent().records(...listKeys)) {
    if (key !== 'resourceSpans' || !isRecord(value)) continue;
    for (const { traceId } of spansIn(value, 0).spans) counts.set(traceId, (counts.get(traceId) ?? 0) + 1);
  }
  return counts;
}

/** Programs log much beside what agents did, which is worth a word only where there is nothing else. */
class LogCounts {
  records = 0;
  #ofAgents = 0;

  read(resourceLogs: JsonObject, line: number, source: ImportSource): readonly OtlpSpan[] {
    const { spans, records, unread } = spansOfLogs(resourceLogs, line);
    if (unread > 0) source.lostPart(line, `${counted(unread, 'log record')} without its session or its span`);
    this.records += records;
    this.#ofAgents += spans.length;
    return spans;
  }

  get areAllOthers(): boolean {
    return this.records > 0 && this.#ofAgents === 0;
  }
}

interface HeldTrace {
  readonly spans: OtlpSpan[];
  readonly byId: Map<string, OtlpSpan>;
  /** Spans that have come, those that were sent again included. */
  arrived: number;
  readonly lost: string[];
  characters: number;
}

/** Spans by their trace, in the order in which traces were first seen. */
class HeldTraces {
  readonly #source: ImportSource;
  readonly #held = new Map<string, HeldTrace>();
  readonly #released = new Set<string>();
  #characters = 0;
  #traceCount = 0;
  readonly #counts: ReadonlyMap<string, number> | undefined;

  constructor(source: ImportSource, counts: ReadonlyMap<string, number> | undefined) {
    this.#source = source;
    this.#counts = counts;
  }

  add(span: OtlpSpan): void {
    if (this.#released.has(span.traceId)) {
      this.#source.problem(
        span.line,
        `span \`${span.name}\` came too late for its trace ${span.traceId} and was left out`,
      );
      return;
    }
    const held: HeldTrace = this.#held.get(span.traceId) ?? {
      spans: [],
      byId: new Map(),
      arrived: 0,
      lost: [],
      characters: 0,
    };
    this.#held.set(span.traceId, held);
    held.arrived++;
    const before = span.spanId === '' ? undefined : held.byId.get(span.spanId);
    if (before) {
      // An exporter resends its spans when it gets no answer.
      const isSame = canonicalJson({ ...before, line: 0 }) === canonicalJson({ ...span, line: 0 });
      if (!isSame) held.lost.push(`the span ${span.spanId} is there twice, and differs`);
      return;
    }
    held.byId.set(span.spanId, span);
    const characters = charactersIn(span);
    held.spans.push(span);
    held.characters += characters;
    this.#characters += characters;
  }

  /** When too much is kept: the oldest traces all of whose spans have come. */
  *release(): Generator<ImportedTrial, void> {
    if (this.#characters <= mostHeldCharacters) return;
    for (const [traceId, { arrived }] of this.#held) {
      if (this.#characters <= mostHeldCharacters / 2) return;
      const isWhole = arrived === this.#counts?.get(traceId);
      if (isWhole || this.#characters > 2 * mostHeldCharacters) yield* this.#finish(traceId);
    }
  }

  *releaseAll(): Generator<ImportedTrial, void> {
    for (const traceId of [...this.#held.keys()]) yield* this.#finish(traceId);
  }

  *#finish(traceId: string): Generator<ImportedTrial, void> {
    const held = this.#held.get(traceId);
    if (!held) return;
    const { spans, characters, arrived } = held;
    const missing = (this.#counts?.get(traceId) ?? 0) - arrived;
    if (missing > 0) held.lost.push(`${counted(missing, 'span')} stand too far behind the others in the file`);
    this.#held.delete(traceId);
    this.#released.add(traceId);
    this.#characters -= characters;
    this.#traceCount++;
    if (spans.every(isLoggedForSpan)) {
      const message = `${counted(spans.length, 'log record')} of trace ${traceId}, whose spans are not in this file`;
      this.#source.problem(spans[0]?.line ?? 1, message, 'Put the exports of its traces and logs into one file.');
      return;
    }
    const losses = this.#source.losses.map(({ line, message }) => `${message} (${this.#source.placeOf(line)})`);
    const trial = trialOfTrace(spans, `trace-${this.#traceCount}`, [...held.lost, ...losses]);
    if (trial) yield trial;
    else this.#source.problem(spans[0]?.line ?? 1, `trace ${traceId} has no spans with gen_ai attributes`);
  }
}
