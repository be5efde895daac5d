import { cp, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { reportDocumentIn } from '../../src/testing/support/reported-figures.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const example = resolve(import.meta.dirname, '../../examples/ranking');

/** The example with a stored run of the named variants, ranked by its scripted judge. */
async function ranked(connectors: string, flags: readonly string[], env: Record<string, string> = {}) {
  const folder = await temporaryFolder({});
  await cp(example, folder, { recursive: true });
  const run = await assay(['run', 'orders.yaml', '--connector', connectors], { cwd: folder });
  expect(run.exitCode, run.stderr).toBe(0);
  await using model = await startScriptedModel(parse(await readFile(join(example, 'judge.yaml'), 'utf8')));
  const args = ['compare', 'latest', '--by', 'connector', '--judge', '--judge-model', 'openai/gpt-4o-mini', ...flags];
  const result = await assay(args, { cwd: folder, env: { OPENAI_API_KEY: 'sk-test', ...model.environment, ...env } });
  return { ...result, folder, calls: model.log().length };
}

describe('compare --by --judge of more than two variants', () => {
  it('ranks them with intervals, and names a leader that is better than every other', async () => {
    const { stdout, stderr, exitCode, calls } = await ranked('vague,plain,exact', ['--json']);
    expect(exitCode, stderr).toBe(0);
    const ranking = JSON.parse(stdout);
    expect(ranking).toMatchObject({ schema: 'assay.ranking/1', by: 'connector', answer: 'leader', leader: 'exact' });
    expect(ranking).toMatchObject({ cases: 10, unranked: [], positionBias: { answer: 'not-found' } });
    expect(ranking.ranked).toMatchObject([
      { label: 'exact', rank: 1, wins: 17, ties: 3, losses: 0 },
      { label: 'plain', rank: 2, wins: 10, ties: 3, losses: 7 },
      { label: 'vague', rank: 3, wins: 0, ties: 0, losses: 20 },
    ]);
    const [first, second] = ranking.ranked;
    expect(first.interval.low).toBeGreaterThan(second.interval.high);
    expect(first.interval.high).toBeLessThan(1);
    expect(ranking.pairs.map(({ answer }: { answer: string }) => answer)).toEqual(['better', 'better', 'better']);
    // Three pairs of variants, ten cases, both orders.
    expect(calls).toBe(60);
  });

  it('writes the ranking for a terminal, as Markdown and into the page of the run', async () => {
    const { stdout, folder } = await ranked('vague,plain,exact', ['--format', 'console,markdown,html', '-o', 'out']);
    expect(stdout.replace(/\s+/g, ' ')).toContain('The judge prefers exact to every other variant (wins');
    expect(stdout).toMatch(/1\. exact +\d\d % +\d\d % to \d\d % +1 +17 +3 +0/);
    expect(await readFile(join(folder, 'out', 'ranking.md'), 'utf8')).toContain('exact is better than plain (7 wins');
    const { ranking, opensWith } = reportDocumentIn(await readFile(join(folder, 'out', 'ranking.html'), 'utf8'));
    expect([ranking?.ranked[0]?.label, opensWith]).toEqual(['exact', 'variants']);
  });

  it('compares two variants as before, and two that are named', async () => {
    const two = JSON.parse((await ranked('vague,exact', ['--json'])).stdout);
    expect(two).toMatchObject({ schema: 'assay.compare/1', judged: { winsB: 10 } });
    const named = JSON.parse((await ranked('vague,plain,exact', ['--a', 'vague', '--b', 'exact', '--json'])).stdout);
    expect(named).toMatchObject({ schema: 'assay.compare/1', judged: { winsB: 10 } });
  });

  it('ranks nothing that could not be judged, and exits with 3', async () => {
    const { stdout, exitCode, calls } = await ranked('vague,plain,exact', ['--json'], { OPENAI_API_KEY: '' });
    expect({ exitCode, calls }).toEqual({ exitCode: 3, calls: 0 });
    expect(JSON.parse(stdout)).toMatchObject({ answer: 'nothing-to-compare', leader: null, ranked: [], costUsd: 0 });
    expect(JSON.parse(stdout).unranked).toHaveLength(3);
  });

  it('refuses what only two sides have', async () => {
    const failOn = await ranked('vague,plain,exact', ['--fail-on', 'worse']);
    expect(failOn).toMatchObject({ exitCode: 2, calls: 0 });
    expect(failOn.stderr).toContain('--fail-on needs two sides, and the run has 3 variants by connector.');
  });
});
