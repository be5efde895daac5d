import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryFiles } from '../../testing/fakes/keep/memory-files.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { BundleCache } from './bundle-cache.ts';
import { type BundleSettings, packBundle } from './pack-bundle.ts';
import type { StoredFiles } from './stored-files.ts';

const settings: BundleSettings = { include: [], exclude: [], maxBytes: 50_000_000, secrets: [], env: process.env };

/** The paths that arrive when a folder travels. */
async function travelled(folder: string, stored: StoredFiles, given: Partial<BundleSettings> = {}): Promise<string[]> {
  const { bundleId } = await packBundle(folder, { ...settings, ...given }, stored);
  return (await stored.readSet(bundleId)).entries.map(({ path }) => path);
}

function refusal(folder: string, stored: StoredFiles, given: Partial<BundleSettings> = {}): Promise<unknown> {
  return packBundle(folder, { ...settings, ...given }, stored).then(
    () => 'it was taken',
    (error: Error) => error.message,
  );
}

describe('a bundle', () => {
  it('arrives as it was sent: bytes, executables, links, odd names', async () => {
    const { stored } = await memoryFiles();
    const binary = randomBytes(700_000);
    const files = {
      'scenarios/a.yaml': 'name: a\n',
      'bin/tool': '#!/bin/sh\n',
      'data.bin': binary,
      'ä ö/-rf "x"\n.txt': 'odd',
      'back\\slash': 'x',
      empty: '',
    };
    const folder = await temporaryFolder(files);
    await chmod(join(folder, 'bin/tool'), 0o755);
    await symlink('../data.bin', join(folder, 'bin/data'));
    await mkdir(join(folder, 'nothing/in it'), { recursive: true });

    const packed = await packBundle(folder, settings, stored);
    const arrived = await new BundleCache(await temporaryFolder(), stored).open(packed.bundleId);

    for (const [path, content] of Object.entries(files)) {
      expect((await readFile(join(arrived, path))).equals(Buffer.from(content)), path).toBe(true);
    }
    expect((await readFile(join(arrived, 'bin/data'))).equals(binary)).toBe(true);
    expect((await stat(join(arrived, 'bin/tool'))).mode & 0o111).not.toBe(0);
    expect((await stat(join(arrived, 'data.bin'))).mode & 0o111).toBe(0);
    expect(await readdir(join(arrived, 'nothing/in it'))).toEqual([]);
    expect(packed).toMatchObject({ fileCount: 6, leftOut: [] });
  });

  it('has the same id wherever the same files lie', async () => {
    const { stored } = await memoryFiles();
    const files = { 'a.txt': 'a', 'b/c.txt': 'c' };
    const first = await packBundle(await temporaryFolder(files), settings, stored);
    const second = await packBundle(await temporaryFolder(files), settings, stored);
    const other = await packBundle(await temporaryFolder({ ...files, 'a.txt': 'A' }), settings, stored);
    expect(second.bundleId).toBe(first.bundleId);
    expect(other.bundleId).not.toBe(first.bundleId);
  });

  it('of many files takes few statements, and none but one the second time', async () => {
    const count = repetitions({ usual: 2_000, inFull: 10_000 });
    const { stored, statements } = await memoryFiles();
    const folder = await temporaryFolder();
    for (let index = 0; index < count; index++) {
      if (index < 100) mkdirSync(join(folder, `${index}`));
      writeFileSync(join(folder, `${index % 100}`, `${index}.txt`), `${index}`);
    }
    const before = statements.count;
    const { fileCount } = await packBundle(folder, settings, stored);
    expect(fileCount).toBe(count);
    expect(statements.count - before).toBeLessThan(20 + count / 100);
    const between = statements.count;
    await packBundle(folder, settings, stored);
    expect(statements.count - between).toBe(1);
  });

  it('sends only what changed', async () => {
    const { stored, db } = await memoryFiles();
    const folder = await temporaryFolder({ 'large.bin': randomBytes(600_000), 'small.txt': 'a', 'copy.txt': 'a' });
    await packBundle(folder, settings, stored);
    const count = async () => (await db.selectFrom('chunks').select('chunk_id').execute()).length;
    expect(await count()).toBe(4);
    await writeFile(join(folder, 'small.txt'), 'b');
    await packBundle(folder, settings, stored);
    expect(await count()).toBe(5);
  });
});

describe('which files travel', () => {
  it('in a repository: what Git knows or would add, not what it ignores', async () => {
    const { stored } = await memoryFiles();
    const folder = await temporaryFolder({
      '.gitignore': 'dist\nnode_modules\n',
      'dist/out.js': '1',
      'project/a.yaml': 'a',
      'project/gone.yaml': 'b',
      'project/dist/out.js': '2',
      'project/.assay/assay.db': 'x',
      'outside.txt': 'not of the project',
    });
    const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
    git('init');
    git('add', '.');
    await unlink(join(folder, 'project/gone.yaml'));
    await writeFile(join(folder, 'project/new "file".txt'), '');

    const project = join(folder, 'project');
    expect(await travelled(project, stored)).toEqual(['a.yaml', 'new "file".txt']);
    expect(await travelled(project, stored, { include: ['dist'] })).toContain('dist/out.js');
    expect(await travelled(project, stored, { exclude: ['new*'] })).toEqual(['a.yaml']);
  });

  it('elsewhere: all but what is installed', async () => {
    const { stored } = await memoryFiles();
    const folder = await temporaryFolder({
      'a.yaml': 'a',
      'node_modules/x/index.js': '1',
      'tool/node_modules/y/index.js': '2',
      '.assay/artifacts/old.txt': '3',
    });
    expect(await travelled(folder, stored)).toEqual(['a.yaml']);
    expect(await travelled(folder, stored, { include: ['node_modules'] })).toEqual([
      'a.yaml',
      'node_modules/x/index.js',
      'tool/node_modules/y/index.js',
    ]);
  });

  it('never files of secrets, not even when they are listed', async () => {
    const { stored } = await memoryFiles();
    const folder = await temporaryFolder({ '.env': 'A=1', 'x/.env.local': 'B=2', '.env.example': 'A=', 'a.yaml': '' });
    const { bundleId, leftOut } = await packBundle(folder, { ...settings, include: ['.env', '**/.env.*'] }, stored);
    expect(leftOut).toEqual(['.env', 'x/.env.local']);
    expect((await stored.readSet(bundleId)).entries.map(({ path }) => path)).toEqual(['.env.example', 'a.yaml']);
  });
});

describe('files with credentials', () => {
  const key = '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----\n';
  const login = '//registry.example.com/:_authToken=aB3dE6gH9jK2mN5pQ8sT1vW4\n';
  const credentials = {
    'prod.env': 'A=1',
    '.netrc': 'machine a login b password c',
    '.git-credentials': 'https://a:b@example.com',
    '.pgpass': 'a:b:c:d:e',
    'keys/id_ed25519': 'x',
    'store.p12': 'x',
    '.aws/credentials': '[default]',
    '.docker/config.json': '{}',
    'tls/server.pem': key,
    'account.json': JSON.stringify({ type: 'service_account', private_key: key }),
    '.npmrc': login,
    'kubeconfig.yaml': 'x',
    'terraform.tfstate': '{}',
    'prod.tfvars': 'x',
    'secrets.yaml': 'x',
    'credentials.json': '{}',
    '.s3cfg': 'x',
    '.dev.vars': 'x',
    'wp-config.php': '<?php',
    'appsettings.Production.json': '{}',
    'local.settings.json': '{}',
    'auth.json': '{}',
    'config/master.key': 'x',
    'src/client.ts': `const client = open('${['ghp', 'aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0bC3dE6'].join('_')}');`,
    'src/pay.py': `stripe.api_key = "${['sk', 'live', '51HqLyjWDarjtT1zdp7dcAbC'].join('_')}"`,
  };
  const others = {
    'keys/id_ed25519.pub': 'ssh-ed25519 AAAA',
    'tls/ca.pem': '-----BEGIN CERTIFICATE-----\n',
    'web/.npmrc': 'registry=https://registry.example.com\n//registry.example.com/:_authToken=${NPM_TOKEN}\n',
    'prod.env.example': 'A=',
    'environment.ts': '',
  };

  it('stay, by their names and by what is in them', async () => {
    const { stored } = await memoryFiles();
    const folder = await temporaryFolder({ ...credentials, ...others });
    const { bundleId, leftOut } = await packBundle(folder, settings, stored);
    expect(leftOut).toEqual(Object.keys(credentials).sort());
    const { entries } = await stored.readSet(bundleId);
    expect(entries.map(({ path }) => path)).toEqual(Object.keys(others).sort());
  });

  it('travel where only their content shows what they are, and the config names the file', async () => {
    const { stored } = await memoryFiles();
    const folder = await temporaryFolder(credentials);
    const { leftOut } = await packBundle(
      folder,
      { ...settings, include: ['tls/server.pem', '.netrc', '*.json'] },
      stored,
    );
    expect(leftOut).toEqual(
      Object.keys(credentials)
        .filter((path) => path !== 'tls/server.pem')
        .sort(),
    );
  });
});

describe('what is refused, before anything is sent', () => {
  it.each([
    ['as it is', (secret: string) => secret],
    ['in base64', (secret: string) => Buffer.from(`user:${secret}`).toString('base64')],
    ['in the middle of a binary file', (secret: string) => `\0\xff${secret}\0`],
    ['across the border of two pieces', (secret: string) => `${'x'.repeat(262_144 - 7)}${secret}`],
  ])('a known secret %s, without telling it', async (_, written) => {
    const { stored, db } = await memoryFiles();
    const secret = 'sk-live-0123456789abcdef';
    const folder = await temporaryFolder({ 'fixtures/config.json': written(secret), 'a.yaml': '' });
    const message = await refusal(folder, stored, { secrets: ['short', secret] });
    expect(message).toContain('"fixtures/config.json" contains the value of a secret');
    expect(message).not.toContain(secret);
    expect(await db.selectFrom('chunks').select('chunk_id').execute()).toEqual([]);
  });

  it('a link that leaves the project, by name', async () => {
    const { stored } = await memoryFiles();
    const folder = await temporaryFolder({ 'a.yaml': '' });
    await symlink('/etc/passwd', join(folder, 'users'));
    await symlink('../..', join(folder, 'up'));
    const message = await refusal(folder, stored);
    expect(message).toContain('"users" points to "/etc/passwd"');
    expect(message).toContain('"up" points to "../.."');
  });

  it('more bytes than may travel, with the largest files', async () => {
    const { stored } = await memoryFiles();
    const folder = await temporaryFolder({ 'film.mp4': Buffer.alloc(3_000_000), 'a.yaml': 'a' });
    const message = await refusal(folder, stored, { maxBytes: 1_000_000 });
    expect(message).toContain('3.0 MB; the limit is 1.0 MB. The largest: "film.mp4" (3.0 MB)');
  });

  it('a project without files', async () => {
    const { stored } = await memoryFiles();
    expect(await refusal(await temporaryFolder(), stored)).toContain('There are no files');
  });

  it('names that are no Unicode', async () => {
    const { stored } = await memoryFiles();
    const folder = await temporaryFolder({ 'a.yaml': '' });
    await writeFile(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0x66, 0xff])]), 'x');
    expect(await refusal(folder, stored)).toContain('has a name that is not valid Unicode');
  });

  it.skipIf(process.getuid?.() === 0)('a file that cannot be read, by name', async () => {
    const { stored } = await memoryFiles();
    const folder = await temporaryFolder({ 'a.yaml': '', 'private.txt': 'x' });
    await chmod(join(folder, 'private.txt'), 0o000);
    expect(await refusal(folder, stored)).toContain('"private.txt" cannot be read: permission is denied');
  });
});
