import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { placeOf } from './file-place.ts';

let around = '';
let folder = '';

beforeAll(async () => {
  around = await realpath(await mkdtemp(join(tmpdir(), 'assay-places-')));
  folder = join(around, 'project');
  await mkdir(join(folder, 'inside', '.git'), { recursive: true });
  await mkdir(join(around, 'outside'));
  await writeFile(join(around, 'outside', 'secret.yaml'), 'a: 1');
  await writeFile(join(folder, 'real.yaml'), 'a: 1');
  await writeFile(join(folder, '.env.yaml'), 'a: 1');
  await symlink(join(around, 'outside'), join(folder, 'link'));
  await symlink(join(around, 'outside', 'secret.yaml'), join(folder, 'linked.yaml'));
  await symlink(join(folder, 'real.yaml'), join(folder, 'alias.yaml'));
  await symlink(join(folder, '.env.yaml'), join(folder, 'hidden.yaml'));
  await symlink(join(around, 'nowhere.yaml'), join(folder, 'dangling.yaml'));
  await symlink(join(folder, 'loop.yaml'), join(folder, 'loop.yaml'));
});

afterAll(() => rm(around, { recursive: true, force: true }));

describe('the place of a file that a request names', () => {
  it('is a real path in the project, whether the file is there or not', async () => {
    expect(await placeOf(folder, 'real.yaml')).toEqual({
      path: 'real.yaml',
      absolute: join(folder, 'real.yaml'),
      isThere: true,
    });
    expect(await placeOf(folder, 'new/deep/a.json')).toMatchObject({ isThere: false });
    expect(await placeOf(folder, 'alias.yaml')).toMatchObject({ absolute: join(folder, 'real.yaml') });
  });

  it.each([
    '',
    '/etc/passwd',
    '../outside/secret.yaml',
    'inside/../../outside/secret.yaml',
    './real.yaml',
    'a//b.yaml',
    'link/secret.yaml',
    'link/new.yaml',
    'linked.yaml',
    'hidden.yaml',
    'dangling.yaml',
    'loop.yaml',
    '.env.yaml',
    'inside/.git/config.yaml',
    'node_modules/x/a.yaml',
    'inside',
    'real.yaml/x.yaml',
    'notes.md',
    'a\\..\\b.yaml',
    'a\0.yaml',
    'C:/a.yaml',
  ])('is refused: %j', async (path) => {
    await expect(placeOf(folder, path)).rejects.toMatchObject({ name: 'AssayError', code: 'USAGE' });
  });

  it.each([`${'a'.repeat(300)}.yaml`, `${'a/'.repeat(600)}a.yaml`])('is refused where it is too long', async (path) => {
    await expect(placeOf(folder, path)).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('never lies outside of the project', async () => {
    const step = fc.oneof(
      fc.constantFrom('..', '.', '', 'link', 'inside', 'linked.yaml', 'alias.yaml', 'real.yaml', '%2e%2e', '~', '…'),
      fc.string({ maxLength: 8, unit: 'binary' }),
    );
    const path = fc
      .tuple(fc.array(step, { maxLength: 6 }), fc.constantFrom('/', '\\', '//'), fc.constantFrom('', '.yaml', '.toml'))
      .map(([steps, separator, ending]) => steps.join(separator) + ending);
    await fc.assert(
      fc.asyncProperty(path, async (written) => {
        const place = await placeOf(folder, written).catch((error: unknown) => error);
        if (place instanceof Error) {
          expect(place).toMatchObject({ code: 'USAGE' });
          return;
        }
        const inside = relative(folder, (place as { absolute: string }).absolute).split(sep);
        expect(inside).not.toContain('..');
        expect(inside.some((name) => name.startsWith('.'))).toBe(false);
      }),
      { numRuns: 1_000, seed: 8 },
    );
  });
});
