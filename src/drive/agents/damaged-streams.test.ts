import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Channel } from '../../domain/capability.ts';
import { countedUsage } from '../../domain/counted-usage.ts';
import { observedCalls } from '../../domain/tools/tool-calls.ts';
import { eventsOf, type Trace } from '../../domain/trace.ts';
import { traceEventSchema } from '../../domain/trace-schema.ts';
import { knownUsage, sumOfUsage } from '../../domain/usage.ts';
import { isRecord } from '../../shared/json.ts';
import { agentStreamCorpus, type RecordedStream } from '../../testing/fakes/agents/agent-stream-corpus.ts';
import { damaged, playLines } from '../../testing/fakes/agents/testing-stream.ts';
import { coverageOf } from '../../testing/support/coverage-of.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import { openAutoStream, streamFormats } from './stream-formats.ts';

const formats = [...new Set(agentStreamCorpus.map(({ format }) => format))];
const linesOf = (format: string): string[] =>
  agentStreamCorpus.filter((stream) => stream.format === format).flatMap(({ lines }) => lines);

describe('a stream that arrives damaged', () => {
  it.each(formats)('of %s is read without failing, into events that are well formed', (format) => {
    fc.assert(
      fc.property(damaged(linesOf(format)), fc.constantFrom(0, 1), (lines, exitCode) => {
        const { events, report } = playLines(streamFormats[format], lines, { exitCode }, lines.slice(0, 1));
        for (const event of events) expect(traceEventSchema.safeParse({ at: 0, ...event }).error).toBeUndefined();
        expect(report.completed).toBe(report.reason === null);
      }),
      { seed: 4, numRuns: repetitions({ usual: 150, inFull: 1_500 }) },
    );
  });

  it('of any agent is read without failing when the format is not set', () => {
    const all = formats.flatMap((format) => linesOf(format).slice(0, 6));
    fc.assert(
      fc.property(damaged(all), (lines) => {
        for (const event of playLines(openAutoStream, lines).events) {
          expect(traceEventSchema.safeParse({ at: 0, ...event }).error).toBeUndefined();
        }
      }),
      { seed: 4, numRuns: repetitions({ usual: 150, inFull: 1_500 }) },
    );
  });
});

type Facts = Readonly<Partial<Record<Channel, unknown>>>;

/** The work that a reader of the trace would report. */
function factsOf(trace: Trace): Facts {
  const calls = observedCalls(trace);
  return {
    answers: eventsOf(trace, 'message').flatMap(({ role, text }) => (role === 'assistant' ? [text] : [])),
    'tool-calls': calls.map(({ tool, input, actor }) => ({ tool, input, actor })),
    'tool-results': calls.map(({ result, error, exitCode }) => ({ result, error, exitCode })),
    usage: knownUsage(sumOfUsage(countedUsage(trace)) ?? {}),
  };
}

/** A line as it arrives: nothing, or one or two lines. */
interface Damage {
  readonly operator: 'drop' | 'cut' | 'double' | 'retype';
  readonly lines: readonly string[];
}

function damagesOf(line: string): Damage[] {
  const places = [1, line.indexOf(':') + 1, line.indexOf('"', 20), Math.floor(line.length / 2), line.length - 1];
  const cuts = new Set(places.filter((place) => place > 0 && place < line.length));
  return [
    { operator: 'drop', lines: [] },
    { operator: 'double', lines: [line, line] },
    ...[...cuts].map((place): Damage => ({ operator: 'cut', lines: [line.slice(0, place)] })),
    ...[...cuts].map((place): Damage => ({ operator: 'cut', lines: [line.slice(0, place), line.slice(place)] })),
    ...retyped(JSON.parse(line)).map((text): Damage => ({ operator: 'retype', lines: [text] })),
  ];
}

const kindKeys = new Set(['type', 'role', 'method', 'sessionUpdate', 'contentType', 'status', 'stopReason', 'reason']);

/** Inputs and outputs of tools, which hold no kinds of the agent. */
const payloads = new Set(['rawInput', 'rawOutput', 'input', 'arguments', 'args', 'parameters', 'tool_use_result']);

/** The line with each of its kinds replaced, one at a time, by an unknown one. */
function retyped(line: object): string[] {
  return kindsIn(line).map(({ holder, key, value }) => {
    holder[key] = 'zz_new';
    const text = JSON.stringify(line);
    holder[key] = value;
    return text;
  });
}

interface Kind {
  readonly holder: Record<string, unknown>;
  readonly key: string;
  readonly value: string;
}

function kindsIn(value: unknown): Kind[] {
  if (Array.isArray(value)) return value.flatMap(kindsIn);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    if (payloads.has(key)) return [];
    if (typeof part !== 'string') return kindsIn(part);
    return kindKeys.has(key) ? [{ holder: value, key, value: part }] : [];
  });
}

const found = new Map(agentStreamCorpus.map((stream) => [stream, lazily(() => unnoticedIn(stream))]));
const unnoticed = (stream: RecordedStream): readonly string[] => found.get(stream)?.() ?? [];

function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Where the facts differ although their channel counts as complete, as `operator channel: kind of line`. */
function unnoticedIn({ lines, traceOf }: RecordedStream): string[] {
  const whole = factsOf(traceOf(lines));
  return lines.flatMap((line, index) =>
    damagesOf(line).flatMap(({ operator, lines: arrived }) => {
      const trace = traceOf([...lines.slice(0, index), ...arrived, ...lines.slice(index + 1)]);
      const coverage = coverageOf(trace);
      return Object.entries(factsOf(trace)).flatMap(([channel, facts]) => {
        const isSame = JSON.stringify(facts) === JSON.stringify(whole[channel as Channel]);
        const isNoticed = coverage[channel as Channel].state !== 'complete';
        return isSame || isNoticed ? [] : [`${operator} ${channel}: ${kindOf(line)}`];
      });
    }),
  );
}

function kindOf(line: string): string {
  const { type, role, method, event, item, params, message } = JSON.parse(line);
  const inner = event?.type ?? item?.type ?? params?.update?.sessionUpdate ?? message?.content?.[0]?.type;
  return [method ?? type ?? role, inner].filter((part) => part !== undefined).join('/');
}

/** Damage that leaves no trace in a stream that numbers neither its lines nor its words. */
const undetectable: Readonly<Record<string, readonly string[]>> = {
  // Words beside a call, which the end does not repeat.
  claude: ['drop answers: assistant/text'],
  qwen: ['drop answers: assistant/text'],
  // Only the last item: after it, no number is passed over.
  codex: ['drop answers: item.completed/agent_message'],
  opencode: ['drop answers: text'],
  gemini: ['double answers: message', 'drop answers: message'],
  kimi: ['double answers: assistant', 'drop answers: assistant'],
  acp: [
    'double answers: session/update/agent_message_chunk',
    'drop answers: session/update/agent_message_chunk',
    // The request for permission has other details of the same call.
    'drop tool-calls: session/update/tool_call',
  ],
};

describe('damage of a recorded stream', () => {
  it.each(agentStreamCorpus)('of $name is noticed in every channel that it changes', (stream) => {
    const allowed = undetectable[stream.format] ?? [];
    expect(unnoticed(stream).filter((damage) => !allowed.includes(damage))).toEqual([]);
  });

  it('is not more than a whole stream shows: none of them has a gap', () => {
    const gaps = agentStreamCorpus.flatMap(({ name, lines, traceOf }) =>
      eventsOf(traceOf(lines), 'gap').map(({ reason }) => `${name}: ${reason}`),
    );
    expect(gaps).toEqual([
      // Its error is on stderr, which is stored in another file.
      'kimi/error401: the output of the agent has no end',
    ]);
  });

  it('has no undetectable kind that is detected', () => {
    for (const [format, kinds] of Object.entries(undetectable)) {
      const missed = agentStreamCorpus.filter((stream) => stream.format === format).flatMap(unnoticed);
      expect(kinds.filter((kind) => !missed.includes(kind))).toEqual([]);
    }
  });
});
