import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { thirdPartyLicences } from '../../scripts/third-party-licences.mjs';
import { once } from '../../src/shared/async.ts';
import { assay } from '../../src/testing/support/assay.ts';
import { InstalledPackage } from '../../src/testing/support/packed-package.ts';
import { packageRoot } from '../../src/testing/support/plugin-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

let installed: InstalledPackage;

beforeAll(async () => {
  // Leaves compiled code in the build folder, which must not be packed.
  await assay(['--help'], { cwd: packageRoot });
  installed = await InstalledPackage.install();
});
afterAll(() => installed.remove());

const packable = [
  /^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
  /^bin\/[a-z-]+\.js$/,
  /^bin\/package\.json$/,
  /^dist\/[\w.-]+\.js$/,
  /^dist\/cli\/([\w.-]+\.cjs|build-id)$/,
  /^dist\/types\/[\w./-]+\.d\.ts$/,
  /^dist\/web\/(index\.html|report\/report\.(js|css)\.gz|assets\/[\w-]+\.(js|css|svg))$/,
  /^dist\/(THIRD-PARTY-LICENSES\.txt|sbom\.cdx\.json)$/,
  /^docs\/[\w./-]+\.md$/,
];
const unwanted = /\.map$|compiled-|\.test\.|\/fakes\/|fixtures|node_modules/;

describe('what is packed', () => {
  it('is the program, the library, the pages and their documentation, and nothing else', async () => {
    expect(await readdir(join(packageRoot, 'dist', 'cli'))).toContainEqual(expect.stringMatching(/^compiled-/));
    const { files } = installed;
    expect(files.filter((path) => unwanted.test(path) || !packable.some((rule) => rule.test(path)))).toEqual([]);
    for (const rule of packable)
      expect(
        files.some((path) => rule.test(path)),
        String(rule),
      ).toBe(true);
  });

  it('is small', () => {
    expect(installed.unpackedBytes).toBeLessThan(11_000_000);
  });

  it('has every file that package.json names', () => {
    const { bin, exports } = installed.manifest;
    const named = [bin, ...Object.values(exports)].flatMap((entry) =>
      typeof entry === 'string' ? [entry] : Object.values(entry),
    );
    expect(named).toContain('./dist/index.js');
    expect(named.filter((path) => !installed.files.includes(path.replace('./', '')))).toEqual([]);
  });
});

describe('an installed program', () => {
  const scenario = (module: string) =>
    `name: ${module}\ncall: { module: ../tools/${module}, export: double }\ncases: [{ input: 2 }]\npassCriteria: [result === 4]\n`;
  const modules = {
    'esm.mjs': 'export const double = (input) => 2 * input;',
    'common.cjs': 'function double(input) { return 2 * input; }\nmodule.exports = { double };',
    'common.js': 'module.exports = { double: (input) => 2 * require("./factor.js").factor * input };',
    'typed.ts': 'export const double = (input: number): number => 2 * input;',
    'typed.cts': 'module.exports = { double: (input: number): number => 2 * input };',
  };

  it('runs tools that are ES modules, CommonJS modules and TypeScript', async () => {
    await installed.write({ 'package.json': '{ "private": true }', 'tools/factor.js': 'exports.factor = 1;' });
    for (const [name, text] of Object.entries(modules))
      await installed.write({ [`tools/${name}`]: text, [`scenarios/${name}.yaml`]: scenario(name) });
    const run = JSON.parse(await installed.assay('run', 'scenarios', '--json'));
    expect(run.totals).toMatchObject({ pass: Object.keys(modules).length, fail: 0, error: 0, skipped: 0 });
  });

  it('answers with its version', async () => {
    expect((await installed.assay('--version')).trim()).toBe(installed.manifest.version);
  });

  it('does not run compiled code of another build, even when files have the same size and age', async () => {
    const { folder } = installed;
    const before = await installed.assay('--help');
    const title = /^assay: (\w+)/.exec(before)?.[1] ?? '';
    const changedTitle = 'X'.repeat(title.length);
    let changes = 0;
    for (const name of (await readdir(join(folder, 'dist', 'cli'))).filter((file) => file.endsWith('.cjs'))) {
      const path = join('dist', 'cli', name);
      const text = await installed.read(path);
      const changed = text.replaceAll(`assay: ${title} `, `assay: ${changedTitle} `);
      if (changed !== text) changes++;
      await writeFile(join(folder, path), changed);
    }
    expect(changes).toBeGreaterThan(0);
    await writeFile(join(folder, 'dist', 'cli', 'build-id'), 'another-build');
    expect(await installed.assay('--help')).toBe(before.replace(title, changedTitle));
  });
});

describe('the library', () => {
  const names = ['.', './scenario', './testing', './vitest'] as const;
  const specifiers = names.map((name) => name.replace('.', 'assay'));

  it('is imported by ES modules and required by CommonJS', async () => {
    const show = 'console.log([typeof assay.evaluate, typeof testing.startScriptedModel].join())';
    await installed.link('vitest');
    await installed.write({
      'use.mjs': `import * as assay from 'assay';\nimport * as testing from 'assay/testing';\n${show}`,
      'use.cjs': `const assay = require('assay');\nconst testing = require('assay/testing');\n${show}`,
    });
    expect(await installed.node('use.mjs')).toBe('function,function\n');
    expect(await installed.node('use.cjs')).toBe('function,function\n');
  });

  const compiler = join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc');
  const compilerOptions = {
    target: 'ES2022',
    module: 'NodeNext',
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    types: ['node'],
  };

  const call = "call: { module: './tool.ts' }, input: 1";
  const checkedBy = (evaluator: string) => `defineScenario({ name: 'a', ${call}, evaluators: [${evaluator}] });`;
  const right = [
    checkedBy("{ type: 'contains', config: { text: 'x' } }, { type: 'equals' }"),
    "defineScenario({ name: 'b', server: { command: 'node' }, workflows: [{ name: 'w', steps: [{ user: 'Hi' }] }] });",
    "defineScenario({ name: 'c', connector: 'http://localhost', userMessages: ['Hi'], evaluators: [{ type: 'refusal', when: 'final' }] });",
    "defineScenario({ name: 'd', target: { binary: 'x' }, task: 'Do it.', gates: [{ type: 'file_exists', path: 'a' }] });",
    `defineScenario<{ polite: { words?: string[] } }>({ name: 'e', ${call}, evaluators: [{ type: 'polite' }] });`,
    `defineSuite({ tags: ['x'], scenarios: [defineScenario({ name: 'f', ${call}, dataset: async function* () { yield { input: 1 }; } })] });`,
  ];
  const wrong = [
    `defineScenario({ name: 'a', ${call}, passCritera: ['true'] });`,
    checkedBy("{ type: 'contains', config: { txt: 'x' } }"),
    checkedBy("{ type: 'contians' }"),
    checkedBy("{ type: 'not-contains' }"),
    checkedBy("{ type: 'polite' }"),
    `defineScenario({ name: 'a', ${call}, userMessages: ['Hi'] });`,
    "defineScenario({ name: 'a', target: { binary: 'x' }, task: 'Do it.', gates: [{ type: 'file_exists', pth: 'a' }] });",
    "defineSuite({ tag: ['x'], scenarios: [] });",
  ];

  /** Reading the types takes longest, so what is right and what is wrong is compiled together. */
  const compiled = once(async (): Promise<string> => {
    await installed.link('@types/node');
    await installed.write({
      'types/package.json': '{ "type": "module" }',
      'types/tsconfig.json': JSON.stringify({ compilerOptions, files: ['use.ts', 'scenarios.ts'] }),
      'types/use.ts': [
        ...specifiers.map((specifier, index) => `import * as part${index} from '${specifier}';`),
        "import { defineEvaluator, type Plugin, type Store, openStore } from 'assay';",
        "export const store: Promise<Store> = openStore('sqlite::memory:', '.');",
        'export const parts: object[] = [part0, part1, part2, part3];',
        'export const plugins: Plugin[] = [];',
        'export { defineEvaluator };',
      ].join('\n'),
      'types/scenarios.ts': ["import { defineScenario, defineSuite } from 'assay/scenario';", ...right, ...wrong].join(
        '\n',
      ),
    });
    return installed.node(compiler, '--checkers', '1', '--project', 'types').catch(({ stdout }) => stdout);
  });

  /** Errors begin their lines; what explains them is indented. */
  const errorsIn = (output: string): string[] => output.split('\n').filter((line) => /^\S/.test(line));
  const ofScenarios = /^types\/scenarios\.ts\((\d+),/;

  it('has types that need no package beside those that it declares', async () => {
    expect(errorsIn(await compiled()).filter((line) => !ofScenarios.test(line))).toEqual([]);
  });

  it('has types of scenarios that know every key, every evaluator and its config', async () => {
    const output = await compiled();
    const lines = errorsIn(output).flatMap((line) => ofScenarios.exec(line)?.[1] ?? []);
    expect([...new Set(lines.map(Number))], output).toEqual(wrong.map((_, index) => right.length + 2 + index));
  });
});

describe('licences of bundled packages', () => {
  interface BillOfMaterials {
    readonly components: readonly { readonly name: string; readonly version: string; readonly purl: string }[];
  }

  it('are packed, one text for each package in the bill of materials that is not installed beside', async () => {
    const { components } = JSON.parse(await installed.read('dist/sbom.cdx.json')) as BillOfMaterials;
    const texts = await installed.read('dist/THIRD-PARTY-LICENSES.txt');
    const besides = ['@photostructure/sqlite', 'jiti', 'node-addon-api', 'node-gyp-build'];
    const bundled = components.filter(({ name }) => !besides.includes(name));
    expect(bundled.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['commander', 'react', 'zod', 'tailwindcss']),
    );
    const lacking = bundled.filter(({ name, version }) => !texts.includes(`\n${name} ${version} (`));
    expect(lacking).toEqual([]);
    expect(texts).toContain('TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION');
  });

  const manifest = (licence: string) => JSON.stringify({ name: 'a', version: '1.0.0', license: licence });

  it('include notices', async () => {
    const folder = await temporaryFolder({
      'package.json': manifest('Apache-2.0'),
      LICENSE: 'Copyright 2026 A. Licensed under the Apache License.',
      NOTICE: 'This product includes B.',
    });
    const text = thirdPartyLicences([folder]);
    expect(text).toContain('a 1.0.0 (Apache-2.0)\n\nCopyright 2026 A. Licensed');
    expect(text).toContain('This product includes B.');
  });

  it.each([
    [
      'a licence that is not allowed',
      { 'package.json': manifest('GPL-3.0'), LICENSE: 'GPL' },
      'has the licence GPL-3.0',
    ],
    [
      'no licence',
      { 'package.json': '{ "name": "a", "version": "1.0.0" }', LICENSE: 'text' },
      'a 1.0.0 has the licence',
    ],
    ['no text', { 'package.json': manifest('MIT'), 'README.md': '# A\n\n## License\n\nMIT\n' }, 'has no licence text'],
  ])('end the build where a package has %s', async (_about, files, message) => {
    const folder = await temporaryFolder(files);
    expect(() => thirdPartyLicences([folder])).toThrow(message);
  });
});
