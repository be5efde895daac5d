import { readdirSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { traceEventSchema } from '../../../domain/trace-schema.ts';
import { eventsIn, readImport, reported } from '../../../testing/fakes/load/read-import.ts';
import { repetitions } from '../../../testing/support/repetitions.ts';

const agents = new URL('../../../drive/agents/', import.meta.url);

/** Output of each agent, by the name of its folder and file. */
const streams = readdirSync(agents, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.jsonl'))
  .sort()
  .map((path) => ({
    path,
    format: path.split('/')[0] === 'claude-code' ? 'claude' : (path.split('/')[0] ?? ''),
    text: readFileSync(new URL(path, agents), 'utf8'),
  }));

describe('what agents print', () => {
  it.each(streams)('is recognised and read: $path', async ({ path, format, text }) => {
    const read = await readImport(text);
    expect(read).toMatchObject({ format, problems: [] });
    expect(read.trials).toHaveLength(1);
    const [trial] = read.trials;
    expect(trial?.verdict).toBeUndefined();
    for (const event of trial?.trace ?? []) expect(traceEventSchema.safeParse(event).error).toBeUndefined();
    const isFailed = path.includes('error401');
    if (!isFailed)
      expect(eventsIn(trial)).toContainEqual(expect.objectContaining({ type: 'message', role: 'assistant' }));
    expect(trial?.fault === undefined).toBe(!isFailed);
    expect(trial?.trace.at(-1)).toMatchObject({ type: 'agent-ended', completed: !isFailed });
  });

  it('gives the same trace each time', async () => {
    for (const { text } of streams) {
      expect((await readImport(text)).trials).toEqual((await readImport(text)).trials);
    }
  });

  it('yields agent, model, version, times, cost and tokens', async () => {
    const claude = streams.find(({ path }) => path === 'claude-code/fixtures/ok.jsonl');
    const { trials } = await readImport(claude?.text ?? '');
    expect(trials[0]).toMatchObject({
      caseId: 'task',
      variant: { agent: 'claude-code', model: 'claude-opus-5-5' },
      startedAt: expect.any(Number),
      durationMs: expect.any(Number),
    });
    expect(trials[0]?.trace[0]).toMatchObject({ type: 'agent-started', version: '2.1.325' });
    expect(eventsIn(trials[0])).toContainEqual(expect.objectContaining({ type: 'usage', inputTokens: 3_000 }));
  });

  it('may be several sessions in one file, of different agents', async () => {
    const textOf = (path: string): string => streams.find((stream) => stream.path === path)?.text.trimEnd() ?? '';
    const [codex, claude] = [textOf('codex/fixtures/ok.jsonl'), textOf('claude-code/fixtures/ok.jsonl')];
    const again = codex.replaceAll(/"thread_id":"[^"]+"/g, '"thread_id":"second"');
    const { trials, problems } = await readImport([codex, again, claude].join('\n'));
    expect(problems).toEqual([]);
    expect(trials.map(({ variant }) => variant.agent)).toEqual(['codex', 'codex', 'claude-code']);
    expect(trials.map(({ line }) => line)).toEqual([1, 8, 15]);
  });

  it('may have its errors beside it', async () => {
    const silent = streams.find(({ path }) => path === 'kimi/fixtures/error401.jsonl');
    const beside = { 'file.stderr': 'error: failed to run prompt: provider.auth_error: 401\n' };
    const { trials } = await readImport(silent?.text ?? '', { beside });
    expect(trials[0]?.fault?.code).toBe('MODEL_UNAUTHORIZED');
  });

  it('is kept where it breaks off, and that is reported', async () => {
    const codex = streams.find(({ path }) => path === 'codex/fixtures/ok.jsonl');
    const lines = codex?.text.trimEnd().split('\n') ?? [];
    const cut = await readImport(`${lines.slice(0, 5).join('\n')}\n{"type":"item.comp`);
    expect(reported(cut)).toEqual(['6: the last line is incomplete: not a JSON object; kept as output']);
    expect(cut.trials[0]?.trace.at(-1)).toMatchObject({
      completed: false,
      reason: 'it ended without its closing line',
    });
    const torn = await readImport([lines[0], 'garbage', ...lines.slice(1)].join('\n'));
    expect(reported(torn)).toEqual(['2: not a JSON object; kept as output']);
    expect(torn.trials).toHaveLength(1);
  });

  it('is never fatal when it is damaged', async () => {
    const small = streams.filter(({ text }) => text.length < 20_000);
    const damage = fc.tuple(fc.constantFrom(...small), fc.nat(), fc.nat(), fc.string({ maxLength: 12 }));
    await fc.assert(
      fc.asyncProperty(damage, async ([{ text, format }, at, length, junk]) => {
        const start = at % text.length;
        const damaged = `${text.slice(0, start)}${junk}${text.slice(start + (length % 500))}`;
        const { trials } = await readImport(damaged, { format });
        for (const { trace } of trials) {
          for (const event of trace) expect(traceEventSchema.safeParse(event).error).toBeUndefined();
        }
      }),
      { seed: 7, numRuns: repetitions({ usual: 30, inFull: 150 }) },
    );
  });
});
