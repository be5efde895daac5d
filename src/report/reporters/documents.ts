import type { Section } from '../../shared/blocks/block.ts';
import { drawMarkdown } from '../../shared/blocks/draw-markdown.ts';
import { drawText } from '../../shared/blocks/draw-text.ts';
import { jsonPieces } from '../../shared/json-pieces.ts';
import type { ComparisonOfRows } from '../compare/comparison.ts';
import type { JudgedRanking } from '../compare/judged-ranking.ts';
import type { VariantTable } from '../compare/variants/variant-table.ts';
import type { ReportStyle } from './reporter.ts';

/** A document beside the report of a run: the same content as text, as a page of Markdown and as JSON. */
export type WrittenDocument =
  | { readonly name: 'comparison'; readonly content: ComparisonOfRows }
  | { readonly name: 'variants'; readonly content: VariantTable }
  | { readonly name: 'ranking'; readonly content: JudgedRanking };

/** Formats of such documents, with the endings of their files. */
export const documentFormats: Readonly<Record<string, string>> = { console: 'txt', markdown: 'md', json: 'json' };

/** A document in one of `documentFormats`, in pieces that each end between two values. */
export async function* documentPieces(
  document: WrittenDocument,
  format: string,
  style: ReportStyle,
): AsyncGenerator<string, void> {
  if (format === 'json') yield* jsonPieces(document.content);
  else if (format === 'markdown') yield drawMarkdown(await sectionsOf(document));
  else if (document.name === 'comparison') yield await comparisonText(document.content, style);
  else yield drawText(await sectionsOf(document), style);
}

async function sectionsOf({ name, content }: WrittenDocument): Promise<Section[]> {
  if (name === 'comparison') return (await import('../presentation/comparison-text.ts')).comparisonSections(content);
  if (name === 'variants') return (await import('../presentation/variants-text.ts')).variantSections(content);
  return (await import('../presentation/ranking-text.ts')).rankingSections(content);
}

/** Lines of a usual terminal: changed cases get as many of them as the rest leaves. */
const screenLines = 24;

/** A comparison for a terminal: it fits on one screen where it can. */
async function comparisonText(comparison: ComparisonOfRows, style: ReportStyle): Promise<string> {
  const { comparisonSections } = await import('../presentation/comparison-text.ts');
  const most = Math.min(screenLines, comparison.changedCases.length);
  const rooms = [true, false].flatMap((hasPlan) =>
    Array.from({ length: Math.max(1, most) }, (_, index) => ({
      hasPlan,
      cases: Math.max(1, most - index),
      isScreen: true,
    })),
  );
  let drawn = '';
  for (const room of rooms) {
    drawn = drawText(comparisonSections(comparison, room), style);
    if (drawn.trimEnd().split('\n').length <= screenLines) break;
  }
  return drawn;
}
