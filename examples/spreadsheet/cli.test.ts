import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COMPANIES, temporaryStorage } from './test-support/temporary-storage.ts';

const BIN = fileURLToPath(new URL('./bin/spreadsheet.mjs', import.meta.url));

async function spreadsheet(args: string[], input = '') {
  const { SPREADSHEET_STORAGE: _, ...env } = process.env;
  const child = spawn(process.execPath, [BIN, ...args], { env });
  child.stdin.end(input);
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { stdout, stderr, exitCode };
}

function updateArguments(fields: object): string {
  const operations = [{ type: 'updateColumn', columnName: 'AlreadyTalkingTier', value: 'High' }];
  return JSON.stringify({ ...COMPANIES, operations, ...fields });
}

describe('spreadsheet update', () => {
  it('prints the result as JSON', async () => {
    const { stdout, stderr, exitCode } = await spreadsheet(['update'], updateArguments({ dryRun: true }));
    expect(JSON.parse(stdout)).toMatchObject({ dryRun: true, affectedRows: 13, changedCells: 10 });
    expect([stderr, exitCode]).toEqual(['', 0]);
  });

  it.each([
    [
      updateArguments({ dryRun: false }),
      'CommitNotConfirmed: Set both dryRun=false AND confirm=true to commit changes',
    ],
    [updateArguments({ documentId: 'missing' }), 'File not found or no storage URL'],
  ])('prints an error on both streams for %s', async (input, message) => {
    const { stdout, stderr, exitCode } = await spreadsheet(['update'], input);
    expect(JSON.parse(stdout)).toEqual({ error: { message } });
    expect([stderr, exitCode]).toEqual([`${message}\n`, 1]);
  });

  it('says when its input is not JSON', async () => {
    const { stdout, exitCode } = await spreadsheet(['update'], '{"documentId":');
    expect(JSON.parse(stdout).error.message).toMatch(/^The arguments on stdin are not JSON: /);
    expect(exitCode).toBe(1);
  });
});

describe('spreadsheet show and history', () => {
  it('describe a document and what was done to it', async () => {
    const storage = ['--storage', await temporaryStorage()];
    const before = JSON.parse((await spreadsheet(['show', COMPANIES.documentId, ...storage])).stdout);
    expect(before).toMatchObject({ name: 'companies.csv', type: 'csv', revision: 0, rowCount: 13 });
    expect(before.headers).toHaveLength(35);

    const update = await spreadsheet(['update', ...storage], updateArguments({ dryRun: false, confirm: true }));
    const { newStorageId } = JSON.parse(update.stdout);
    const history = JSON.parse((await spreadsheet(['history', COMPANIES.documentId, ...storage])).stdout);
    expect(history.versions).toEqual([before.storageId, newStorageId]);
    expect(history.audit).toHaveLength(1);
    expect(history.audit[0]).toMatchObject({ userId: COMPANIES.userId, toStorageId: newStorageId });
  });

  it('fail like update for an unknown document', async () => {
    const { stdout, exitCode } = await spreadsheet(['history', 'missing']);
    expect(JSON.parse(stdout)).toEqual({ error: { message: 'File not found or no storage URL' } });
    expect(exitCode).toBe(1);
  });
});

describe('usage', () => {
  it('is printed on request', async () => {
    const { stdout, exitCode } = await spreadsheet(['--help']);
    expect(stdout).toMatch(/^Usage: spreadsheet <command>/);
    expect(exitCode).toBe(0);
  });

  it.each([
    [[], 'No command given'],
    [['delete'], 'Unknown command "delete"'],
    [['update', '--force'], "Unknown option '--force'"],
    [['update', 'now'], 'update takes its arguments on stdin'],
    [['show'], 'show takes one documentId'],
    [['history', 'a', 'b'], 'history takes one documentId'],
  ])('%j is wrong usage', async (args, message) => {
    const { stdout, stderr, exitCode } = await spreadsheet(args);
    expect(stderr).toContain(message);
    expect([stdout, exitCode]).toEqual(['', 2]);
  });
});
