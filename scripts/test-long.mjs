import { findOnPath } from './find-on-path.mjs';
import { fetchJsonSchemaTests, findJsonSchemaTests } from './json-schema-tests.mjs';
import { build, install, tool } from './steps.mjs';
import { installSystemPackages } from './system-packages.mjs';

install();
if (!findOnPath('strace')) installSystemPackages(['strace']);
if (!findJsonSchemaTests()) fetchJsonSchemaTests();
// Samples of the documentation are compiled with the types of the package.
build({ force: true, complete: true });
if (!findOnPath('strace')) console.log('Left out: faults injected into the store. There is no strace on PATH.');
if (!findJsonSchemaTests())
  console.log('Left out: the official tests of JSON Schema. Set ASSAY_JSON_SCHEMA_TESTS to a checkout of them.');
tool('vitest/vitest.mjs', ['run', '--config', 'vitest.long.config.ts', ...process.argv.slice(2)]);
