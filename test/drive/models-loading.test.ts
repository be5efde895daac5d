import { fileURLToPath } from 'node:url';
import { type OutputChunk, rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

const priceTable = '@pydantic/genai-prices';

/** Bundles the models and follows static imports from their entry, as a start of the program does. */
async function bundledModels() {
  await using bundle = await rolldown({
    input: fileURLToPath(new URL('../../src/drive/models/open-models.ts', import.meta.url)),
    platform: 'node',
    external: [priceTable],
  });
  const { output } = await bundle.generate({ format: 'esm' });
  const chunks = output.filter((part): part is OutputChunk => part.type === 'chunk');
  const loaded = new Set<string>();
  const follow = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    for (const next of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) follow(next);
  };
  for (const { fileName } of chunks.filter(({ isEntry }) => isEntry)) follow(fileName);
  const atStart = chunks.filter(({ fileName }) => loaded.has(fileName)).flatMap(({ moduleIds }) => moduleIds);
  return { loaded, atStart, whenNeeded: chunks.flatMap(({ dynamicImports }) => dynamicImports) };
}

describe('the models', () => {
  it('load no price table and no HTTP client before a request is sent', async () => {
    const { loaded, atStart, whenNeeded } = await bundledModels();
    expect(atStart.some((id) => id.endsWith('/src/drive/models/open-models.ts'))).toBe(true);
    expect(loaded.has(priceTable)).toBe(false);
    expect(atStart.filter((id) => id.endsWith('/src/shared/http/http-client.ts'))).toEqual([]);
    expect(whenNeeded).toEqual(expect.arrayContaining([priceTable]));
  });
});
