import { readFileSync } from 'node:fs';
import type { Codec, WireReply } from '../../drive/wire/codec.ts';
import { codecs } from '../../drive/wire/index.ts';

/** A reply in the form of a provider's API: one document, or the events of its stream. */
export interface WireSample {
  readonly codec: Codec;
  readonly name: string;
  readonly isStream: boolean;
  /** A document, or a list of events. */
  readonly content: unknown;
}

interface Fixtures {
  readonly documents: Readonly<Record<string, unknown>>;
  readonly streams: Readonly<Record<string, unknown>>;
}

/** Replies of all APIs, with tools, caches, thinking, server tools, and ends of every kind. */
export const wireCorpus: readonly WireSample[] = codecs.flatMap((codec) => {
  const file = new URL(`../../drive/wire/${codec.name}/fixtures/replies.json`, import.meta.url);
  const { documents, streams } = JSON.parse(readFileSync(file, 'utf8')) as Fixtures;
  const samplesOf = (contents: Readonly<Record<string, unknown>>, isStream: boolean): WireSample[] =>
    Object.entries(contents).map(([name, content]) => ({ codec, name, isStream, content }));
  return [...samplesOf(documents, false), ...samplesOf(streams, true)];
});

/** Reads a sample, or another content in its place; undefined where it is not a reply that ended. */
export function readSample({ codec, isStream, content }: WireSample, other: unknown = content): WireReply | undefined {
  if (!isStream) return codec.readReply(other);
  const stream = codec.openStream();
  for (const event of Array.isArray(other) ? other : []) stream.add(JSON.stringify(event) ?? '');
  return stream.isEnded && stream.problem === undefined ? stream.reply() : undefined;
}
