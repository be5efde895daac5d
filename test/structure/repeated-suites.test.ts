import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkout } from '../../src/testing/support/markdown-samples.ts';
import { repeatedSuites } from '../../vitest.config.ts';

const suites = ['src', 'test'].flatMap((folder) =>
  readdirSync(join(checkout, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`),
);

it('what npm test repeats less often is repeated in full by npm run test:long', () => {
  const repeating = suites.filter((file) =>
    /from '.*\/support\/(repetitions|tested-tiers)\.ts'/.test(readFileSync(join(checkout, file), 'utf8')),
  );
  expect(repeating.sort()).toEqual([...repeatedSuites].sort());
});
