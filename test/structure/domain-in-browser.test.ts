import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

const domain = fileURLToPath(new URL('../../src/domain', import.meta.url));

describe('the domain in a browser', () => {
  const files = readdirSync(domain, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  );

  it.each(files)('%s bundles without anything of Node', async (name) => {
    const bundle = await rolldown({
      input: `${domain}/${name}`,
      platform: 'browser',
      onLog: (_level, log) => {
        throw new Error(log.message);
      },
    });
    const { output } = await bundle.generate({ format: 'esm' });
    expect(output).toHaveLength(1);
    expect(output[0].code).not.toMatch(/node:|\brequire\(|\bprocess\.|\bBuffer\b/);
  });
});
