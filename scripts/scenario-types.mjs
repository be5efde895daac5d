import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { rawText } from './raw-text.mjs';

/** Writes the types of scenarios in code, which are made from the schemas of scenario files. */
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'node_modules', `.scenario-types-${process.pid}`);
const bundle = await rolldown({
  input: join(root, 'scripts', 'docs-reference', 'scenario-types.ts'),
  platform: 'node',
  logLevel: 'silent',
  transform: { target: 'es2022' },
  external: (id) => /^[\w@]/.test(id) && !id.startsWith('@oxc-project/'),
  plugins: [rawText],
});
try {
  await bundle.write({ dir: folder, entryFileNames: 'program.mjs' });
  const { scenarioTypes } = await import(pathToFileURL(join(folder, 'program.mjs')).href);
  writeFileSync(join(root, 'src', 'load', 'scenarios', 'code', 'scenario-keys.ts'), scenarioTypes());
} finally {
  await bundle.close();
  rmSync(folder, { recursive: true, force: true });
}
