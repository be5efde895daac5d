import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { reportSchema } from '../../src/domain/capability.ts';
import { agentKinds } from '../../src/drive/agents/index.ts';
import { streamFormats } from '../../src/drive/agents/stream-formats.ts';
import { connectorKinds } from '../../src/drive/connectors/index.ts';
import { codecs } from '../../src/drive/wire/index.ts';
import { importFormats } from '../../src/load/imports/formats/index.ts';
import { spanConventions } from '../../src/load/imports/formats/otlp/conventions/index.ts';
import { spansOfLogs } from '../../src/load/imports/formats/otlp/otlp-logs.ts';
import { type OtlpSpan, spansIn } from '../../src/load/imports/formats/otlp/otlp-span.ts';
import { importCorpus } from '../../src/testing/fakes/load/import-corpus.ts';
import { readers } from './corpus.ts';

/** Connectors whose answers the tests of connectors distort, and not this suite. */
const elsewhere = ['mcp-agent', 'module', 'command'];

function namesWithout(names: readonly string[], covered: readonly string[]): string[] {
  return names.filter((name) => !covered.includes(name));
}

function spansOf(text: string): readonly OtlpSpan[] {
  const { resourceSpans = [], resourceLogs = [] } = JSON.parse(text) as Record<string, Record<string, unknown>[]>;
  return [
    ...resourceSpans.flatMap((each) => spansIn(each, 1).spans),
    ...resourceLogs.flatMap((each) => spansOfLogs(each, 1).spans),
  ];
}

describe('every reader has documents by which it is held to the laws', () => {
  it('connectors', () => {
    const tried = readers.flatMap(({ connector }) => connector ?? []);
    expect(
      namesWithout(
        connectorKinds.map(({ type }) => type),
        [...tried, ...elsewhere],
      ),
    ).toEqual([]);
  });

  it('APIs of providers', () => {
    const tried = codecs.filter(({ name }) => readers.some((reader) => reader.name.includes(name)));
    expect(tried).toEqual(codecs);
  });

  it('output of agents', () => {
    expect(namesWithout(Object.keys(streamFormats), [...readers.map(({ name }) => name), 'text'])).toEqual([]);
  });

  it('import formats', () => {
    const tried = importCorpus.map(({ format }) => format);
    expect(
      namesWithout(
        importFormats.map(({ name }) => name),
        tried,
      ),
    ).toEqual([]);
  });

  it('conventions of OTLP', () => {
    const spans = importCorpus.filter(({ format }) => format === 'otlp').flatMap(({ text }) => spansOf(text));
    const used = new Set(spans.map((span) => spanConventions.find((each) => each.recognises(span))));
    expect(spanConventions.filter((each) => !used.has(each))).toEqual([]);
  });
});

describe('every source declares what it reports', () => {
  it.each([...connectorKinds, ...importFormats.map(({ name, reports }) => ({ type: name, reports }))])(
    '$type',
    ({ reports }) => {
      expect(z.array(reportSchema).safeParse(reports).success).toBe(true);
    },
  );

  it.each(agentKinds)('$name', ({ reports }) => {
    expect([reports.work, reports.usage]).not.toContain(undefined);
  });
});
