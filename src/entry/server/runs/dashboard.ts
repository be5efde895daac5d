import { endedKey } from '../../../domain/ended-key.ts';
import { isCollected, type RunHeader, summarizeRun } from '../../../domain/run.ts';
import type { RunRow } from '../../../keep/store/store.ts';
import { shortReason } from '../../../report/compare/grid/listed-trial.ts';
import { runItem } from '../../../report/reporters/run-view.ts';
import type { Dashboard } from '../api/runs.ts';
import type { ServerContext } from '../context.ts';
import { prepareNewest } from '../summaries/prepare-pages.ts';
import { isLarge } from '../work/heavy-work.ts';
import { compareStored } from './compare-stored.ts';
import { mostAlike } from './previous-run.ts';
import { isLive } from './read-runs.ts';
import { countAll, type MeasuredRun, trendsOf } from './set-trends.ts';

const mostCases = 20;

/** The changes between the newest ended run that has one like it before, and the one that shares most of its scenarios. */
async function whatBroke(rows: readonly RunRow[], context: ServerContext): Promise<Dashboard['broke']> {
  const ended = rows.map(({ run }) => run).filter((run) => isCompared(run));
  const pairs = ended.map((run, index) => [mostAlike(run, ended.slice(index + 1)), run] as const);
  const [previous, newest] = pairs.find(([earlier]) => earlier) ?? [];
  if (!newest || !previous) return null;
  const key = `${endedKey(previous)} ${endedKey(newest)}`;
  const { broke } = context.runCache;
  const found = broke.get(key, () => compared(previous, newest, context));
  if (!isLarge([previous, newest]) || broke.has(key)) return found;
  // The first page does not wait for the comparison of large runs; a failure comes up again where it is shown.
  found.catch(() => undefined);
  return null;
}

function isCompared({ status, request }: RunHeader): boolean {
  return (
    status === 'finished' &&
    request.only === undefined &&
    !['import', 'rule', 'edit'].includes(request.origin?.kind ?? '')
  );
}

async function compared(previous: RunHeader, newest: RunHeader, context: ServerContext): Promise<Dashboard['broke']> {
  // That of large runs is the one that their pages open with.
  const sides = { a: previous.runId, b: newest.runId, force: !isLarge([previous, newest]) };
  const { answer, changedCases } = await compareStored(sides, context, context.signal);
  if (answer === 'not-comparable') return null;
  const worse = changedCases.filter(({ change }) => change === 'broke' || change === 'less-often');
  return {
    runId: newest.runId,
    previousRunId: previous.runId,
    cases: worse.slice(0, mostCases).map(({ scenario, caseId, change, reason, trialB }) => ({
      scenario,
      caseId,
      change,
      reason: shortReason(reason),
      trialId: trialB ?? null,
    })),
    fixedCount: changedCases.filter(({ change }) => change === 'fixed' || change === 'more-often').length,
  };
}

const recentRuns = 10;
const trendRuns = 40;

/** The first page: what was run of late, how it went over time, and what broke. */
export async function dashboard(context: ServerContext): Promise<Dashboard> {
  const { items } = await context.store.readRunRows({ limit: trendRuns, isArchived: false });
  const listed = async ({ run, counts }: RunRow) =>
    runItem(summarizeRun(run, counts, Date.now()), await isLive(run, context));
  // Those of collected traces go on for days, and have their own page.
  const latest = items.find(({ run }) => run.request.origin?.kind !== 'rule' && !isCollected(run)) ?? items[0];
  prepareNewest(
    items.map(({ run }) => run),
    context,
  );
  const { measured, waiting } = await countAll(items.filter(isMeasured), context);
  return {
    recent: await Promise.all(items.slice(0, recentRuns).map(listed)),
    latest: latest ? await listed(latest) : null,
    trends: trendsOf(measured),
    waiting,
    strip: failureStrip(measured),
    broke: await whatBroke(items, context),
  };
}

/** A run that lacks trials, or has chosen cases only, would be a point of other cases. */
function isMeasured({ run }: RunRow): boolean {
  return run.status === 'finished' && run.request.origin === null && run.request.only === undefined;
}

type Strip = NonNullable<Dashboard['strip']>;
type StripCell = Strip['rows'][number]['cells'][number];

const mostRuns = 20;
const mostRows = 15;

/** How each scenario that did not always pass went in the last runs. */
function failureStrip(measured: readonly MeasuredRun[]): Dashboard['strip'] {
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
    runs: runs.map(({ run: { runId, startedAt }, counted: { figures } }) => ({
      runId,
      startedAt,
      marks: figures.marks,
    })),
    rows: sorted.slice(0, mostRows),
    failing: failing.length,
    passing: rows.size - failing.length,
  };
}

/** The place of the newest run in which something did not pass; -1 where there is none. */
function lastFailure(cells: readonly StripCell[]): number {
  return cells.findLastIndex((cell) => cell !== null && cell.fail + cell.error > 0);
}
