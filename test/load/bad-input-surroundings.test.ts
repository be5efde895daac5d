import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended, programPath, startAssay } from '../../src/testing/support/assay.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const files = {
  'sum.yaml':
    'name: sum\ncall: { module: ./sum.mjs, export: sum }\ninput: { a: 1, b: 2 }\npassCriteria: [result === 3]\n',
  'sum.mjs': 'export const sum = ({ a, b }) => a + b;',
};

/** Runs the program with its standard output on a device that is always full. */
async function onFullDisk(args: readonly string[], cwd: string) {
  await using full = await open('/dev/full', 'w');
  const child = spawn(process.execPath, [programPath, ...args], { cwd, stdio: ['ignore', full.fd, 'pipe'] });
  return ended(child);
}

describe('standard output that cannot be written', () => {
  it('is an error where the disk is full, whatever the command found', async () => {
    const cwd = await temporaryFolder(files);
    expect((await assay(['run'], { cwd })).exitCode).toBe(0);
    for (const args of [['run', '--json'], ['report', 'latest', '--format', 'json', '-o', '-'], ['runs']]) {
      const { exitCode, stderr } = await onFullDisk(args, cwd);
      expect({ args, exitCode }).toEqual({ args, exitCode: 3 });
      expect(stderr).toMatch(/Standard output could not be written completely: .*ENOSPC/);
    }
  });

  it('is an error where a document was asked for and its reader closed the pipe, and none else', async () => {
    const cwd = await temporaryFolder(files);
    const closed = async (args: readonly string[]) => {
      const child = startAssay(args, { cwd });
      child.stdout?.destroy();
      return ended(child);
    };
    const { exitCode, stderr } = await closed(['run', '--json']);
    expect(stderr).toContain('Standard output could not be written completely: its reader closed the pipe.');
    expect(exitCode).toBe(3);
    expect((await closed(['run'])).exitCode).toBe(0);
  });
});

describe('a user', () => {
  it('whose folder was deleted is told so', async () => {
    const cwd = join(await temporaryFolder({}), 'gone');
    await mkdir(cwd);
    const child = spawn('sh', ['-c', 'echo ready; read -r go; exec "$0" "$1" run', process.execPath, programPath], {
      cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    // The shell itself must have started in the folder.
    await once(child.stdout, 'data');
    await rm(cwd, { recursive: true });
    child.stdin.end('go\n');
    const { exitCode, stderr } = await ended(child);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'error: The current folder does not exist any more.\n  Change to a folder that exists.\n',
    });
  });

  it('who negates a criterion without quotes is told to quote it', async () => {
    const yaml = files['sum.yaml'].replace('[result === 3]', '\n  - result === 3\n  - !result.error # fine?\n');
    const cwd = await temporaryFolder({ ...files, 'sum.yaml': yaml });
    const { exitCode, stderr } = await assay(['run'], { cwd });
    expect(stderr).toContain(
      'sum.yaml:6:5: unsupported tag\n    `!` begins a tag in YAML. Put the value in quotes: - "!result.error"',
    );
    expect(exitCode).toBe(2);
    const quoted = yaml.replace('- !result.error # fine?', '- "!result.error"');
    expect((await assay(['run'], { cwd: await temporaryFolder({ ...files, 'sum.yaml': quoted }) })).exitCode).toBe(0);
  });

  it.each([
    ['an object of functions', 'const sum = ({ a, b }) => a + b;\nmodule.exports = { sum };\n'],
    ['an object that is made', 'const all = {};\nall.sum = ({ a, b }) => a + b;\nmodule.exports = all;\n'],
    ['names', 'exports.sum = ({ a, b }) => a + b;\n'],
  ])('may have modules in CommonJS: %s', async (_about, text) => {
    const yaml = files['sum.yaml'].replace('sum.mjs', 'sum.cjs');
    const cwd = await temporaryFolder({ 'sum.yaml': yaml, 'sum.cjs': text });
    expect(await assay(['run'], { cwd })).toMatchObject({ exitCode: 0 });
  });

  it('may name runs by how long ago they were, everywhere', async () => {
    const cwd = await temporaryFolder(files);
    const runIds: string[] = [];
    for (const _run of [1, 2]) {
      const { stdout } = await assay(['run', '--json'], { cwd });
      runIds.push((JSON.parse(stdout) as { runId: string }).runId);
    }
    for (const args of [
      ['show', 'latest~1', '--json'],
      ['report', 'latest~1', '--format', 'json', '-o', '-'],
    ]) {
      const { stdout, exitCode } = await assay(args, { cwd });
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ runId: runIds[0] });
    }
    expect(await assay(['show', 'latest~7'], { cwd })).toMatchObject({ exitCode: 2 });
  });
});
