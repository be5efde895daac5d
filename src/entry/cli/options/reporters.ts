import { listOption } from './values.ts';

/** The `--reporter` option. A test compares its names with the list of reporters, which is too heavy to load for flags. */
export const reporterOption = [
  '-r, --reporter <names>',
  'reports to write: console, json, junit, markdown, html, csv, github, github-comment, github-annotations, sarif, otlp, atif, promptfoo, inspect, dataset',
  listOption,
] as const;
