import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTree, tree, writeTree } from '../../testing/fakes/workspace/random-tree.ts';
import { repetitions } from '../../testing/support/repetitions.ts';
import { temporaryFolder } from '../../testing/support/temporary-folder.ts';
import { type PreparedWorkspace, prepareWorkspace } from './prepare-workspace.ts';

const kept = { resultsFolder: '/nonexistent', guidance: undefined };
const instructions = { files: ['AGENTS.md'], skillFolders: ['.agents/skills'] };

async function prepared(template: string, source?: string): Promise<PreparedWorkspace> {
  const guidance = source === undefined ? undefined : { source, instructions };
  return prepareWorkspace({ ...kept, folder: join(await temporaryFolder(), 'trial'), template, guidance });
}

describe('prepareWorkspace', () => {
  it('makes an empty work directory, a HOME for the owner only and a folder for temporary files', async () => {
    const folder = await temporaryFolder({ 'fixture/left': 'from before', 'home/left': 'too' });
    const workspace = await prepareWorkspace({ ...kept, folder, template: undefined });
    expect(workspace).toMatchObject({ directory: join(folder, 'fixture'), home: join(folder, 'home') });
    expect([workspace.directory, workspace.home, workspace.tmp].map((path) => readdirSync(path))).toEqual([[], [], []]);
    expect(statSync(workspace.home).mode & 0o777).toBe(0o700);
  });

  it('makes a copy that equals the template', async () => {
    const folder = await temporaryFolder();
    await fc.assert(
      fc.asyncProperty(tree, async (template) => {
        const source = join(folder, 'template');
        mkdirSync(source, { recursive: true });
        writeTree(source, template);
        const workspace = await prepareWorkspace({
          ...kept,
          folder: join(folder, 'trial'),
          template: source,
        });
        expect(readTree(workspace.directory)).toEqual(template);
      }),
      { seed: 4, numRuns: repetitions({ usual: 30, inFull: 150 }) },
    );
  });

  it('leaves out scenarios at any depth and lays the initial state over the root', async () => {
    const template = await temporaryFolder({
      'a.txt': 'template',
      'b.txt': 'template',
      'scenarios/secret.yaml': 'how it is judged',
      'deep/scenarios/secret.yaml': 'how it is judged',
      'deep/initial-state/c.txt': 'an ordinary folder',
      'initial-state/b.txt': 'initial',
      'initial-state/deep/d.txt': 'initial',
      'initial-state/scenarios/secret.yaml': 'how it is judged',
    });
    const { directory } = await prepared(template);
    expect(Object.keys(readTree(directory)).sort()).toEqual([
      'a.txt',
      'b.txt',
      'deep/d.txt',
      'deep/initial-state/c.txt',
    ]);
    expect(readFileSync(join(directory, 'b.txt'), 'utf8')).toBe('initial');
  });

  it('keeps links and never writes through them', async () => {
    const outside = await temporaryFolder({ 'kept.txt': 'mine', 'docs/kept.txt': 'mine' });
    const template = await temporaryFolder({ 'real.txt': 'x' });
    symlinkSync('real.txt', join(template, 'relative'));
    symlinkSync(join(template, 'real.txt'), join(template, 'absolute'));
    symlinkSync(join(outside, 'kept.txt'), join(template, 'AGENTS.md'));
    symlinkSync(join(outside, 'docs'), join(template, 'docs'));
    symlinkSync('.', join(template, 'loop'));
    const guidance = await temporaryFolder({ 'AGENTS.md': 'file', 'docs/kept.txt': 'folder' });
    const { directory } = await prepared(template, guidance);
    const links = ['relative', 'absolute', 'loop'].map((name) => readlinkSync(join(directory, name)));
    expect(links).toEqual(['real.txt', join(directory, 'real.txt'), '.']);
    expect(readFileSync(join(directory, 'AGENTS.md'), 'utf8')).toBe('file');
    expect(readFileSync(join(directory, 'docs/kept.txt'), 'utf8')).toBe('folder');
    expect(lstatSync(join(directory, 'docs')).isDirectory()).toBe(true);
    expect(readTree(outside)).toMatchObject({ 'kept.txt': { content: 'mine' }, 'docs/kept.txt': { content: 'mine' } });
  });

  it('does not copy trials that are kept inside the template', async () => {
    const template = await temporaryFolder({ 'a.txt': 'x', '.assay/artifacts/other/fixture/a.txt': 'x' });
    const resultsFolder = join(template, '.assay/artifacts');
    const folder = join(await temporaryFolder(), 'trial');
    const { directory } = await prepareWorkspace({ ...kept, folder, resultsFolder, template });
    expect(Object.keys(readTree(directory))).toEqual(['a.txt']);
  });

  it.runIf(process.platform === 'linux')('copies names that are no text, and leaves out pipes', async () => {
    const template = await temporaryFolder();
    const name = Buffer.from([0x61, 0xff, 0x0a, 0x62]);
    writeFileSync(Buffer.concat([Buffer.from(`${template}/`), name]), 'odd');
    execFileSync('mkfifo', [join(template, 'pipe')]);
    const { directory } = await prepared(template);
    expect(readdirSync(directory, { encoding: 'buffer' })).toEqual([name]);
  });

  it('copies large files', async () => {
    const template = await temporaryFolder({ large: Buffer.alloc(3_000_000, 'large') });
    const { directory } = await prepared(template);
    expect(readFileSync(join(directory, 'large')).equals(readFileSync(join(template, 'large')))).toBe(true);
  });

  it('names a template that does not exist', async () => {
    const nowhere = join(await temporaryFolder(), 'nowhere');
    await expect(prepared(nowhere)).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
      message: /nowhere does not exist/,
    });
    const template = await temporaryFolder();
    await expect(prepared(template, nowhere)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    const file = await temporaryFolder({ 'a-file': '' });
    const folder = join(file, 'a-file');
    const attempt = prepareWorkspace({ ...kept, folder, template });
    await expect(attempt).rejects.toMatchObject({ code: 'WORKSPACE_FAILED' });
  });
});
