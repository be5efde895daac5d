import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/testing/support/plugin-project.ts';

/** The generated pages, which `docs-reference.test.ts` holds against the source. */
async function page(name: string): Promise<string> {
  return readFile(join(packageRoot, 'docs', 'reference', name), 'utf8');
}

/** The columns of the rows of all tables. */
const rowsOf = (text: string): string[][] =>
  text.split('\n').flatMap((line) => (line.startsWith('| `') ? [line.split('|').map((cell) => cell.trim())] : []));

it('has at most 150 keys of the config that hold a value', async () => {
  const sections = ['object', 'map of objects', 'list of objects'];
  const keys = rowsOf(await page('config.md')).filter(([, , type = '']) => !sections.includes(type));
  expect(keys.length).toBeGreaterThan(100);
  expect(keys.length).toBeLessThanOrEqual(150);
});

it('reads at most ten environment variables of its own', async () => {
  const [, read = ''] = (await page('environment.md')).split(/^## /m);
  const own = rowsOf(read).filter(([, name = '']) => name.startsWith('`ASSAY_'));
  expect(own.length).toBeGreaterThan(0);
  expect(own.length).toBeLessThanOrEqual(10);
});
