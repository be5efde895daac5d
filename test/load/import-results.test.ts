import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const fixtures = new URL('../../src/load/imports/formats/fixtures/', import.meta.url);

/** Counted by hand in each file: outcomes, tokens and dollars. */
const expected: Readonly<Record<string, readonly (string | number)[]>> = {
  'inspect.json': ['inspect', 'pass 1, fail 1, error 1, skipped 1', 130 + 90, 15 + 9, 0],
  'promptfoo.json': ['promptfoo', 'pass 1, fail 1, error 1, skipped 1', 12 + 30, 2 + 2, 0.0002],
};

interface Trial {
  readonly file: string;
  readonly outcome: string;
  readonly costUsd: number | null;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
}

it('results of other programs come out of the store with the figures that their files have', async () => {
  const files = readdirSync(fixtures);
  expect(files).toEqual(Object.keys(expected));
  const cwd = await temporaryFolder(
    Object.fromEntries(files.map((file) => [`in/${file}`, readFileSync(new URL(file, fixtures))])),
  );
  const imported = await assay(['import', 'in', '--json'], { cwd });
  expect(imported).toMatchObject({ exitCode: 0, stderr: '' });
  const document = JSON.parse(imported.stdout);
  const run = JSON.parse((await assay(['show', document.runId, '--json'], { cwd })).stdout);
  const found = document.files.map(({ file, format }: { file: string; format: string }) => {
    const trials: Trial[] = run.trials.filter((trial: Trial) => trial.file === file);
    const sum = (pick: (trial: Trial) => number | undefined | null): number =>
      trials.reduce((total, trial) => total + (pick(trial) ?? 0), 0);
    const outcomes = ['pass', 'fail', 'error', 'skipped'].map(
      (outcome) => `${outcome} ${trials.filter((trial) => trial.outcome === outcome).length}`,
    );
    return [
      file.replace('in/', ''),
      [
        format,
        outcomes.join(', '),
        sum(({ usage }) => usage?.inputTokens),
        sum(({ usage }) => usage?.outputTokens),
        sum(({ costUsd }) => costUsd),
      ],
    ];
  });
  expect(Object.fromEntries(found)).toEqual(expected);
});
