import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The files that may compute a rate or an interval of trials, and why each of them may. */
const engine: Readonly<Record<string, string>> = {
  'src/report/compare/case-rates.ts': 'the rate of cases, by the sampled units',
  'src/report/compare/run-figures.ts':
    'a single case by its repeats, and cases with one trial each, counted by the store',
  'src/report/compare/variants/variant-figures.ts': 'a share of one variant, by the sampled units',
  'src/report/compare/skill-triggering.ts': 'precision and recall, which are not rates of trials',
  'src/mcp-check/ambiguity/judge-pair.ts': 'calls that confuse two tools',
  'src/score/judge/calibration.ts': 'verdicts of a judge beside labels',
};

function sourceFiles(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name)).map((name) => join(folder, name));
}

const files = [...sourceFiles('src'), ...sourceFiles('web/src')].filter(
  (path) => !path.startsWith('src/shared/stats/'),
);
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('figures', () => {
  it('with an interval are computed in one place', () => {
    const computing = files.filter((path) => /\b(wilson|passRate|passRateOfSingles)\(/.test(textOf(path)));
    expect(computing.sort()).toEqual(Object.keys(engine).sort());
  });

  it('are sampled by one rule', () => {
    const choosing = files.filter((path) => /\bsampleUnits\(/.test(textOf(path)));
    expect(choosing.sort()).toEqual([
      'src/report/compare/case-rates.ts',
      'src/report/compare/figures.ts',
      'src/report/compare/position-bias.ts',
      'src/report/compare/run-figures.ts',
      'src/report/compare/sample-units.ts',
      'src/report/compare/variants/variant-figures.ts',
    ]);
  });

  it('of a comparison are formatted, not computed, by reports and pages', () => {
    const isComputing = (path: string): boolean =>
      /shared\/stats\/(compare-pairs|fixed-cases|permute-trials|mean-difference|broken-cases)/.test(textOf(path));
    const outside = files.filter((path) => !path.startsWith('src/report/compare/') && isComputing(path));
    expect(outside).toEqual([]);
  });
});
