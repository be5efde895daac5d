import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const fixtures = new URL('../../src/load/imports/formats/fixtures/', import.meta.url);

/** Counted by hand in each file: outcomes, tokens and dollars. */
const expected: Readonly<Record<string, readonly (string | number)[]>> = {
  'deepeval.json': ['deepeval', 'pass 1, fail 1, error 1, skipped 1', 0, 0, 0],
  'inspect.json': ['inspect', 'pass 1, fail 1, error 1, skipped 1', 130 + 90, 15 + 9, 0],
  'langfuse.json': ['langfuse', 'pass 1, fail 1, error 0, skipped 1', 100, 20, 0.003],
  'langsmith.jsonl': ['langsmith', 'pass 0, fail 0, error 1, skipped 2', 100 + 10, 20 + 2, 0.002],
  'mini-swe-agent.traj.json': ['mini-swe-agent', 'pass 0, fail 0, error 0, skipped 1', 300, 30, 0.03],
  'openai-evals.jsonl': ['openai-evals', 'pass 1, fail 1, error 1, skipped 0', 0, 0, 0],
  'openai-evals-items.jsonl': ['openai-evals', 'pass 1, fail 1, error 1, skipped 0', 40, 4, 0],
  'promptfoo.json': ['promptfoo', 'pass 1, fail 1, error 1, skipped 1', 12 + 30, 2 + 2, 0.0002],
  'swe-agent.traj': ['swe-agent', 'pass 0, fail 0, error 0, skipped 1', 1_200, 80, 0.4],
  'swe-bench.jsonl': ['swe-bench-predictions', 'pass 1, fail 2, error 1, skipped 0', 0, 0, 0],
  'table.csv': ['table', 'pass 2, fail 1, error 1, skipped 1', 21, 6, 0.75],
};
/** Read with the predictions that it is about. */
const report = 'swe-bench.model-a.json';

interface Trial {
  readonly file: string;
  readonly outcome: string;
  readonly costUsd: number | null;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
}

it('results of other programs come out of the store with the figures that their files have', async () => {
  const files = readdirSync(fixtures);
  expect(files.sort()).toEqual([...Object.keys(expected), report].sort());
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
