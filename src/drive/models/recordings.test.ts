import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { type Recording, recordingFileName, recordingKey } from './recording.ts';
import { Recordings } from './recordings.ts';

const model = 'local/meta/llama3:8b';

function recording(content: string): Recording {
  const request = { messages: [{ role: 'user' as const, content }] };
  return {
    version: 1,
    key: recordingKey(model, request),
    model,
    recordedAt: '2026-01-02T03:04:05.678Z',
    request,
    reply: {
      text: 'ok',
      toolCalls: [],
      finishReason: 'stop',
      usage: { inputTokens: 1, outputTokens: 1 },
      costUsd: null,
      latencyMs: 5,
      respondedAs: 'llama3',
    },
  };
}

const asIs = (text: string): string => text;

describe('Recordings', () => {
  it('gives back what was written, in another session too', async () => {
    const folder = await temporaryFolder();
    const written = await new Recordings(folder, asIs).write(recording('one'));
    const { request: _, ...replayable } = recording('one');
    expect(written).toEqual(replayable);
    expect(new Recordings(folder, asIs).find(model, written.key)).toEqual(written);
    expect(await new Recordings(folder, asIs).near(model)).toEqual([recording('one')]);
    expect(await readdir(folder)).toEqual([`local-meta-llama3-8b-${written.key.slice(0, 12)}.json`]);
  });

  it('keeps the last ones in memory, and no more than it may', async () => {
    const folder = await temporaryFolder();
    const size = JSON.stringify(recording('0'), null, 2).length + 1;
    const recordings = new Recordings(folder, asIs, 2 * size);
    const [first, second, third] = [recording('1'), recording('2'), recording('3')];
    await recordings.write(first);
    await recordings.write(second);
    recordings.find(model, first.key);
    await recordings.write(third);
    for (const file of await readdir(folder)) await rm(join(folder, file));
    const kept = [first, second, third].map(({ key }) => recordings.find(model, key) !== undefined);
    expect(kept).toEqual([true, false, true]);
  });

  it('takes a file of another call for none', async () => {
    const folder = await temporaryFolder();
    const recordings = new Recordings(folder, asIs);
    const { key } = await recordings.write(recording('one'));
    const sameStart = `${key.slice(0, 12)}${'0'.repeat(52)}`;
    expect(recordingFileName(model, sameStart)).toBe(recordingFileName(model, key));
    expect(recordings.find(model, sameStart)).toBeUndefined();
  });

  it('offers recordings of the same model for comparison, else those of others', async () => {
    const folder = await temporaryFolder();
    const recordings = new Recordings(folder, asIs);
    await recordings.write(recording('one'));
    await recordings.write({ ...recording('two'), model: `${model}-large` });
    const models = async (name: string) => (await recordings.near(name)).map((each) => each.model);
    expect(await models(model)).toEqual([model]);
    expect(await models('openai/gpt-4o')).toHaveLength(2);
  });
});
