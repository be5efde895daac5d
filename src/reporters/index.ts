import { consoleReporter } from './console.ts';
import { htmlReporter } from './html/html.ts';
import { jsonReporter } from './json.ts';
import { junitReporter } from './junit.ts';
import { markdownReporter } from './markdown.ts';
import type { Reporter } from './reporter.ts';

/** Every reporter. */
export const reporters: readonly Reporter[] = [
  consoleReporter,
  jsonReporter,
  junitReporter,
  markdownReporter,
  htmlReporter,
];
