import { readFile } from 'node:fs/promises';
import { defineConfig } from 'rolldown';

/** Text files imported with `?raw`, as Vite and Vitest do it. */
const rawText = {
  name: 'raw-text',
  async load(id) {
    if (!id.endsWith('?raw')) return null;
    const text = await readFile(id.slice(0, -'?raw'.length), 'utf8');
    return `export default ${JSON.stringify(text)};`;
  },
};

/**
 * Everything written in JavaScript is bundled, because loading hundreds of small files is what makes a command start
 * slowly. What is native or loads the user's own code stays outside, and is loaded only by the commands that need it.
 */
export default defineConfig({
  input: {
    cli: 'src/cli/main.ts',
    index: 'src/index.ts',
    testing: 'src/testing/index.ts',
    'module-worker': 'src/targets/module-worker.ts',
  },
  platform: 'node',
  external: ['libsql', 'jiti', 'vitest'],
  plugins: [rawText],
  transform: { target: 'node20.19' },
  output: { dir: 'dist', format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunk-[name]-[hash].js', sourcemap: true, comments: { legal: true } },
});
