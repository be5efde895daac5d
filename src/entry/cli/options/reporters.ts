import { listOption } from './values.ts';

/** A test compares them with the list of reporters, which is too heavy to load for flags. */
export const reporterNames = [
  'console',
  'json',
  'junit',
  'markdown',
  'html',
  'csv',
  'github',
  'github-comment',
  'github-annotations',
  'sarif',
  'otlp',
  'atif',
  'promptfoo',
  'inspect',
  'dataset',
] as const;

/** The `--reporter` option. */
export const reporterOption = [
  '-r, --reporter <names>',
  `reports to write: ${reporterNames.join(', ')}`,
  listOption,
] as const;
