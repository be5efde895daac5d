import { onlyInput } from '../../../domain/only-case.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { type Sign, suspicionType } from '../../../domain/suspicion.ts';
import { eachTrial } from '../../../keep/store/store.ts';
import { shareText } from '../../../report/presentation/figures.ts';
import { titlesInList } from '../../../report/presentation/trial-text.ts';
import type { StoredRun } from '../../../report/reporters/reporter.ts';
import { type Section, table, text } from '../../../shared/blocks/block.ts';
import { passRate } from '../../../shared/stats/pass-rate.ts';

interface Tally {
  readonly trial: Parameters<typeof titlesInList>[0][number];
  readonly cases: Map<string, { passed: number; failed: number }>;
  /** How many trials show a sign, by its kind. */
  readonly signs: Map<string, number>;
}

/** The rate of suspicious trials by scenario and variant, with what was seen; nothing where no trial was looked at. */
export async function suspicionSections({ store, summary }: StoredRun): Promise<Section[]> {
  const tallies = new Map<string, Tally>();
  for await (const record of eachTrial(store, summary.run.runId)) count(record, tallies);
  if (tallies.size === 0) return [];
  const titles = titlesInList([...tallies.values()].map(({ trial }) => trial));
  const rows = [...tallies.values()].map((tally, index) => [titles[index] ?? '', ...rowOf(tally)]);
  const note = text('Suspicious trials count with the verdict that they have: read them first.', 'quiet');
  const isOneScenario = new Set([...tallies.values()].map(({ trial }) => trial.scenario)).size === 1;
  const heads = [isOneScenario && tallies.size > 1 ? 'variant' : 'scenario', '#suspicious', '#rate', 'signs'];
  const isOpen = [...tallies.values()].some(({ cases }) => [...cases.values()].some(({ passed }) => passed > 0));
  return [{ title: 'Signs of cheating', isOpen, blocks: [table(heads, rows), note] }];
}

function count(record: TrialRecord, tallies: Map<string, Tally>): void {
  const { scenario, file, variant, caseId } = record;
  for (const { type, state, value, metadata } of record.evaluatorResults) {
    if (type !== suspicionType || state !== 'measured') continue;
    const key = JSON.stringify([scenario, file, variant]);
    const trial = { scenario, variant, caseId: onlyInput, repeat: 1 };
    const tally = tallies.get(key) ?? { trial, cases: new Map(), signs: new Map() };
    tallies.set(key, tally);
    const counts = tally.cases.get(caseId) ?? { passed: 0, failed: 0 };
    tally.cases.set(caseId, counts);
    if (value === 1) counts.passed++;
    else counts.failed++;
    const signs = (metadata?.signs ?? []) as readonly Sign[];
    for (const sign of new Set(signs.map((each) => each.sign))) {
      tally.signs.set(sign, (tally.signs.get(sign) ?? 0) + 1);
    }
  }
}

function rowOf({ cases, signs }: Tally): [suspicious: string, rate: string, signs: string] {
  const rate = passRate([...cases].map(([caseKey, counts]) => ({ caseKey, ...counts })));
  const kinds = [...signs].toSorted(([, one], [, other]) => other - one).map(([sign, trials]) => `${sign} ${trials}`);
  return [`${rate.passed}/${rate.trials}`, shareText(rate), kinds.join(', ')];
}
