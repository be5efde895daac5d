import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCliTools, minimalCliTool, onlyScenario, sampleRubric } from '../../../../testing/support/llm-tool-test.ts';
import { temporaryFolder, writeFiles } from '../../../../testing/support/temporary-folder.ts';
import type { CliToolDefaults } from '../../scenario-format.ts';

const text = `${minimalCliTool.replace('gates: []', 'gates: [], judge: { rubric: r.yaml }')}template_folder: t
guidance: { v1: g.md, v2: g }
`;
const files = {
  'scenario.yaml': text,
  'r.yaml': sampleRubric,
  't/a.txt': 'one',
  't/sub/b.bin': new Uint8Array([0, 1, 2, 255]),
  't/scenarios/other.yaml': 'x: 1',
  'g.md': 'guide',
  'g/AGENTS.md': 'guide',
};

async function hashOf(folder: string, cliTools: Partial<CliToolDefaults> = {}): Promise<string> {
  return (await onlyScenario(await loadCliTools(folder, ['scenario.yaml'], cliTools))).scenario.contentHash;
}

/** Whether a change of the files changes the hash. */
async function changesHash(change: (folder: string) => Promise<unknown>): Promise<boolean> {
  const folder = await temporaryFolder(files);
  await symlink('a.txt', join(folder, 't/link'));
  const before = await hashOf(folder);
  expect(await hashOf(folder)).toBe(before);
  await change(folder);
  return (await hashOf(folder)) !== before;
}

const writing = (content: Readonly<Record<string, string | Uint8Array>>) => (folder: string) =>
  writeFiles(folder, content);

describe('the hash of a scenario', () => {
  it.each<readonly [string, (folder: string) => Promise<unknown>]>([
    ['a byte of the template', writing({ 't/a.txt': 'onf' })],
    ['a byte that is not text', writing({ 't/sub/b.bin': new Uint8Array([0, 1, 3, 255]) })],
    ['a longer file', writing({ 't/a.txt': 'one ' })],
    ['a large file', writing({ 't/large.bin': new Uint8Array(3_000_000) })],
    ['a new file', writing({ 't/sub/c.txt': '' })],
    ['a new folder', (folder) => mkdir(join(folder, 't/empty'))],
    ['a file that is gone', (folder) => rm(join(folder, 't/a.txt'))],
    ['a file of another name', (folder) => rename(join(folder, 't/a.txt'), join(folder, 't/c.txt'))],
    ['a file that moved', (folder) => rename(join(folder, 't/a.txt'), join(folder, 't/sub/a.txt'))],
    ['a permission', (folder) => chmod(join(folder, 't/a.txt'), 0o755)],
    [
      'the end of a link',
      async (folder) => {
        await rm(join(folder, 't/link'));
        await symlink('sub/b.bin', join(folder, 't/link'));
      },
    ],
    ['a guidance file', writing({ 'g.md': 'guide!' })],
    ['a file of a guidance folder', writing({ 'g/AGENTS.md': 'guide!' })],
    ['the rubric', writing({ 'r.yaml': sampleRubric.replace('valid CLI', 'correct CLI') })],
    ['the task', writing({ 'scenario.yaml': text.replace('Do it', 'Do that') })],
  ])('changes with %s', async (_about, change) => {
    expect(await changesHash(change)).toBe(true);
  });

  it.each<readonly [string, (folder: string) => Promise<unknown>]>([
    ['nothing', async () => undefined],
    ['the same bytes written again', writing({ 't/a.txt': 'one' })],
    ['a comment in the scenario', writing({ 'scenario.yaml': `# why\n${text}` })],
    ['scenarios inside the template', writing({ 't/scenarios/other.yaml': 'x: 2' })],
    ['files beside the template', writing({ 'other/a.txt': 'x' })],
  ])('stays the same with %s', async (_about, change) => {
    expect(await changesHash(change)).toBe(false);
  });

  it('is that of every byte of a template', async () => {
    const folder = await temporaryFolder(files);
    const content = Buffer.from('abcdefgh');
    const hashes = new Set<string>();
    for (let at = 0; at < content.length; at++) {
      const changed = Buffer.from(content);
      changed[at] = 0;
      await writeFile(join(folder, 't/a.txt'), changed);
      hashes.add(await hashOf(folder));
    }
    expect(hashes.size).toBe(content.length);
  });

  it('changes with the configured program, and not with the agent', async () => {
    const folder = await temporaryFolder(files);
    const before = await hashOf(folder);
    expect(await hashOf(folder, { targetBinary: 'other' })).not.toBe(before);
    expect(await hashOf(folder, { agents: ['other'] })).toBe(before);
  });

  it('changes with a target that the config gives', async () => {
    const folder = await temporaryFolder({
      'scenario.yaml': minimalCliTool.replace('{ binary: tool }', 'from_config'),
    });
    const target = { binary: 'tool', env: { A: '1' } };
    const before = await hashOf(folder, { target });
    expect(await hashOf(folder, { target: { ...target, env: { A: '2' } } })).not.toBe(before);
  });
});
