import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../shared/ids.ts';

/** A prompt that changes gets a new file with a new version: calibrations and comparisons rely on it. */
const pinned: Readonly<Record<string, string>> = {
  'criteria.v3.md': 'd384f6047a359951',
  'groundedness.v2.md': '968bbd94a938ed13',
  'look.v1.md': '2678153ee844b03c',
  'pairwise.v2.md': 'd2c7e43a73a70b46',
  'protocol-error.v1.md': 'fedbfda204a628f2',
  'protocol-success.v1.md': '0ead622056e63207',
  'protocol.v2.md': '7adf99ac66457a6c',
  'repair.v2.md': '8d6b70ae0a8becfe',
  'rubric.v2.md': '3f16571631d7549a',
  'rules-long.v3.md': 'eb84b3003179ab53',
  'rules.v3.md': 'a3c090273b55cd1d',
  'score.v2.md': '5d8e049c1deff8fc',
  'user-fidelity.v1.md': '5b10f23827f60c98',
};

describe('prompts', () => {
  const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.md'));

  it.each(names)('%s is as it was when it got its version', (name) => {
    const text = readFileSync(`${import.meta.dirname}/${name}`, 'utf8');
    expect(sha256(text).slice(0, 16)).toBe(pinned[name]);
  });
});
