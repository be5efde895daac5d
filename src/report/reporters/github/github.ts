import type { Reporter } from '../reporter.ts';

/** The page of a job: `$GITHUB_STEP_SUMMARY` takes up to 1 MiB a step. */
export const githubReporter: Reporter = {
  name: 'github',
  summary: 'Markdown for the summary of a GitHub Actions job',
  fileName: 'github-summary.md',
  async *render(run) {
    const { githubText } = await import('./github-text.ts');
    yield await githubText(run, { mostBytes: 1_000_000, mostProblems: 500, hasMarker: false });
  },
};

/** A comment that is found again by its first line; GitHub takes up to 65,536 characters. */
export const githubCommentReporter: Reporter = {
  name: 'github-comment',
  summary: 'Markdown for a comment on a pull request',
  fileName: 'github-comment.md',
  async *render(run) {
    const { githubText } = await import('./github-text.ts');
    yield await githubText(run, { mostBytes: 65_000, mostProblems: 20, hasMarker: true });
  },
};

/** Workflow commands that make GitHub annotate the scenario files with their failures. */
export const githubAnnotationsReporter: Reporter = {
  name: 'github-annotations',
  summary: 'workflow commands that show failures beside scenario files',
  fileName: 'github-annotations.txt',
  async *render(run) {
    const { annotationsOf } = await import('./github-text.ts');
    yield* annotationsOf(run);
  },
};
