import { counted } from '../../../../shared/format.ts';
import { isRecord } from '../../../../shared/json.ts';
import { charactersIn } from '../../coerce.ts';
import type { ImportedTrial, ImportFormat } from '../../import-format.ts';
import type { ImportSource } from '../../import-source.ts';
import { type OtlpSpan, spansIn } from './otlp-span.ts';
import { trialOfTrace } from './otlp-trial.ts';

const listKeys: ReadonlySet<string> = new Set(['resourceSpans']);
/** Memory limit: traces are kept until their spans are complete. */
const mostHeldCharacters = 24 * 1_048_576;

/** OTLP/JSON traces with GenAI attributes, as one document or as one export per line: each trace is a trial. */
export const otlp: ImportFormat = {
  name: 'otlp',
  summary: 'OTLP/JSON traces of OpenTelemetry GenAI, OpenInference, the Vercel AI SDK or Strands Agents',
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
      const isWhole = spans.some(({ parentSpanId }) => parentSpanId === undefined);
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
    const trial = trialOfTrace(spans, `trace-${this.#traceCount}`);
    if (trial) yield trial;
    else this.#source.problem(spans[0]?.line ?? 1, `trace ${traceId} has no spans with gen_ai attributes`);
  }
}
