import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const staticImport = /(?:^|\n)\s*(?:import|export)\s(?!type\b)(?:[^'";]*?\sfrom\s*)?'(\.[^']+)'/g;

/** Everything that is loaded with the given files, because they import it by name, directly or through others. */
export function loadedTogether(root, files) {
  const found = new Set();
  const waiting = files.map((file) => join(root, file));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file) || !existsSync(file)) continue;
    found.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, specifier] of text.matchAll(staticImport)) waiting.push(join(dirname(file), specifier));
  }
  return found;
}
