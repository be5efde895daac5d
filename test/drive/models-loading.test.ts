import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../src/drive/models', import.meta.url));

const heavy = /^import (?!type\b)[^;]*?from '(?:ai|@ai-sdk\/[\w-]+|@pydantic\/genai-prices|\.\.\/shared\/http\.ts)';/gm;

describe('the models', () => {
  it('load no SDK, no table of prices and no HTTP client before a provider is asked', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('scripted'),
    );
    const texts = files.map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(texts.flatMap((text) => text.match(heavy) ?? [])).toEqual([]);
    expect(texts.join('\n').match(/await import\('@ai-sdk/g)).toHaveLength(4);
  });
});
