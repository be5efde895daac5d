import type { VariantTable } from '../../compare/variants/variant-table.ts';
import type { ReportStyle } from '../reporter.ts';

/** One way to write down a table of variants. */
export interface VariantFormat {
  readonly name: string;
  /** Name of the file when it goes into a folder. */
  readonly fileName: string;
  /** Gives the writer; its code is loaded on first use. */
  load(): Promise<(table: VariantTable, style: ReportStyle) => string>;
}

/** Every way to write down a table of variants. */
export const variantFormats: readonly VariantFormat[] = [
  { name: 'console', fileName: 'variants.txt', load: async () => (await import('./console.ts')).variantsText },
  { name: 'markdown', fileName: 'variants.md', load: async () => (await import('./markdown.ts')).variantsMarkdown },
  { name: 'json', fileName: 'variants.json', load: async () => (table) => `${JSON.stringify(table, null, 2)}\n` },
];
