import { atifReporter } from './atif/atif.ts';
import { consoleReporter } from './console.ts';
import { csvReporter } from './csv.ts';
import { datasetReporter } from './exchange/dataset.ts';
import { inspectReporter } from './exchange/inspect.ts';
import { promptfooReporter } from './exchange/promptfoo.ts';
import { githubAnnotationsReporter, githubCommentReporter, githubReporter } from './github/github.ts';
import { htmlReporter } from './html/html.ts';
import { jsonReporter } from './json.ts';
import { junitReporter } from './junit.ts';
import { markdownReporter } from './markdown.ts';
import { otlpReporter } from './otlp/otlp.ts';
import type { Reporter } from './reporter.ts';
import { sarifReporter } from './sarif.ts';

/** Every reporter. */
export const reporters: readonly Reporter[] = [
  consoleReporter,
  jsonReporter,
  junitReporter,
  markdownReporter,
  htmlReporter,
  csvReporter,
  githubReporter,
  githubCommentReporter,
  githubAnnotationsReporter,
  sarifReporter,
  otlpReporter,
  atifReporter,
  promptfooReporter,
  inspectReporter,
  datasetReporter,
];
