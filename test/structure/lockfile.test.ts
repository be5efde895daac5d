import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/testing/support/plugin-project.ts';

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
}

async function lockedPackages(): Promise<readonly [string, LockedPackage][]> {
  const { packages } = JSON.parse(await readFile(join(packageRoot, 'package-lock.json'), 'utf8'));
  return Object.entries<LockedPackage>(packages).filter(([path]) => path.includes('node_modules/'));
}

it('has a hash of every package, so that no other code can be installed in its place', async () => {
  const installed = (await lockedPackages()).filter(([, { link }]) => !link);
  expect(installed.length).toBeGreaterThan(100);
  expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([]);
});

it('names no registry, so that it can be installed from any', async () => {
  const linked = (await lockedPackages()).filter(([, { resolved }]) => resolved !== undefined);
  expect(linked.map(([path, { resolved }]) => [path, resolved])).toEqual([['node_modules/assay-web', 'web']]);
});

it('builds images on bases that are named by what is in them', async () => {
  const texts = await Promise.all(
    ['Dockerfile', 'compose.yaml'].map((name) => readFile(join(packageRoot, 'deploy', name), 'utf8')),
  );
  const named = texts.join('\n').match(/^(?:FROM|\s*image:) \S+/gm) ?? [];
  const others = named.filter((line) => !/(?:@sha256:[0-9a-f]{64}| \$\{ASSAY_IMAGE:-assay\})$/.test(line));
  expect({ bases: named.length, others }).toEqual({ bases: 5, others: [] });
});
