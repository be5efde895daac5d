import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const scenario = `name: One
call: { module: ./tool.mjs, export: tool }
input: {}
passCriteria: ["result.ok === true"]
`;
const tool = 'export const tool = () => ({ ok: true });\n';

/** A project with this many runs; gives their ids, the newest first. */
async function project(runs: number, config: unknown = {}) {
  const folder = await temporaryFolder({
    's.yaml': scenario,
    'tool.mjs': tool,
    'assay.config.json': JSON.stringify(config),
  });
  for (let run = 0; run < runs; run++) await assay(['run', 's.yaml'], { cwd: folder });
  return { folder, ids: runs === 0 ? [] : await stored(folder) };
}

async function stored(folder: string): Promise<string[]> {
  const { stdout } = await assay(['runs', '--json'], { cwd: folder });
  const listed: { runId: string }[] = JSON.parse(stdout);
  return listed.map(({ runId }) => runId);
}

const clean = (folder: string, ...flags: string[]) => assay(['clean', ...flags], { cwd: folder });

describe('retention', () => {
  it('by number keeps the newest runs', async () => {
    const { folder, ids } = await project(4);
    expect((await clean(folder, '--keep', '2', '--dry-run')).stdout).toBe('2 runs would be removed.\n');
    expect(await stored(folder)).toEqual(ids);
    expect((await clean(folder, '--keep', '2')).stdout).toBe('2 runs removed.\n');
    expect(await stored(folder)).toEqual(ids.slice(0, 2));
  });

  it('by size removes the oldest runs, and never the newest', async () => {
    const { folder, ids } = await project(3);
    expect((await clean(folder, '--max-size', '1GB')).stdout).toBe('0 runs removed.\n');
    expect((await clean(folder, '--max-size', '0KB')).stdout).toBe('2 runs removed.\n');
    expect(await stored(folder)).toEqual(ids.slice(0, 1));
  });

  it('keeps the run of a baseline, whatever the limit', async () => {
    const { folder, ids } = await project(3);
    const [newest, , oldest] = ids as [string, string, string];
    await assay(['baseline', 'set', oldest, '--name', 'release'], { cwd: folder });
    expect((await clean(folder, '--keep', '1')).stdout).toBe('1 run removed.\n');
    expect(await stored(folder)).toEqual([newest, oldest]);
    expect((await clean(folder, '--older-than', '0s')).stdout).toBe('1 run removed.\n');
    expect(await stored(folder)).toEqual([oldest]);
  });

  it('removes nothing while a baseline cannot be read', async () => {
    const { folder, ids } = await project(1);
    await writeFile(join(folder, 'assay.baseline.json'), '{');
    const { exitCode, stderr } = await clean(folder, '--keep', '0');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('assay.baseline.json is not a baseline');
    expect(await stored(folder)).toEqual(ids);
  });

  it('is taken from the config, unless the command line has a limit', async () => {
    const { folder, ids } = await project(3, { retention: { keep: 1, olderThan: '30d', maxSize: '2GB' } });
    expect((await clean(folder, '--keep', '2')).stdout).toBe('1 run removed.\n');
    expect((await clean(folder)).stdout).toBe('1 run removed.\n');
    expect(await stored(folder)).toEqual(ids.slice(0, 1));
  });

  it.each([
    ['no limit', [], 'No limit says which runs to remove.'],
    ['a negative number', ['--keep', '-1'], 'whole number from 0'],
    ['a size without a unit', ['--max-size', '500'], '"500" is not a size.'],
    ['an age without a unit', ['--older-than', '30'], '"30" is not an age.'],
  ])('refuses %s', async (_what, flags, message) => {
    const { folder } = await project(0);
    const { exitCode, stderr } = await clean(folder, ...flags);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  it.each([
    ['an age', { olderThan: 'soon' }, 'retention.olderThan'],
    ['a size', { maxSize: 'large' }, 'retention.maxSize'],
    ['a number', { keep: 1.5 }, 'retention.keep'],
    ['a misspelt key', { keeps: 1 }, 'keep'],
  ])('refuses a config with %s that is not one', async (_what, retention, message) => {
    const { folder } = await project(0, { retention });
    const { exitCode, stderr } = await clean(folder);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain('assay.config.json:1:');
  });
});
