import { describe, expect, it } from 'vitest';
import { readSample, type WireSample, wireCorpus } from '../../testing/support/wire-corpus.ts';
import type { WireReply, WriteOptions } from './codec.ts';
import { openaiResponses } from './openai-responses/codec.ts';
import { argumentValue, callsOf, textOf } from './values.ts';

const nameOf = ({ codec, name, isStream }: WireSample): string =>
  `${codec.name}, ${isStream ? 'streamed ' : ''}${name}`;
const samples = wireCorpus.map((sample) => [nameOf(sample), sample] as const);

/** Ends that say that more was meant. */
const unfinished = /\bcut|filtered|paused|refused|malformed|blocked/;

describe('a reply as providers write it', () => {
  it.each(samples)('%s is read whole', (name, sample) => {
    const reply = readSample(sample);
    expect(reply?.finish).toBeDefined();
    expect(reply?.unplaced.length === 0).toBe(!unfinished.test(name));
    if (!/\bcut|malformed/.test(name)) expect(reply?.usage).toMatchObject({ inputTokens: expect.any(Number) });
  });

  it('has its cached and written input and its reasoning counted once', () => {
    const usages = Object.fromEntries(
      wireCorpus.filter(({ name }) => /cached/.test(name)).map((sample) => [nameOf(sample), readSample(sample)?.usage]),
    );
    expect(usages).toMatchObject({
      'openai-chat, cached and reasoning': {
        inputTokens: 1200,
        cachedInputTokens: 1024,
        outputTokens: 20,
        reasoningTokens: 12,
      },
      'anthropic-messages, cached': { inputTokens: 189_131, cachedInputTokens: 1024, cacheWriteInputTokens: 188_086 },
      'openai-responses, reasoning and cached': { inputTokens: 2000, cachedInputTokens: 1920, reasoningTokens: 256 },
      'gemini, thinking and cached': {
        inputTokens: 1000,
        cachedInputTokens: 800,
        outputTokens: 200,
        reasoningTokens: 180,
      },
      'bedrock-converse, cached': {
        inputTokens: 6004,
        cachedInputTokens: 5000,
        cacheWriteInputTokens: 1000,
        outputTokens: 10,
      },
    });
  });
});

type Path = readonly (string | number)[];

/** Every place in a value. */
function pathsIn(value: unknown, path: Path = []): Path[] {
  const inside = Array.isArray(value) ? [...value.entries()] : Object.entries(Object(value) as object);
  const isLeaf = typeof value !== 'object' || value === null;
  return [path, ...(isLeaf ? [] : inside.flatMap(([key, part]) => pathsIn(part, [...path, key])))];
}

/** The same value with another part; `undefined` drops a field or makes an element null. */
function replaced(value: unknown, [key, ...rest]: Path, part: unknown): unknown {
  if (key === undefined) return part;
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? replaced(item, rest, part) : item));
  const record = value as Readonly<Record<string, unknown>>;
  if (rest.length > 0 || part !== undefined) return { ...record, [key]: replaced(record[key], rest, part) };
  const { [key]: _, ...others } = record;
  return others;
}

const contentOf = (reply: WireReply) => ({
  text: textOf(reply.parts),
  calls: callsOf(reply.parts).map((call) => `${call.tool} ${JSON.stringify(argumentValue(call))}`),
  tokens: reply.usage,
});

/** Whether a damaged reply shows less than the whole one does. */
function isLess(whole: WireReply, damaged: WireReply): boolean {
  const [before, now] = [contentOf(whole), contentOf(damaged)];
  return now.text.length < before.text.length || now.calls.length < before.calls.length;
}

/** A word, an id or an argument that was changed is another one: nothing in the reply shows it. */
const isOwn = (path: Path): boolean =>
  path.some((key) => /^(?:input|args|arguments|code|action|annotations|citations)$/.test(String(key)));

/**
 * Losses that no reader can see: a piece without words among other pieces, the words beside a call, and another answer
 * than the first. Servers send all of them when nothing is lost.
 */
const invisible = [
  /^openai-chat, (?:parallel tools|custom tool|tools) choices\.0\.message\.content = (?:undefined|null|\[\])$/,
  /^openai-chat, streamed \S+ \d+\.choices = \[\]$/,
  /^openai-chat, streamed \S+ \d+\.choices\.0\.index = 7$/,
  /^openai-chat, streamed \S+ \d+\.choices\.0\.delta = \{\}$/,
  /^openai-chat, streamed \S+ \d+\.choices\.0\.delta\.content = (?:undefined|null|\[\])$/,
  /^gemini, streamed \S+ \d+\.candidates = undefined$/,
  /^gemini, streamed \S+ \d+\.candidates\.0\.content\.parts = \[\]$/,
  // The last piece may have an end and no content.
  /^gemini, streamed \S+ [12]\.candidates\.0\.content(?:\.parts)? = /,
];

describe('an item of a response that is listed twice', () => {
  const item = (text: string) => ({ id: 'msg_1', type: 'message', content: [{ type: 'output_text', text }] });
  const call = { id: 'fc_1', type: 'function_call', call_id: 'c1', name: 'find', arguments: '{}' };
  const read = (...output: readonly object[]) =>
    openaiResponses.readReply({ object: 'response', status: 'completed', output });

  it('is one item', () => {
    expect(read(item('Hello'), item('Hello'), call, call)).toEqual(read(item('Hello'), call));
  });

  it('is a gap where the two differ', () => {
    expect(read(item('Hello'), item('Goodbye'))?.unplaced).toMatchObject([
      { reason: 'two different items have the id msg_1', place: 'output[1]' },
    ]);
  });
});

describe('a reply of which a part is lost', () => {
  it.each(samples)('%s: nothing is lost without a gap, and nothing fails', (_, sample) => {
    const whole = readSample(sample);
    if (!whole) throw new Error('it is not read');
    const silent: string[] = [];
    for (const path of pathsIn(sample.content).slice(1)) {
      if (isOwn(path)) continue;
      for (const part of [undefined, null, 7, 'hologram', {}, []]) {
        // Another text in the place of a text is another answer.
        if (part === 'hologram' && !/type|reason|status/i.test(String(path.at(-1)))) continue;
        if (part === undefined && typeof path.at(-1) === 'number') continue;
        const damaged = readSample(sample, replaced(sample.content, path, part));
        const isAccounted =
          !damaged || damaged.unplaced.length > 0 || damaged.finish === undefined || damaged.error !== undefined;
        if (isAccounted || !isLess(whole, damaged)) continue;
        const loss = `${nameOf(sample)} ${path.join('.')} = ${JSON.stringify(part)}`;
        if (!invisible.some((known) => known.test(loss))) silent.push(loss);
      }
    }
    expect(silent).toEqual([]);
  });
});

describe('a reply that is written', () => {
  const reply = (more: Partial<WireReply>): WireReply => ({
    ...{ id: '1', model: 'm', finish: 'stop', stopReason: undefined, error: undefined, unplaced: [] },
    parts: [{ kind: 'text', text: 'Grüße 👋' }],
    usage: { inputTokens: 100, cachedInputTokens: 60, outputTokens: 20 },
    ...more,
  });
  const call = (callId: string) => ({
    kind: 'call' as const,
    call: { callId, tool: 'book', arguments: { day: 'Monday' } },
  });
  const replies = [
    reply({}),
    reply({ parts: [{ kind: 'text', text: 'a' }, call('c1'), call('c2')], finish: 'tool-calls' }),
  ];
  const codecs = [...new Set(wireCorpus.map(({ codec }) => codec))];

  it.each(codecs.map((codec) => [codec.name, codec] as const))(
    'by %s is read as it was, whole and streamed',
    (_, codec) => {
      const request = codec.readRequest({}, '');
      const options: WriteOptions = {
        createdAtSecs: 1,
        pieceCount: 3,
        request,
        body: { stream_options: { include_usage: true } },
      };
      for (const written of replies) {
        const stream = codec.openStream();
        for (const frame of codec.writeStream(written, options))
          stream.add(frame.replace(/^(?:event: .*\n)?data: /, ''));
        for (const read of [codec.readReply(codec.writeReply(written, options)), stream.reply()]) {
          expect(read && { ...contentOf(read), finish: read.finish, unplaced: read.unplaced }).toEqual({
            ...contentOf(written),
            tokens: expect.objectContaining(written.usage ?? {}),
            finish: written.finish,
            unplaced: [],
          });
        }
        expect(stream.isEnded).toBe(true);
      }
    },
  );

  it.each(codecs.map((codec) => [codec.name, codec] as const))(
    'and a request by %s is read as it was',
    (name, codec) => {
      const written = codec.writeRequest({
        ...{ model: 'm', system: 'Be brief.', isStreaming: false, temperature: 0, maxOutputTokens: 50 },
        tools: [{ name: 'book', description: 'Books.', inputSchema: { type: 'object' } }],
        messages: [
          { role: 'user', parts: [{ kind: 'text', text: 'Monday?' }] },
          { role: 'assistant', parts: [{ kind: 'text', text: 'Sure' }, call('c1')] },
          { role: 'tool', parts: [{ kind: 'result', result: { callId: 'c1', tool: 'book', content: 'ok' } }] },
        ],
      });
      const path =
        { gemini: '/v1/models/m:generateContent', 'bedrock-converse': '/model/m/converse' }[name as string] ?? '';
      const read = codec.readRequest(written, path);
      expect(read).toMatchObject({
        model: 'm',
        system: 'Be brief.',
        maxOutputTokens: 50,
        tools: [{ name: 'book' }],
        unplaced: [],
      });
      const parts = read.messages.filter(({ role }) => role !== 'system').flatMap((message) => message.parts);
      expect(textOf(parts, '|')).toBe('Monday?|Sure');
      expect(callsOf(parts).map(argumentValue)).toEqual([{ day: 'Monday' }]);
      expect(parts.flatMap((part) => (part.kind === 'result' ? [part.result] : []))).toMatchObject([
        { callId: 'c1', content: 'ok' },
      ]);
    },
  );
});
