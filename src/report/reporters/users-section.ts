import type { TrialRecord } from '../../domain/record.ts';
import { eachTrial, type Store } from '../../keep/store/store.ts';
import { counted } from '../../shared/format.ts';
import { inline, printable } from '../../shared/text.ts';
import type { StoredRun } from './reporter.ts';

const figure = 'user-fidelity';

/** Ways to break a brief by the names of their figures. */
const breaches: Readonly<Record<string, string>> = {
  'user-fidelity.reveals': 'revealed a fact unasked',
  'user-fidelity.contradicts': 'contradicted the brief',
  'user-fidelity.does-agents-work': "did the agent's work",
  'user-fidelity.leaves-early': 'left early',
};

/** Whether the simulated user of a trial was to be reviewed. */
export function isReviewed({ metrics }: Pick<TrialRecord, 'metrics'>): boolean {
  return figure in metrics;
}

interface Row {
  trials: number;
  reviewed: number;
  faithful: number;
  readonly breaches: Map<string, number>;
}

/** How the simulated users of a run kept to their briefs, by scenario. */
export async function usersSection({ store, summary }: StoredRun, style: 'console' | 'markdown'): Promise<string> {
  const rows = await readRows(store, summary.run.runId);
  return style === 'markdown' ? markdownOf(rows) : textOf(rows);
}

/** Scenario, trials that kept to the brief, trials without a review, and breaches. */
export async function readSimulatedUsers(store: Store, runId: string): Promise<string[][]> {
  return cellsOf(await readRows(store, runId));
}

async function readRows(store: Store, runId: string): Promise<ReadonlyMap<string, Row>> {
  const rows = new Map<string, Row>();
  for await (const record of eachTrial(store, runId)) {
    if (!isReviewed(record)) continue;
    const row = rows.get(record.scenario) ?? { trials: 0, reviewed: 0, faithful: 0, breaches: new Map() };
    rows.set(record.scenario, row);
    add(row, record);
  }
  return rows;
}

function cellsOf(rows: ReadonlyMap<string, Row>): string[][] {
  return [...rows].map(([scenario, row]) => [
    scenario,
    `${row.faithful}/${row.reviewed}`,
    String(row.trials - row.reviewed),
    breachText(row),
  ]);
}

function add(row: Row, { metrics }: TrialRecord): void {
  const broken = Object.keys(breaches).filter((name) => metrics[name] === 0);
  row.trials++;
  if (broken.length > 0 || typeof metrics[figure] === 'number') row.reviewed++;
  if (broken.length === 0 && typeof metrics[figure] === 'number') row.faithful++;
  for (const name of broken) row.breaches.set(name, (row.breaches.get(name) ?? 0) + 1);
}

function breachText({ breaches: found }: Row): string {
  return [...found].map(([name, count]) => `${breaches[name]} ${count}x`).join(', ');
}

function reviewText({ trials, reviewed, faithful }: Row): string {
  const unknown = trials - reviewed;
  const rest = unknown > 0 ? `, ${unknown} not reviewed` : '';
  return `kept to the brief in ${faithful} of ${counted(reviewed, 'reviewed trial')}${rest}`;
}

function textOf(rows: ReadonlyMap<string, Row>): string {
  const lines = [...rows].map(([scenario, row]) => {
    const broken = breachText(row);
    return `  ${printable(scenario)}: ${reviewText(row)}${broken === '' ? '' : `; ${broken}`}`;
  });
  return ['Simulated users', ...lines].join('\n');
}

function markdownOf(rows: ReadonlyMap<string, Row>): string {
  const lines = cellsOf(rows).map((cells) => `| ${cells.map(inline).join(' | ')} |`);
  const head = ['| scenario | kept to the brief | not reviewed | breaches |', '|---|---:|---:|---|'];
  return `${['## Simulated users', '', ...head, ...lines].join('\n')}\n`;
}
