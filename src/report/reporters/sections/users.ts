import type { TrialRecord } from '../../../domain/record.ts';
import { eachTrial } from '../../../keep/store/store.ts';
import { type Section, table } from '../../../shared/blocks/block.ts';
import type { StoredRun } from '../reporter.ts';

const figure = 'user-fidelity';

/** Ways to break a brief by the names of their figures. */
const breaches: Readonly<Record<string, string>> = {
  'user-fidelity.reveals': 'revealed a fact unasked',
  'user-fidelity.contradicts': 'contradicted the brief',
  'user-fidelity.does-agents-work': "did the agent's work",
  'user-fidelity.leaves-early': 'left early',
};

interface Tally {
  trials: number;
  reviewed: number;
  faithful: number;
  readonly breaches: Map<string, number>;
}

/** How the simulated users of a run kept to their briefs, by scenario; nothing where none was reviewed. */
export async function userSections({ store, summary }: StoredRun): Promise<Section[]> {
  const tallies = new Map<string, Tally>();
  for await (const record of eachTrial(store, summary.run.runId)) {
    if (!(figure in record.metrics)) continue;
    const tally = tallies.get(record.scenario) ?? { trials: 0, reviewed: 0, faithful: 0, breaches: new Map() };
    tallies.set(record.scenario, tally);
    add(tally, record);
  }
  const rows = [...tallies].map(([scenario, { trials, reviewed, faithful, breaches: found }]) => [
    scenario,
    `${faithful} of ${reviewed}`,
    String(trials - reviewed),
    [...found].map(([name, count]) => `${breaches[name]} ${count}x`).join(', '),
  ]);
  const heads = ['scenario', '#kept to the brief', '#not reviewed', 'breaches'];
  return [{ title: 'Simulated users', blocks: [table(heads, rows)] }];
}

function add(tally: Tally, { metrics }: TrialRecord): void {
  const broken = Object.keys(breaches).filter((name) => metrics[name] === 0);
  tally.trials++;
  if (broken.length > 0 || typeof metrics[figure] === 'number') tally.reviewed++;
  if (broken.length === 0 && typeof metrics[figure] === 'number') tally.faithful++;
  for (const name of broken) tally.breaches.set(name, (tally.breaches.get(name) ?? 0) + 1);
}
