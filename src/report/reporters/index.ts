import { consoleReporter } from './console.ts';
import { csvReporter } from './csv.ts';
import { datasetReporter } from './exchange/dataset.ts';
import { inspectReporter } from './exchange/inspect.ts';
import { promptfooReporter } from './exchange/promptfoo.ts';
import { jsonReporter } from './json.ts';
import { junitReporter } from './junit.ts';
import { markdownReporter } from './markdown.ts';
import type { Reporter, StoredRun } from './reporter.ts';
import { sarifReporter } from './sarif.ts';

/** A reporter whose code is loaded on first use. */
function lazyReporter(
  name: string,
  fileName: string,
  summary: string,
  load: () => Promise<(run: StoredRun) => AsyncIterable<string>>,
): Reporter {
  return {
    name,
    summary,
    fileName,
    async *render(run) {
      yield* (await load())(run);
    },
  };
}

/** One page that holds everything: charts, filters, and the trace of each trial; it needs no network. */
export const htmlReporter = lazyReporter(
  'html',
  'report.html',
  'one self-contained page with charts, filters and traces',
  async () => (await import('./html/page.ts')).pageOf,
);

/** Every reporter. */
export const reporters: readonly Reporter[] = [
  consoleReporter,
  jsonReporter,
  junitReporter,
  markdownReporter,
  htmlReporter,
  csvReporter,
  // `$GITHUB_STEP_SUMMARY` takes up to 1 MiB a step.
  lazyReporter('github', 'github-summary.md', 'Markdown for the summary of a GitHub Actions job', async () => {
    const { githubPage } = await import('./github/github-text.ts');
    return githubPage({ mostBytes: 1_000_000, mostProblems: 500, hasMarker: false });
  }),
  // A comment is found again by its first line; GitHub takes up to 65,536 characters.
  lazyReporter('github-comment', 'github-comment.md', 'Markdown for a comment on a pull request', async () => {
    const { githubPage } = await import('./github/github-text.ts');
    return githubPage({ mostBytes: 65_000, mostProblems: 20, hasMarker: true });
  }),
  lazyReporter(
    'github-annotations',
    'github-annotations.txt',
    'workflow commands that show failures beside scenario files',
    async () => (await import('./github/github-text.ts')).annotationsOf,
  ),
  sarifReporter,
  lazyReporter(
    'otlp',
    'traces.jsonl',
    'OTLP/JSON traces with gen_ai attributes and evaluation results, one trial a line',
    async () => (await import('./otlp/trial-spans.ts')).tracesOf,
  ),
  lazyReporter(
    'atif',
    'trajectories.jsonl',
    'trajectories in the Agent Trajectory Interchange Format (ATIF), one trial a line',
    async () => (await import('./atif/trial-trajectory.ts')).trajectoriesOf,
  ),
  promptfooReporter,
  inspectReporter,
  datasetReporter,
];
