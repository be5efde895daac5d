import { readdirSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { traceEventSchema } from '../../domain/trace-schema.ts';
import { damaged, fixtureLines, playLines } from '../../testing/fakes/agents/testing-stream.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import { openAutoStream, streamFormats } from './stream-formats.ts';

function streamsOf(folder: string): string[] {
  const fixtures = new URL(`./${folder}/fixtures/`, import.meta.url);
  const names = readdirSync(fixtures).filter((name) => name.endsWith('.jsonl'));
  return names.flatMap((name) => fixtureLines(new URL(name, fixtures)));
}

const folders = ['opencode', 'pi', 'copilot', 'kimi', 'cline', 'continue', 'acp'] as const;

describe('a stream that arrives damaged', () => {
  it.each(folders)('of %s is read without failing, into events that are well formed', (folder) => {
    fc.assert(
      fc.property(damaged(streamsOf(folder)), fc.constantFrom(0, 1), (lines, exitCode) => {
        const { events, report } = playLines(streamFormats[folder], lines, { exitCode }, lines.slice(0, 1));
        for (const event of events) expect(traceEventSchema.safeParse({ at: 0, ...event }).error).toBeUndefined();
        expect(report.completed).toBe(report.reason === null);
      }),
      { seed: 4, numRuns: repetitions({ usual: 150, inFull: 1_500 }) },
    );
  });

  it('of any agent is read without failing when the format is not set', () => {
    const all = folders.flatMap((folder) => streamsOf(folder).slice(0, 6));
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
