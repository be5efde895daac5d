import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../shared/ids.ts';

/** A prompt that changes gets a new file with a new version: calibrations and comparisons rely on it. */
const pinned: Readonly<Record<string, string>> = {
  'criteria.v2.md': 'f8a6702c92015f3b',
  'groundedness.v1.md': '9c5584b602dd5373',
  'look.v1.md': '2678153ee844b03c',
  'pairwise.v1.md': 'bb4e0c64ff3f9d8f',
  'protocol-error.v1.md': 'fedbfda204a628f2',
  'protocol-success.v1.md': '0ead622056e63207',
  'protocol.v1.md': '103a563b4af73259',
  'repair.v2.md': '8d6b70ae0a8becfe',
  'rubric.v1.md': '1772e277afe9ce6a',
  'rules.v2.md': '82b2b956a36263f4',
  'score.v1.md': '244785c470a806cb',
  'user-fidelity.v1.md': '5b10f23827f60c98',
};

describe('prompts', () => {
  const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.md'));

  it.each(names)('%s is as it was when it got its version', (name) => {
    const text = readFileSync(`${import.meta.dirname}/${name}`, 'utf8');
    expect(sha256(text).slice(0, 16)).toBe(pinned[name]);
  });
});
