import { onlyInput } from '../../../domain/only-case.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { eachTrial } from '../../../keep/store/store.ts';
import { type Section, table, text } from '../../../shared/blocks/block.ts';
import { skillTriggering, triggerFigures } from '../../compare/skill-triggering.ts';
import { shareText } from '../../presentation/figures.ts';
import { titlesInList } from '../../presentation/trial-text.ts';
import type { StoredRun } from '../reporter.ts';

/** Whether a trial tried if a prompt triggers a skill. */
export function isTriggerTrial({ metrics }: Pick<TrialRecord, 'metrics'>): boolean {
  return triggerFigures.recall in metrics || triggerFigures.falseTriggers in metrics;
}

interface Group {
  readonly trial: Parameters<typeof titlesInList>[0][number];
  readonly cases: Map<string, { recall: number[]; falseTriggers: number[] }>;
}

/** How reliably prompts trigger the skills of a run, by scenario and variant; nothing where it has no such prompts. */
export async function triggeringSections({ store, summary }: StoredRun): Promise<Section[]> {
  const groups = new Map<string, Group>();
  for await (const record of eachTrial(store, summary.run.runId)) {
    if (!isTriggerTrial(record)) continue;
    const { scenario, file, variant } = record;
    const key = JSON.stringify([scenario, file, variant]);
    const { cases } = groups.get(key) ?? { cases: new Map() };
    groups.set(key, { trial: { scenario, variant, caseId: onlyInput, repeat: 1 }, cases });
    const values = cases.get(record.caseId) ?? { recall: [], falseTriggers: [] };
    cases.set(record.caseId, values);
    values.recall.push(...figure(record, triggerFigures.recall));
    values.falseTriggers.push(...figure(record, triggerFigures.falseTriggers));
  }
  const titles = titlesInList([...groups.values()].map(({ trial }) => trial));
  const rows = [...groups.values()].flatMap(({ cases }, index) => {
    const figures = skillTriggering([...cases].map(([caseKey, values]) => ({ caseKey, ...values })));
    if (!figures) return [];
    const { precision, recall, truePositives, falseNegatives, falsePositives, trueNegatives } = figures;
    const wanted = `${truePositives}/${truePositives + falseNegatives}`;
    return [
      [
        titles[index] ?? '',
        shareText(precision),
        shareText(recall),
        wanted,
        `${falsePositives}/${falsePositives + trueNegatives}`,
      ],
    ];
  });
  if (rows.length === 0) return [];
  const heads = ['scenario', '#precision', '#recall', '#triggered as wanted', '#triggered wrongly'];
  const note = text('Each prompt counts once; 95 % intervals.', 'quiet');
  return [{ title: 'Skill triggering', blocks: [note, table(heads, rows)] }];
}

function figure({ metrics }: TrialRecord, name: string): number[] {
  const value = metrics[name];
  return typeof value === 'number' ? [value] : [];
}
