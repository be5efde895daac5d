import type { Comparison } from '../../compare/comparison.ts';

/** The comparison as one JSON document (`assay.compare/1`). */
export function comparisonJson(comparison: Comparison): string {
  return `${JSON.stringify(comparison, null, 2)}\n`;
}
