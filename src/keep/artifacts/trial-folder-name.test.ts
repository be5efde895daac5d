import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trialFolderName } from './trial-facts.ts';

const at = Date.UTC(2026, 10, 15, 9, 30, 12, 250);
const trial = (trialId: string, agent: string, model: string, name: string) => ({
  trialId,
  variant: { agent, model },
  scenario: { name },
});

describe('trialFolderName', () => {
  it('names time, agent, model and scenario', () => {
    expect(trialFolderName(trial('t-1', 'codex', 'openai/gpt-5', 'create note'), at)).toMatch(
      /^20261115-093012-codex-openai_gpt-5-create_note-[0-9a-f]{10}$/,
    );
    expect(trialFolderName({ trialId: 't-1', variant: {}, scenario: { name: 'x' } }, at)).toMatch(
      /^20261115-093012-direct-default-x-[0-9a-f]{10}$/,
    );
  });

  it('is one safe name on any file system', () => {
    const any = fc.string({ unit: 'grapheme', maxLength: 300 });
    fc.assert(
      fc.property(any, any, any, (agent, model, name) => {
        expect(trialFolderName(trial('t-1', agent, model, name), at)).toMatch(/^\d{8}-\d{6}[A-Za-z0-9._-]{1,105}$/);
      }),
      { seed: 71 },
    );
    for (const hostile of ['../../etc', 'a\\b', '.', '..', '-rf', '', 'x'.repeat(1_000)])
      expect(trialFolderName(trial('t', hostile, hostile, hostile), at)).not.toMatch(/[/\\]|-[.]{1,2}-/);
  });

  it('differs for 20,000 trials of the same second', () => {
    const names = Array.from({ length: 20_000 }, (_, index) =>
      trialFolderName(trial(`t-${index}`, 'codex', 'm', 's'), at + (index % 1_000) / 2),
    );
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(20_000);
  });
});
