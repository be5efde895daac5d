import type { TrialRecord } from '../../domain/record.ts';
import { eachTrial } from '../../keep/store/store.ts';
import { inline, printable } from '../../shared/text.ts';
import { type SkillTriggering, skillTriggering, triggerFigures } from '../compare/skill-triggering.ts';
import { variantText } from '../presentation/trial-text.ts';
import { shareText, triggeringText } from '../presentation/triggering-text.ts';
import type { StoredRun } from './reporter.ts';

interface Row {
  readonly title: string;
  readonly figures: SkillTriggering;
}

/** How reliably prompts trigger the skills of a run, by scenario and variant; empty where it has no such prompts. */
export async function triggeringSection({ store, summary }: StoredRun, style: 'console' | 'markdown'): Promise<string> {
  const rows = await readTriggering(store, summary.run.runId);
  if (rows.length === 0) return '';
  return style === 'markdown' ? markdownOf(rows) : textOf(rows);
}

/** Whether a trial tried if a prompt triggers a skill. */
export function isTriggerTrial({ metrics }: Pick<TrialRecord, 'metrics'>): boolean {
  return triggerFigures.recall in metrics || triggerFigures.falseTriggers in metrics;
}

/** The figures by scenario and variant. */
export async function readTriggering(store: StoredRun['store'], runId: string): Promise<Row[]> {
  const groups = new Map<string, Map<string, { recall: number[]; falseTriggers: number[] }>>();
  for await (const record of eachTrial(store, runId)) {
    if (!isTriggerTrial(record)) continue;
    const title = `${record.scenario} (${variantText(record.variant)})`;
    const cases = groups.get(title) ?? new Map();
    groups.set(title, cases);
    const values = cases.get(record.caseId) ?? { recall: [], falseTriggers: [] };
    cases.set(record.caseId, values);
    values.recall.push(...figure(record, triggerFigures.recall));
    values.falseTriggers.push(...figure(record, triggerFigures.falseTriggers));
  }
  return [...groups].flatMap(([title, cases]) => {
    const figures = skillTriggering([...cases].map(([caseKey, values]) => ({ caseKey, ...values })));
    return figures ? [{ title, figures }] : [];
  });
}

function figure({ metrics }: TrialRecord, name: string): number[] {
  const value = metrics[name];
  return typeof value === 'number' ? [value] : [];
}

function textOf(rows: readonly Row[]): string {
  const lines = rows.flatMap(({ title, figures }) => [`  ${printable(title)}`, `    ${triggeringText(figures)}`]);
  return ['Skill triggering (each prompt counts once; 95 % intervals)', ...lines].join('\n');
}

function markdownOf(rows: readonly Row[]): string {
  const head = [
    '| scenario | precision | recall | triggered as wanted | triggered wrongly |',
    '|---|---:|---:|---:|---:|',
  ];
  const lines = rows.map(({ title, figures }) => {
    const { truePositives, falseNegatives, falsePositives, trueNegatives } = figures;
    const wanted = `${truePositives}/${truePositives + falseNegatives}`;
    const wrong = `${falsePositives}/${falsePositives + trueNegatives}`;
    return `| ${inline(title)} | ${shareText(figures.precision)} | ${shareText(figures.recall)} | ${wanted} | ${wrong} |`;
  });
  return `${['## Skill triggering', '', 'Each prompt counts once; 95 % intervals.', '', ...head, ...lines].join('\n')}\n`;
}
