import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';
import { bundledPackages } from './scripts/bundled-packages.mjs';
import { loadedTogether } from './scripts/loaded-together.mjs';
import { rawText } from './scripts/raw-text.mjs';
import { smallPriceTable } from './scripts/small-price-table.mjs';

/** In the command line program, importing at run time is left to the file that loads it. */
const importByHost = {
  name: 'import-by-host',
  load: (id) => (id.endsWith('/src/shared/import-module.ts') ? 'export const importModule = hostImport;' : null),
};

/** Names this build, so that compiled code of another one is never taken for its own (bin/load-program.js). */
const buildId = {
  name: 'build-id',
  generateBundle(_options, bundle) {
    const hash = createHash('sha256');
    for (const { fileName, code } of Object.values(bundle)) hash.update(`${fileName}\0${code}\0`);
    this.emitFile({ type: 'asset', fileName: 'cli/build-id', source: hash.digest('hex').slice(0, 16) });
  },
};

/** Text of plain characters alone is read several times as fast, and takes half the memory. */
function inPlainCharacters(code, file) {
  const [unclear] = /\\[^\0-\x7f]|String\.raw`[^`]*[^\0-\x7f]/.exec(code) ?? [];
  if (unclear) throw new Error(`${file}: write \\u and four digits for the last character of ${unclear}`);
  return code.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Each script is the function that bin/load-program.js calls: wrapped here, its text need not be copied at every start. */
const wrapped = {
  name: 'wrapped',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      const code = inPlainCharacters(chunk.code, chunk.fileName);
      chunk.code = `(function (exports, require, module, __filename, hostImport) {${code}\n})`;
    }
  },
};

/**
 * Parts of the library that are bundled once, with the program: `import` finds a module that hands on what the script
 * exports.
 */
const libraryParts = {
  index: 'src/entry/index.ts',
  'vitest-program': 'src/entry/vitest/program.ts',
  'testing-program': 'src/testing/program.ts',
  // First code of a process of the web server.
  'server-work': 'src/entry/server/work/process-start.ts',
};

const importable = {
  name: 'importable',
  generateBundle(_options, bundle) {
    for (const name of Object.keys(libraryParts)) {
      const { exports } = bundle[`cli/${name}.cjs`];
      const source = `import{loadLibrary as l}from"../bin/load-program.js";export const{${exports}}=l("./${name}.cjs");\n`;
      this.emitFile({ type: 'asset', fileName: `${name}.js`, source });
    }
  },
};

/** In the modules that are built beside it, a part of the library is the file that `importable` writes. */
const takenFromProgram = {
  name: 'taken-from-program',
  resolveId: {
    filter: { id: /\/program\.ts$/ },
    async handler(source, importer) {
      const resolved = await this.resolve(source, importer, { skipSelf: true });
      const part = Object.keys(libraryParts).find((name) => resolved?.id.endsWith(`/${libraryParts[name]}`));
      return part && { id: `./${part}.js`, external: true };
    },
  },
};

/** The build goes into a folder beside the one in use, which it then replaces (scripts/steps.mjs). */
const dir = process.env.ASSAY_BUILD_DIR ?? 'dist';

const packages = bundledPackages(join(dir, '.bundled-packages.json'));

/**
 * Everything written in JavaScript is bundled, because loading hundreds of small files is what makes a command start
 * slowly. What is native or loads the user's own code stays outside, and is loaded only by the commands that need it.
 */
const common = {
  platform: 'node',
  external: ['@lydell/node-pty', '@napi-rs/keyring', '@photostructure/sqlite', 'jiti', 'vitest'],
  plugins: [rawText, smallPriceTable, packages],
  resolve: { mainFields: ['module', 'main'] },
  transform: { target: 'node20.19' },
};

const everyName = { function: true, class: true };

/** Keeps the names that are seen in stack traces; those of variables are not. */
const readable = {
  compress: { keepNames: everyName },
  mangle: { keepNames: everyName },
  codegen: { removeWhitespace: true },
};

/** What `assay run` needs whatever it runs. */
const loadedByRuns = loadedTogether(fileURLToPath(new URL('.', import.meta.url)), [
  'src/entry/cli/commands/run/run-scenarios.ts',
]);

/** Read at every start, before it is known what the command needs. */
const firstFiles =
  /\/src\/(entry\/cli\/(main|command|context|options\/\w[\w-]*)\.|entry\/cli\/commands\/(index|run\/run)\.|domain\/(errors|problem)\.|shared\/(suggest|format)\.|drive\/targets\/call\/threads\.)/;

/** One import of a part of runs in these files would make every command start with all of them. */
const smallStart = {
  name: 'small-start',
  moduleParsed({ id, importedIds }) {
    const heavy =
      firstFiles.test(id) && importedIds.find((imported) => /\/src\/(compose|engine|load)\//.test(imported));
    if (heavy) throw new Error(`${id} is read at every start and imports ${heavy}: import it where it is used.`);
  },
};

/** Loaded when a store on Postgres is opened, and by nothing else. */
function isOfPostgres(id) {
  return /\/kysely\/.*\/dialect\/postgres\/postgres-(driver|dialect)|\/src\/keep\/store\/sql\/postgres/.test(id);
}

/**
 * What is needed together is loaded together: a start that reads few files is quicker than one that reads many. Parts
 * that only some commands need stay apart.
 */
const programParts = [
  // Whatever starts needs it, also what must start as fast as the proxy in front of an MCP server.
  {
    name: 'small',
    test: /\/usingCtx\.js|\/src\/(domain\/errors\.|shared\/(json|processes\/bounded-output|variables)\.)/,
  },
  { name: 'processes', test: /\/src\/shared\/processes\/(run-process|process-tree)\./ },
  { name: 'yaml', test: /node_modules\/yaml\/|\/src\/load\/sources\/yaml-/ },
  {
    name: 'sqlite',
    test: (id) => /node_modules\/kysely\/|\/src\/keep\/store\/(sql|migrations)\//.test(id) && !isOfPostgres(id),
  },
  { name: 'language', test: /node_modules\/(acorn|re2js)\// },
  { name: 'zod', test: /node_modules\/zod\// },
  { name: 'first', test: firstFiles },
  { name: 'base', test: (id) => loadedByRuns.has(id) },
];

export default defineConfig([
  {
    ...common,
    plugins: [takenFromProgram, ...common.plugins],
    input: {
      scenario: 'src/entry/scenario.ts',
      testing: 'src/testing/index.ts',
      vitest: 'src/entry/vitest/index.ts',
      'module-worker': 'src/drive/targets/call/module-worker.ts',
    },
    output: { dir, format: 'esm', chunkFileNames: 'chunk-[name]-[hash].js', comments: false, minify: readable },
  },
  {
    // Scripts, not modules, so that their compiled code can be kept between starts (bin/load-program.js).
    ...common,
    input: { main: 'src/entry/cli/main.ts', ...libraryParts },
    plugins: [...common.plugins, smallStart, importByHost, importable, wrapped, buildId],
    transform: { ...common.transform, define: { 'import.meta.url': 'programUrl' } },
    output: {
      dir,
      format: 'cjs',
      entryFileNames: 'cli/[name].cjs',
      chunkFileNames: 'cli/[name].cjs',
      codeSplitting: { groups: programParts },
      minify: readable,
      // As if it lay beside the library, so that both find the same files.
      intro: 'const programUrl = new URL("../program.cjs", require("node:url").pathToFileURL(__filename)).href;',
    },
  },
]);
