import type { TrialRecord } from '../../../domain/record.ts';
import { eachTrial } from '../../../keep/store/store.ts';
import type { StoredRun } from '../reporter.ts';
import { outcomes, type PackedRow, type RowPage } from './page-data.ts';

const rowsPerPage = 500;
/** In the list; the trial itself has all of it. */
const longestReason = 300;

/** The trials of a run as rows of a list, in plan order. */
export async function* rowPages({ store, summary }: StoredRun): AsyncGenerator<RowPage, void> {
  let page = new PageOfRows();
  for await (const record of eachTrial(store, summary.run.runId)) {
    page.add(record);
    if (page.rows.length < rowsPerPage) continue;
    yield page.packed();
    page = new PageOfRows();
  }
  if (page.rows.length > 0) yield page.packed();
}

class PageOfRows {
  readonly rows: PackedRow[] = [];
  readonly #scenarios = new Map<string, number>();
  readonly #variants = new Map<string, number>();

  add(record: TrialRecord): void {
    this.rows.push([
      record.ordinal,
      record.trialId,
      numberOf(this.#scenarios, JSON.stringify([record.scenario, record.file])),
      numberOf(this.#variants, JSON.stringify(record.variant)),
      record.caseId,
      record.repeat,
      outcomes.indexOf(record.outcome),
      record.reason.length > longestReason ? `${record.reason.slice(0, longestReason)}…` : record.reason,
      record.fault?.code ?? '',
      rounded(record.durationMs, 3),
      rounded(record.costUsd, 8),
      record.usage?.inputTokens ?? null,
      record.usage?.outputTokens ?? null,
      record.cachedFrom === null ? 0 : 1,
    ]);
  }

  packed(): RowPage {
    return {
      scenarios: [...this.#scenarios.keys()].map((key) => JSON.parse(key)),
      variants: [...this.#variants.keys()].map((key) => JSON.parse(key)),
      rows: this.rows,
    };
  }
}

function numberOf(known: Map<string, number>, key: string): number {
  const number = known.get(key) ?? known.size;
  known.set(key, number);
  return number;
}

function rounded(value: number | null, digits: number): number | null {
  return value !== null && Number.isFinite(value) ? Number(value.toFixed(digits)) : null;
}
