import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { finishedTrial, runHeader } from '../../src/testing/samples.ts';
import { assay } from '../../src/testing/support/assay.ts';
import { openProjectStore } from '../../src/testing/support/project-store.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const trialCount = 10_000;
const outputPerTrial = 'x'.repeat(500);
const reasonPerTrial = 'because '.repeat(600);
/** The reasons alone are 48 MB, which would not fit beside the program. */
const heapMegabytes = 56;

async function filledFolder(caseOf = (ordinal: number) => `case-${ordinal}`): Promise<string> {
  const folder = await temporaryFolder({ 'assay.config.yaml': 'scenarios: []\n' });
  await using store = await openProjectStore(folder);
  const finished = { planned: trialCount, status: 'finished', finishedAt: 1_700_000_001_000 } as const;
  await store.createRun(runHeader('r-large', finished));
  for (let first = 0; first < trialCount; first += 500) {
    await store.saveTrials(
      Array.from({ length: 500 }, (_, index) => {
        const ordinal = first + index;
        const outcome = ordinal % 3 === 0 ? 'fail' : 'pass';
        const { trace, record } = finishedTrial('r-large', ordinal, { outcome, output: outputPerTrial });
        return { trace, record: { ...record, caseId: caseOf(ordinal), reason: `${ordinal} ${reasonPerTrial}` } };
      }),
    );
  }
  return folder;
}

async function lineCount(path: string): Promise<number> {
  let count = 0;
  for await (const _line of createInterface({ input: createReadStream(path) })) count++;
  return count;
}

describe('reports of many trials', () => {
  it('are written in the memory that reports of few trials take', async () => {
    const folder = await filledFolder();
    const formats = 'csv,github,github-comment,github-annotations,sarif,otlp,atif';
    const result = await assay(['report', 'r-large', '--format', formats, '--output', 'out'], {
      cwd: folder,
      env: { NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}` },
    });
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await lineCount(join(folder, 'out/trials.csv'))).toBe(trialCount + 1);
    expect(await lineCount(join(folder, 'out/traces.jsonl'))).toBe(trialCount);
    const findings = JSON.parse(await readFile(join(folder, 'out/assay.sarif'), 'utf8')).runs[0].results;
    expect(findings).toHaveLength(Math.ceil(trialCount / 3));
  });

  it('are compared without their reasons, and not begun where their cases do not fit into the heap', async () => {
    // 20 MB on each side.
    const folder = await filledFolder((ordinal) => `${ordinal} ${'long '.repeat(400)}`);
    const compared = (megabytes: number) =>
      assay(['compare', 'r-large', 'r-large', '--json'], {
        cwd: folder,
        env: { NODE_OPTIONS: `--max-old-space-size=${megabytes}` },
      });
    expect(await compared(250)).toMatchObject({ exitCode: 0, stderr: '' });
    const refused = await compared(90);
    expect(refused.exitCode).toBe(3);
    expect(refused.stderr).toMatch(/heap of \d+ MB is too small.*--max-old-space-size=\d+/s);
  });
});
