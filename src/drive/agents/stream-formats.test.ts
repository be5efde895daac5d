import { describe, expect, it } from 'vitest';
import { fixtureLines } from '../../testing/fakes/agents/testing-stream.ts';
import { detectFormat } from './stream-formats.ts';

const stream = (name: string): string[] => fixtureLines(new URL(`./${name}.jsonl`, import.meta.url));

const streams = [
  ['claude', 'claude-code/fixtures/ok'],
  ['claude', 'claude-code/fixtures/error401'],
  ['qwen', 'qwen/fixtures/ok'],
  ['codex', 'codex/fixtures/ok'],
  ['opencode', 'opencode/fixtures/ok'],
  ['opencode', 'opencode/fixtures/error401'],
  ['gemini', 'gemini/fixtures/ok'],
  ['gemini', 'gemini/fixtures/error401'],
  ['pi', 'pi/fixtures/ok'],
  ['copilot', 'copilot/fixtures/ok'],
  ['kimi', 'kimi/fixtures/ok'],
  ['cline', 'cline/fixtures/ok'],
  ['continue', 'continue/fixtures/ok'],
  ['acp', 'acp/fixtures/kimi'],
] as const;

describe('finding out the format of an output', () => {
  it.each(streams)('knows %s by %s', (format, name) => {
    expect(detectFormat(stream(name))).toBe(format);
    expect(detectFormat(stream(name).slice(0, 1))).toBe(format);
  });

  it.each(streams)('knows %s by %s with its keys in another order, after other lines', (format, name) => {
    const turned = stream(name).map((line) =>
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).reverse())),
    );
    expect(detectFormat(['Loading...', '', '{"level":"info","msg":"up"}', '[1]', ...turned])).toBe(format);
  });

  it('knows nothing of other lines', () => {
    expect(
      detectFormat(['$ mytool add', '{"type":"log","text":"x"}', '{"role":"robot"}', 'null', '{']),
    ).toBeUndefined();
  });
});
