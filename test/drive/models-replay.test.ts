import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../src/drive/models/model.ts';
import type { ReplayMode } from '../../src/drive/models/replay.ts';
import { systemClock } from '../../src/drive/pacing/clock.ts';
import { ask, failureOf, keys, opened, question, scripted, secretKey } from '../../src/testing/support/models.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const request = question('Say it', { system: 'Be brief.', temperature: 0 });

/** Answers `first` to the first request, `second` to the second, then `later`. */
const script = {
  rules: [
    { reply: 'first', times: 1, usage: { input: 100, output: 20 } },
    { reply: 'second', times: 1 },
    { reply: 'later' },
  ],
};

async function recorder() {
  const server = await scripted(script);
  const directory = join(await temporaryFolder(), 'recordings');
  const env: Record<string, string> = { ...server.environment, ...keys };
  return {
    server,
    directory,
    open: (mode: ReplayMode, clock = systemClock) => opened({ env, clock, replay: { mode, directory } }),
    openWithoutKey: (mode: ReplayMode) => opened({ env: {}, replay: { mode, directory } }),
    files: async () => (await readdir(directory).catch(() => [])).sort(),
  };
}

describe('replay off', () => {
  it('asks every time and writes nothing', async () => {
    const { open, files, server } = await recorder();
    const models = open('off');
    const texts = [(await ask(models, 'gpt-4o', request)).text, (await ask(models, 'gpt-4o', request)).text];
    expect(texts).toEqual(['first', 'second']);
    expect(server.log()).toHaveLength(2);
    expect(await files()).toEqual([]);
  });
});

describe('replay auto', () => {
  it('asks once, records, and replays the same bytes without a key, for nothing', async () => {
    const { open, openWithoutKey, server, files } = await recorder();
    const recording = open('auto');
    const { isReplayed, ...recorded } = await ask(recording, 'gpt-4o', request);
    expect(isReplayed).toBe(false);
    expect(recorded).toMatchObject({ text: 'first', usage: { inputTokens: 100, outputTokens: 20 } });
    expect(recorded.costUsd).toBeGreaterThan(0);
    for (const replaying of [recording, openWithoutKey('auto'), openWithoutKey('strict')]) {
      const spentBefore = replaying.spentUsd();
      const { isReplayed: isFromFile, ...replayed } = await ask(replaying, 'openai/gpt-4o', request);
      expect(isFromFile).toBe(true);
      expect(JSON.stringify(replayed)).toBe(JSON.stringify(recorded));
      expect(replaying.spentUsd()).toBe(spentBefore);
    }
    expect(server.log()).toHaveLength(1);
    expect(await files()).toHaveLength(1);
  });

  it('asks once when the same is asked twice at the same time', async () => {
    const { open, server } = await recorder();
    const models = open('auto');
    const replies = await Promise.all(Array.from({ length: 5 }, () => ask(models, 'gpt-4o', request)));
    expect(replies.map(({ text }) => text)).toEqual(['first', 'first', 'first', 'first', 'first']);
    expect(replies.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    expect(server.log()).toHaveLength(1);
  });

  it('takes requests for the same whatever the order of their parts, and tells samples apart by their seed', async () => {
    const { open, server } = await recorder();
    const models = open('auto');
    const turned: ModelRequest = { temperature: 0, messages: request.messages, seed: undefined, system: 'Be brief.' };
    await ask(models, 'gpt-4o', request);
    expect((await ask(models, 'gpt-4o', turned)).text).toBe('first');
    expect((await ask(models, 'gpt-4o', { ...request, seed: 2 })).text).toBe('second');
    expect(server.log()).toHaveLength(2);
  });

  it('says which key is missing when it has to ask', async () => {
    const { openWithoutKey } = await recorder();
    const failure = await failureOf(ask(openWithoutKey('auto'), 'gpt-4o', request));
    expect(failure).toMatchObject({ code: 'MODEL_NO_KEY', hint: expect.stringContaining('OPENAI_API_KEY') });
  });

  it('records no failure', async () => {
    const directory = await temporaryFolder();
    const server = await scripted({ rules: [{ fault: { status: 400 } }] });
    const models = opened({ env: { ...server.environment, ...keys }, replay: { mode: 'auto', directory } });
    await failureOf(ask(models, 'gpt-4o', request));
    expect(await readdir(directory)).toEqual([]);
  });
});

describe('replay record', () => {
  it('records anew what another session recorded, and what this one recorded only once', async () => {
    const { open, openWithoutKey, server, files } = await recorder();
    await ask(open('record'), 'gpt-4o', request);
    const anHourLater = { ...systemClock, nowMs: () => Date.now() + 3_600_000 };
    const models = open('record', anHourLater);
    expect((await ask(models, 'gpt-4o', request)).text).toBe('second');
    expect((await ask(models, 'gpt-4o', request)).text).toBe('second');
    expect((await ask(openWithoutKey('strict'), 'gpt-4o', request)).text).toBe('second');
    expect(server.log()).toHaveLength(2);
    expect(await files()).toHaveLength(1);
  });

  it('needs a key from the beginning', async () => {
    const { openWithoutKey } = await recorder();
    expect((await failureOf(openWithoutKey('record').find('gpt-4o'))).code).toBe('MODEL_NO_KEY');
  });
});

describe('replay strict', () => {
  const miss = async (changed: ModelRequest, name = 'gpt-4o') => {
    const { open, openWithoutKey, server } = await recorder();
    await ask(open('auto'), 'gpt-4o', request);
    const failure = await failureOf(ask(openWithoutKey('strict'), name, changed));
    expect(failure.code).toBe('REPLAY_MISS');
    expect(server.log()).toHaveLength(1);
    return failure.message;
  };

  it.each<[string, ModelRequest, string]>([
    ['the system prompt', { ...request, system: 'Be kind.' }, 'the system prompt ("Be brief." became "Be kind.")'],
    ['a message', { ...request, ...question('Shout it') }, 'message 1 (user) at content ("Say it" became "Shout it")'],
    ['temperature', { ...request, temperature: 1 }, 'temperature (0 became 1)'],
    ['a seed', { ...request, seed: 3 }, 'seed (nothing became 3)'],
    ['the bound of the reply', { ...request, maxOutputTokens: 9 }, 'maxOutputTokens (nothing became 9)'],
    [
      'the output',
      { ...request, output: { name: 'o', schema: {} } },
      'the output schema (nothing became {"name":"o","schema":{}})',
    ],
    ['the tools', { ...request, tools: [] }, 'the tools (nothing became [])'],
    [
      'the number of messages',
      { ...request, messages: [...request.messages, ...request.messages] },
      'the number of messages (1 became 2)',
    ],
  ])('names %s that changed, and the nearest recording', async (_, changed, expected) => {
    expect(await miss(changed)).toMatch(/The nearest recording, openai-gpt-4o-[0-9a-f]{12}\.json, differs in /);
    expect(await miss(changed)).toContain(`differs in ${expected}.`);
  });

  it('names the model when it was another', async () => {
    expect(await miss(request, 'gpt-4o-mini')).toContain('the model ("openai/gpt-4o" became "openai/gpt-4o-mini")');
  });

  it('chooses the recording with the fewest changes, and shows the surroundings of the first', async () => {
    const { open, openWithoutKey } = await recorder();
    const models = open('auto');
    const long = 'All work and no play makes Jack a dull boy. '.repeat(20);
    await ask(models, 'gpt-4o', { ...request, ...question(`${long}Stop.`) });
    await ask(models, 'gpt-4o', { ...request, system: 'Other', ...question(`${long}Go.`) });
    const failure = await failureOf(ask(openWithoutKey('strict'), 'gpt-4o', { ...request, ...question(`${long}Go.`) }));
    expect(failure.message).toContain('differs in the system prompt ("Other" became "Be brief.").');
    expect(failure.message.length).toBeLessThan(300);
  });

  it('says so when nothing was recorded', async () => {
    const { openWithoutKey, directory } = await recorder();
    const failure = await failureOf(ask(openWithoutKey('strict'), 'gpt-4o', request));
    expect(failure.message).toBe(`There are no recordings of openai/gpt-4o in ${directory}.`);
  });

  it.each([
    ['no JSON', '{"version": 1,'],
    ['another version', '{"version": 2}'],
    ['nothing', ''],
  ])('does not replay a file with %s', async (_, content) => {
    const { open, openWithoutKey, directory, files } = await recorder();
    await ask(open('auto'), 'gpt-4o', request);
    const [file = ''] = await files();
    await writeFile(join(directory, file), content);
    const failure = await failureOf(ask(openWithoutKey('strict'), 'gpt-4o', request));
    expect(failure).toMatchObject({ code: 'REPLAY_UNREADABLE', message: expect.stringContaining(file) });
  });
});

describe('a recording', () => {
  it('can be read by people, and edited', async () => {
    const { open, openWithoutKey, directory, files } = await recorder();
    await ask(open('auto'), 'gpt-4o', request);
    const [file = ''] = await files();
    expect(file).toMatch(/^openai-gpt-4o-[0-9a-f]{12}\.json$/);
    const text = await readFile(join(directory, file), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ version: 1, model: 'openai/gpt-4o', request, reply: { text: 'first' } });
    await writeFile(join(directory, file), text.replace('"first"', '"edited"'));
    expect((await ask(openWithoutKey('strict'), 'gpt-4o', request)).text).toBe('edited');
  });

  it('holds no key, even where the model is told one and repeats it', async () => {
    const server = await scripted({ rules: [{ reply: 'It is {{last}}' }] });
    const directory = await temporaryFolder();
    const env = { ...server.environment, ...keys };
    const models = opened({ env, replay: { mode: 'auto', directory } });
    const encoded = Buffer.from(secretKey).toString('base64');
    const told = question(`${secretKey} and ${encoded}`);
    const first = await ask(models, 'gpt-4o', told);
    expect(first.text).toBe('It is [redacted] and [redacted]');
    expect((await ask(models, 'gpt-4o', told)).text).toBe(first.text);
    const miss = await failureOf(
      ask(opened({ env, replay: { mode: 'strict', directory } }), 'gpt-4o', question(`not ${secretKey}`)),
    );
    const bytes = await Promise.all(
      (await readdir(directory)).map((file) => readFile(join(directory, file), 'latin1')),
    );
    for (const text of [...bytes, miss.message]) {
      expect(text).not.toContain(secretKey);
      expect(text).not.toContain(encoded);
    }
  });

  it('that cannot be written is told', async () => {
    const server = await scripted(script);
    const folder = await temporaryFolder({ file: '' });
    const replay = { mode: 'auto', directory: join(folder, 'file') } as const;
    const models = opened({ env: { ...server.environment, ...keys }, replay });
    expect((await failureOf(ask(models, 'gpt-4o', request))).code).toBe('REPLAY_UNWRITABLE');
  });
});

describe('many recordings', () => {
  it('are each found again', async () => {
    const { open, openWithoutKey, server } = await recorder();
    const recording = open('auto');
    const requests = Array.from({ length: 300 }, (_, index) => question(`question ${index}`));
    await Promise.all(requests.map((each) => ask(recording, 'gpt-4o', each)));
    const replaying = openWithoutKey('strict');
    const replies = await Promise.all([...requests, ...requests].map((each) => ask(replaying, 'gpt-4o', each)));
    expect(replies.every(({ isReplayed }) => isReplayed)).toBe(true);
    expect(server.log()).toHaveLength(300);
  });
});
