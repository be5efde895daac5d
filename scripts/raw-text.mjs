import { readFile } from 'node:fs/promises';

/** Text files imported with `?raw`, as Vite and Vitest do it. */
export const rawText = {
  name: 'raw-text',
  async load(id) {
    if (!id.endsWith('?raw')) return null;
    const text = await readFile(id.slice(0, -'?raw'.length), 'utf8');
    return { code: `export default ${JSON.stringify(text)};`, moduleType: 'js' };
  },
};
