import type { Dashboard } from '../api/runs.ts';
import type { MeasuredRun } from './set-trends.ts';

type Strip = NonNullable<Dashboard['strip']>;
type StripCell = Strip['rows'][number]['cells'][number];

const mostRuns = 20;
const mostRows = 15;

/** How each scenario that did not always pass went in the last runs. */
export function failureStrip(measured: readonly MeasuredRun[]): Dashboard['strip'] {
  const runs = measured.slice(0, mostRuns).toReversed();
  if (runs.length === 0) return null;
  const rows = new Map<string, { scenario: string; file: string; cells: StripCell[] }>();
  for (const [index, { counted }] of runs.entries()) {
    for (const { scenario, file, pass, fail, error } of counted.cells) {
      const key = `${file}\n${scenario}`;
      const row = rows.get(key) ?? { scenario, file, cells: runs.map((): StripCell => null) };
      const other = row.cells[index];
      row.cells[index] = {
        pass: pass + (other?.pass ?? 0),
        fail: fail + (other?.fail ?? 0),
        error: error + (other?.error ?? 0),
      };
      rows.set(key, row);
    }
  }
  const failing = [...rows.values()].filter(({ cells }) => lastFailure(cells) >= 0);
  const sorted = failing.toSorted((one, other) => lastFailure(other.cells) - lastFailure(one.cells));
  return {
    runs: runs.map(({ run: { runId, startedAt } }) => ({ runId, startedAt })),
    rows: sorted.slice(0, mostRows),
    failing: failing.length,
    passing: rows.size - failing.length,
  };
}

/** The place of the newest run in which something did not pass; -1 where there is none. */
function lastFailure(cells: readonly StripCell[]): number {
  return cells.findLastIndex((cell) => cell !== null && cell.fail + cell.error > 0);
}
