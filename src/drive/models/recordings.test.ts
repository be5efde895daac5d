import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { redactionOf } from '../../shared/redaction/redaction.ts';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { type Recording, Recordings, recordingFileName, recordingKey } from './recordings.ts';

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

const asIs = redactionOf([]);

describe('Recordings', () => {
  it('gives back what was written, in another session too', async () => {
    const folder = await temporaryFolder();
    const written = await new Recordings(folder, asIs).write(recording('one'));
    expect(written).toEqual(recording('one'));
    expect(new Recordings(folder, asIs).find(model, written.key)).toEqual(written);
    expect(await new Recordings(folder, asIs).near(model)).toEqual([recording('one')]);
    expect(await readdir(folder)).toEqual([`local-meta-llama3-8b-${written.key.slice(0, 12)}.json`]);
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
