import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/**
 * Moves the type declarations that the package exports, and those that they import, from one folder to another. Fails
 * when one of them imports a package that an installation of Assay does not have, or a file that is missing.
 */
const [from, to] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const packages = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
const entries = Object.values(manifest.exports).flatMap(({ types }) => types?.replace('./dist/types/', '') ?? []);
movePublicTypes();

function movePublicTypes() {
  const problems = [];
  const reached = new Set(entries.map((entry) => join(from, entry)));
  for (const file of reached) {
    for (const specifier of importsOf(file)) {
      const imported = specifier.startsWith('.') ? join(dirname(file), specifier.replace(/\.ts$/, '.d.ts')) : undefined;
      if (imported !== undefined && existsSync(imported)) reached.add(imported);
      else if (imported !== undefined || !isInstalled(specifier))
        problems.push(`${relative(from, file)} imports ${specifier}`);
    }
  }
  if (problems.length > 0)
    throw new Error(`Public types have imports that users cannot resolve:\n${problems.join('\n')}`);
  for (const file of reached) {
    const target = join(to, relative(from, file));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, indentedByTabs(readFileSync(file, 'utf8')));
  }
  rmSync(from, { recursive: true });
}

/** The compiler indents by four blanks, which are a fifth of all that is packed of types. */
function indentedByTabs(text) {
  return text.replaceAll(/^(?: {4})+/gm, (blanks) => '\t'.repeat(blanks.length / 4));
}

function isInstalled(specifier) {
  return (
    specifier.startsWith('node:') || packages.some((name) => specifier === name || specifier.startsWith(`${name}/`))
  );
}

/** Every module that a declaration file names: imports, exports, `import('…')` types and augmented modules. */
function importsOf(file) {
  const specifiers = [];
  const waiting = [parseAst(readFileSync(file, 'utf8'), { lang: 'dts' }, file)];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const named = node.type === 'TSModuleDeclaration' ? node.id : node.source;
    if (named?.type === 'Literal') specifiers.push(named.value);
    for (const part of Object.values(node).flat()) if (typeof part?.type === 'string') waiting.push(part);
  }
  return specifiers;
}
