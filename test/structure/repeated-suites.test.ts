import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkout } from '../../src/testing/support/markdown-samples.ts';
import { repeatedSuites } from '../../vitest.config.ts';
import { sabotages } from '../sabotage/sabotages.mjs';

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

it('what a sabotage takes out stands once in its file, and its tests are there', () => {
  const stale = sabotages.flatMap(({ name, file, find, tests }) => {
    const times = readFileSync(join(checkout, file), 'utf8').split(find).length - 1;
    const named = tests.slice(0, tests.includes('-t') ? tests.indexOf('-t') : undefined);
    const missing = named.filter((path) => !existsSync(join(checkout, path)));
    return times === 1 && missing.length === 0 ? [] : [{ name, times, missing }];
  });
  expect(stale).toEqual([]);
});
