import type { Comparison } from '../../compare/comparison.ts';
import type { ReportStyle } from '../reporter.ts';

/** One way to write down a comparison. */
export interface ComparisonFormat {
  readonly name: string;
  /** Name of the file when it goes into a folder. */
  readonly fileName: string;
  /** Gives the writer; its code is loaded on first use. */
  load(): Promise<(comparison: Comparison, style: ReportStyle) => string>;
}

/** Every way to write down a comparison. */
export const comparisonFormats: readonly ComparisonFormat[] = [
  { name: 'console', fileName: 'comparison.txt', load: async () => (await import('./console.ts')).comparisonText },
  { name: 'markdown', fileName: 'comparison.md', load: async () => (await import('./markdown.ts')).comparisonMarkdown },
  { name: 'json', fileName: 'comparison.json', load: async () => (await import('./json.ts')).comparisonJson },
];
