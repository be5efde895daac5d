import type { ReportDocument } from '../../../src/report/reporters/html/report-document.ts';
import { type CompareSearch, compareSearch } from '../app/search-params.ts';

/** The address of the comparison of two sides; which of them are shown, the report knows. */
export function comparisonSearch({ comparison }: ReportDocument): CompareSearch {
  return { a: comparison?.a.runId, b: comparison?.b.runId };
}

/** The address of the table of variants or runs. */
export function variantsSearch({ run, variants }: ReportDocument): CompareSearch {
  if (variants?.by === 'run') return { runs: variants.variants.map(({ label }) => label).join(',') };
  return compareSearch({ a: run.runId, by: variants?.by });
}
