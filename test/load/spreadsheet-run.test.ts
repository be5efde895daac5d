import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const example = fileURLToPath(new URL('../../examples/spreadsheet', import.meta.url));

interface RunDocument {
  readonly schema: string;
  readonly outcome: string;
  readonly totals: Readonly<Record<string, number>>;
  readonly trials: readonly {
    readonly scenario: string;
    readonly outcome: string;
    readonly reason: string;
    readonly file: string;
  }[];
}

/** A copy of the example beside the installed packages it uses. */
async function exampleCopy(): Promise<string> {
  const folder = await temporaryFolder();
  await cp(example, folder, { recursive: true });
  await cp(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(folder, 'node_modules'), {
    recursive: true,
    filter: (source) =>
      /node_modules($|\/(csv-parse|csv-stringify|@e965|@modelcontextprotocol|zod|jiti)(\/|$))/.test(source),
  });
  return folder;
}

describe('the spreadsheet example', () => {
  it('passes the four scenarios of the judge protocol', async () => {
    const folder = await exampleCopy();
    const files = ['01', '02', '03', '04'].map((number) => `scenarios/${number}`);
    const all = await assay(['scenarios', 'scenarios', '--json'], { cwd: folder });
    const known: { readonly file: string; readonly name: string }[] = JSON.parse(all.stdout);
    const chosen = known.filter(({ file }) => files.some((start) => file.startsWith(start))).map(({ file }) => file);
    expect(chosen).toHaveLength(4);
    const result = await assay(['run', ...chosen, '--json'], { cwd: folder });
    const run: RunDocument = JSON.parse(result.stdout);
    expect(run).toMatchObject({
      schema: 'assay.run/1',
      outcome: 'pass',
      totals: { planned: 4, pass: 4, fail: 0, error: 0, skipped: 0 },
    });
    expect(result.exitCode).toBe(0);
  });

  it('fails exactly the trial whose expectation is flipped', async () => {
    const folder = await exampleCopy();
    const all: { readonly file: string }[] = JSON.parse(
      (await assay(['scenarios', 'scenarios', '--json'], { cwd: folder })).stdout,
    );
    const flipped = join(folder, all[0]?.file ?? '');
    const text = await readFile(flipped, 'utf8');
    expect(text).toContain('result.dryRun === true');
    await writeFile(flipped, text.replace('result.dryRun === true', 'result.dryRun === false'));

    const result = await assay(['run', 'scenarios', '--json'], { cwd: folder });
    const run: RunDocument = JSON.parse(result.stdout);
    expect(result.exitCode).toBe(1);
    const failed = run.trials.filter((trial) => trial.outcome !== 'pass');
    expect(failed).toMatchObject([{ outcome: 'fail', reason: '1 of 8 pass criteria failed: result.dryRun === false' }]);
    expect(run.trials.length).toBeGreaterThan(4);
  });
});
