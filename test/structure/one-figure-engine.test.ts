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
  'src/domain/cascade-share.ts': 'verdicts of a first model beside those of the panel',
  'src/features/suspicion/report/suspicion-section.ts': 'trials with signs of cheating, which are not rates of passes',
};

/** Files outside of the engine that may import a function or a constant of `src/shared/stats`, and why each of them may. */
const otherStatistics: Readonly<Record<string, string>> = {
  'src/features/experiment/experiment-rounds.ts': 'the fewest cases that can differ, as a constant',
  'src/compose/judge/judge-correction.ts': 'the least discrimination of a judge, as a constant',
  'src/compose/judge/judge-variance.ts': 'how much a judge varies on the same trace',
  'src/domain/cascade-share.ts': 'verdicts of a first model beside those of the panel',
  'src/drive/targets/mcp/agent-workflow/agent-workflow-target.ts': 'a sum of usage',
  'src/entry/server/catalog/mcp-servers.ts': 'the median time of a tool in the list of servers, without an interval',
  'src/entry/server/catalog/scenario-run.ts':
    'typical durations and costs in the list of scenarios, without an interval',
  'src/entry/vitest/describe-eval.ts': 'the mean score of a test in Vitest',
  'src/features/suspicion/report/suspicion-section.ts': 'trials with signs of cheating',
  'src/mcp-check/ambiguity/judge-pair.ts': 'calls that confuse two tools',
  'src/report/reporters/sections/criteria.ts': 'percentiles of durations in the format of another program',
  'src/score/evaluators/assertions/server-limits.ts': 'how many points show growth, as a constant',
  'src/score/evaluators/server-figures.ts': 'growth of the memory of a server within a trial',
  'src/score/judge/calibration.ts': 'verdicts of a judge beside labels',
  'src/score/judge/panel-agreement.ts': 'agreement of judges within a trial',
  'src/score/judge/panel.ts': 'the score of a panel within a trial',
};

const statisticImports = /import (?!type )\{([^}]*)\} from '[^']*shared\/stats\//g;

/** Types are not computed. */
function importsStatistic(text: string): boolean {
  return [...text.matchAll(statisticImports)].some(([, names = '']) =>
    names.split(',').some((name) => /\w/.test(name) && !/^\s*type\s/.test(name)),
  );
}

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
      'src/report/compare/figure-values.ts',
      'src/report/compare/position-bias.ts',
      'src/report/compare/run-figures.ts',
      'src/report/compare/sample-units.ts',
      'src/report/compare/variants/variant-figures.ts',
    ]);
  });

  it('come from the engine: whatever else imports a statistic is listed with its reason', () => {
    const outside = files.filter((path) => !path.startsWith('src/report/compare/') && importsStatistic(textOf(path)));
    expect(outside.sort()).toEqual(Object.keys(otherStatistics).sort());
  });
});
