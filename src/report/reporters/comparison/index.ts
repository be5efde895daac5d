import type { ComparisonFormat } from './comparison-format.ts';

/** Every way to write down a comparison. */
export const comparisonFormats: readonly ComparisonFormat[] = [
  { name: 'console', fileName: 'comparison.txt', load: async () => (await import('./console.ts')).comparisonText },
  { name: 'markdown', fileName: 'comparison.md', load: async () => (await import('./markdown.ts')).comparisonMarkdown },
  { name: 'json', fileName: 'comparison.json', load: async () => (await import('./json.ts')).comparisonJson },
];
