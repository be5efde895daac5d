import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import type { UnstampedEvent } from '../../../domain/trace.ts';
import type { AgentExit, AgentReport, OpenAgentStream } from '../../../drive/agents/agent.ts';

const ok: AgentExit = { exitCode: 0, signal: null, timedOut: false };

/** Events and report of a stream that read the lines of an agent. */
export interface Played {
  readonly events: readonly UnstampedEvent[];
  readonly report: AgentReport;
}

/** The lines of a stored stream. */
export function fixtureLines(file: URL): string[] {
  return readFileSync(file, 'utf8').trimEnd().split('\n');
}

/** Feeds lines to a stream like an agent that prints them and then ends with the given exit. */
export function playLines(
  openStream: OpenAgentStream,
  lines: readonly string[],
  exit: Partial<AgentExit> = {},
  errorLines: readonly string[] = [],
): Played {
  const events: UnstampedEvent[] = [];
  const stream = openStream((event) => events.push(event));
  for (const line of lines) stream.line(line);
  for (const line of errorLines) stream.errorLine(line);
  return { events, report: stream.finish({ ...ok, ...exit }) };
}

/** The events of some types, without the figure that differs each time. */
export function only(events: readonly UnstampedEvent[], ...types: UnstampedEvent['type'][]): object[] {
  return events.filter(({ type }) => types.includes(type)).map((event) => ({ ...event, ...untimed(event) }));
}

function untimed(event: UnstampedEvent): object {
  return event.type === 'tool-result' ? { durationMs: 0 } : {};
}

/** The lines of a stream after damage: some lost, cut, out of order, with junk between, or with parts of them replaced. */
export function damaged(lines: readonly string[]): fc.Arbitrary<string[]> {
  const line = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...lines) },
    { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...lines), fc.nat(2_000)).map(([text, at]) => text.slice(0, at)) },
    { weight: 4, arbitrary: mutated(lines) },
    { weight: 1, arbitrary: fc.string() },
    { weight: 1, arbitrary: fc.json() },
  );
  return fc.array(line, { maxLength: 12 });
}

/** A line in which one value, chosen by its number, is replaced by another one, and whose keys are turned round. */
function mutated(lines: readonly string[]): fc.Arbitrary<string> {
  const parts = fc.tuple(fc.constantFrom(...lines), fc.nat(80), fc.jsonValue({ maxDepth: 2 }), fc.boolean());
  return parts
    .map(([text, chosen, replacement, isReversed]) => {
      let visited = 0;
      return JSON.stringify(JSON.parse(text), (_key, value: unknown) => {
        if (visited++ === chosen) return replacement;
        const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
        return isObject && isReversed ? Object.fromEntries(Object.entries(value).reverse()) : value;
      });
    })
    .map((text) => text ?? 'null');
}
