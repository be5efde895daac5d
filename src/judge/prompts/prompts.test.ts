import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../shared/ids.ts';

/** A prompt that changes gets a new file with a new version: calibrations and comparisons rely on it. */
const pinned: Readonly<Record<string, string>> = {};

describe('prompts', () => {
  const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.md'));

  it.each(names)('%s is as it was when it got its version', (name) => {
    const text = readFileSync(`${import.meta.dirname}/${name}`, 'utf8');
    expect(sha256(text).slice(0, 16)).toBe(pinned[name]);
  });
});
