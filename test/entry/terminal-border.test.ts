import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { finishedTrial, runHeader } from '../../src/testing/samples.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { openProjectStore } from '../../src/testing/support/project-store.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

/** Writes to the clipboard, clears the screen, moves the cursor, links, hides text, rings, and the same in one byte. */
const sequences = [
  '\u001B]52;c;ZXZpbA==\u0007',
  '\u001B[2J\u001B[H',
  '\u001B[1A\u001B[K',
  '\u001B]8;;http://evil.example\u001B\\link',
  '\u001B[8mhidden',
  '\u0007\u0008\u000C',
  '\u009B2J\u009D52;c;x\u009C',
];
const name = `start${sequences.join('')}\u001B[0mend`;
const steering = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/;

/** A stored run and a file whose every text is hostile. */
async function project(): Promise<string> {
  const cwd = await temporaryFolder({
    'assay.config.yaml': '{}\n',
    'tool.mjs': 'export const echo = (input) => input;\n',
    'echo.yaml': `name: ${JSON.stringify(name)}
call: { module: ./tool.mjs, export: echo }
cases:
  - { name: ${JSON.stringify(name)}, input: { value: 1 }, passCriteria: [result.value === 2] }
`,
    'results.jsonl': `${JSON.stringify({ task_id: name, outcome: 'fail', passed: false })}\n`,
  });
  await using store = await openProjectStore(cwd);
  const [scenario] = runHeader('r-1').scenarios;
  const scenarios = scenario ? [{ ...scenario, name }] : [];
  await store.createRun(
    runHeader('r-1', { planned: 1, status: 'finished', scenarios, request: { paths: ['.'], origin: null, name } }),
  );
  const { record, trace } = finishedTrial('r-1', 0, { outcome: 'fail', scenario: name, output: name });
  await store.saveTrials([{ record: { ...record, caseId: name, reason: name, variant: { agent: name } }, trace }]);
  return cwd;
}

describe('names and texts of others', () => {
  it('steer no terminal, whatever command prints them', async () => {
    const cwd = await project();
    const { trials } = JSON.parse((await assay(['show', 'r-1', '--json'], { cwd })).stdout);
    for (const args of [
      ['show', 'r-1'],
      ['show', trials[0].trialId],
      ['show', 'r-1', '--clusters'],
      ['runs'],
      ['scenarios', 'echo.yaml'],
      ['validate', 'echo.yaml'],
      ['run', 'echo.yaml'],
      ['report', 'r-1', '--format', 'markdown', '-o', '-'],
      ['report', 'r-1', '--format', 'csv', '-o', '-'],
      ['compare', 'r-1', 'r-1'],
      ['import', 'results.jsonl'],
      ['show', name],
    ]) {
      const { stdout, stderr } = await assay(args, { cwd });
      expect([args.join(' '), steering.exec(stdout + stderr)?.[0]]).toEqual([args.join(' '), undefined]);
    }
  });

  it('steer none in written reports either', async () => {
    const cwd = await project();
    await assay(['report', 'r-1', '--format', 'markdown,console,csv,junit', '-o', 'reports'], { cwd });
    for (const file of ['report.md', 'report.txt', 'trials.csv', 'junit.xml'])
      expect([file, steering.exec(await readFile(join(cwd, 'reports', file), 'utf8'))?.[0]]).toEqual([file, undefined]);
  });

  it('are the same in documents, and keep the colours of reports', async () => {
    const cwd = await project();
    const { trials } = JSON.parse((await assay(['show', 'r-1', '--json'], { cwd })).stdout);
    expect(trials[0].scenario).toBe(name);
    const { stdout } = await assay(['show', 'r-1'], { cwd, env: { FORCE_COLOR: '1' } });
    expect(stdout).toContain('\u001B[31m');
    expect(stdout).toContain('start\\u001b]52;c;ZXZpbA==\\u0007');
  });
});
