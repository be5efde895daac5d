import { type PassRate, passRate } from '../../shared/stats/pass-rate.ts';

/** The trials of one prompt that should or should not trigger a skill. */
export interface TriggerTrials {
  readonly caseKey: string;
  /** 1 for each trial of a prompt that should trigger the skill and did, 0 for one that did not. */
  readonly recall: readonly number[];
  /** 1 for each trial of a prompt that should not trigger the skill and did, 0 for one that did not. */
  readonly falseTriggers: readonly number[];
}

/** How reliably prompts trigger a skill; each prompt counts once, however often it was repeated. */
export interface SkillTriggering {
  /** Share of the prompts that triggered the skill and should. */
  readonly precision: PassRate;
  /** Share of the prompts that should trigger the skill and did. */
  readonly recall: PassRate;
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly falseNegatives: number;
  readonly trueNegatives: number;
}

/** Figures in the metrics of a trial from which precision and recall are computed. */
export const triggerFigures = { recall: 'skill-recall', falseTriggers: 'skill-false-triggers' } as const;

/** Precision and recall of some trials, with intervals like those of the pass rate; undefined without such trials. */
export function skillTriggering(cases: readonly TriggerTrials[]): SkillTriggering | undefined {
  const tried = cases.filter(({ recall, falseTriggers }) => recall.length + falseTriggers.length > 0);
  if (tried.length === 0) return undefined;
  const ones = (values: readonly number[]): number => values.filter((value) => value === 1).length;
  const counts = tried.map(({ caseKey, recall, falseTriggers }) => ({
    caseKey,
    truePositives: ones(recall),
    falseNegatives: recall.length - ones(recall),
    falsePositives: ones(falseTriggers),
    trueNegatives: falseTriggers.length - ones(falseTriggers),
  }));
  const total = (part: Exclude<keyof (typeof counts)[number], 'caseKey'>): number =>
    counts.reduce((sum, each) => sum + each[part], 0);
  return {
    precision: passRate(
      counts.map(({ caseKey, truePositives, falsePositives }) => ({
        caseKey,
        passed: truePositives,
        failed: falsePositives,
      })),
    ),
    recall: passRate(
      counts.map(({ caseKey, truePositives, falseNegatives }) => ({
        caseKey,
        passed: truePositives,
        failed: falseNegatives,
      })),
    ),
    truePositives: total('truePositives'),
    falsePositives: total('falsePositives'),
    falseNegatives: total('falseNegatives'),
    trueNegatives: total('trueNegatives'),
  };
}
