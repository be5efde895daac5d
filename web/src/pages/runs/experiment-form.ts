import type { ExperimentWish } from '../../../../src/domain/experiment.ts';
import type { PlanExperiment, StartRun } from '../../../../src/entry/server/api/runs.ts';
import { listed } from './run-form.ts';

/** The fields of a new experiment, as typed. */
export interface ExperimentForm {
  readonly paths: string;
  readonly tags: string;
  /** Empty: not chosen yet. */
  readonly by: ExperimentWish['by'] | '';
  /** Agents, models or connectors to compare instead of those of the files, separated by commas. */
  readonly variants: string;
  /** Null: the first. */
  readonly reference: string | null;
  readonly metric: string;
  /** `0.05` or `5%`. */
  readonly smallest: string;
  readonly direction: 'usual' | 'higher' | 'lower';
  readonly maxTrials: number | null;
  readonly maxUsd: number | null;
  readonly name: string;
}

export const emptyExperimentForm: ExperimentForm = {
  paths: '',
  tags: '',
  by: '',
  variants: '',
  reference: null,
  metric: 'pass-rate',
  smallest: '',
  direction: 'usual',
  maxTrials: null,
  maxUsd: null,
  name: '',
};

/** Parts whose variants a request can name; those of the others are in the files. */
const named = { agent: 'agents', model: 'models', connector: 'connectors' } as const;

/** Whether the variants of a part can be typed. */
export function canNameVariants(by: ExperimentForm['by']): by is keyof typeof named {
  return Object.hasOwn(named, by);
}

type ProblemField = 'by' | 'metric' | 'smallest' | 'maxTrials' | 'maxUsd';

/** The problems of the form, by field. */
export function experimentFormProblems(form: ExperimentForm): Partial<Record<ProblemField, string>> {
  const { by, metric, smallest, maxTrials, maxUsd } = form;
  return {
    ...(by === '' ? { by: 'Choose what is compared' } : {}),
    ...(metric.trim() === '' ? { metric: 'Name the figure that decides' } : {}),
    ...(smallest.trim() === '' || readSmallest(smallest) ? {} : { smallest: 'A number above 0, such as 0.05 or 5%' }),
    ...(maxTrials === null || (Number.isInteger(maxTrials) && maxTrials >= 1)
      ? {}
      : { maxTrials: 'A whole number from 1' }),
    ...(maxUsd === null || maxUsd > 0 ? {} : { maxUsd: 'More than 0' }),
  };
}

/** The scenarios and variants of the form, and its question as far as it is typed; for the plan. */
export function planWish(form: ExperimentForm): PlanExperiment {
  const { by, reference, maxTrials } = form;
  const isWhole = maxTrials !== null && Number.isInteger(maxTrials) && maxTrials >= 1;
  return {
    ...choice(form),
    experiment: {
      ...(by === '' ? {} : { by }),
      ...(reference === null ? {} : { reference }),
      ...(isWhole ? { maxTrials } : {}),
    },
  };
}

/** The request; undefined where no part is chosen. */
export function experimentWish(form: ExperimentForm): StartRun | undefined {
  const { by, reference, direction, maxTrials, maxUsd } = form;
  if (by === '') return undefined;
  const name = form.name.trim();
  const smallest = readSmallest(form.smallest);
  return {
    ...choice(form),
    ...(maxUsd === null ? {} : { maxUsd }),
    ...(name === '' ? {} : { name }),
    experiment: {
      by,
      metric: form.metric.trim(),
      ...(reference === null ? {} : { reference }),
      ...(smallest ? { smallest } : {}),
      ...(direction === 'usual' ? {} : { isHigherBetter: direction === 'higher' }),
      ...(maxTrials === null ? {} : { maxTrials }),
    },
  };
}

function choice({ paths, tags, by, variants }: ExperimentForm): Pick<PlanExperiment, 'paths' | 'tags' | 'agents'> {
  const [files, wanted, names] = [listed(paths), listed(tags), listed(variants)];
  return {
    ...(files.length > 0 ? { paths: files } : {}),
    ...(wanted.length > 0 ? { tags: wanted } : {}),
    ...(canNameVariants(by) && names.length > 0 ? { [named[by]]: names } : {}),
  };
}

/** As `--smallest` of the command line: in the unit of the figure, or as a share of it. */
function readSmallest(text: string): ExperimentWish['smallest'] {
  const [, digits, percent] = /^\s*([0-9.]+(?:e-?[0-9]+)?)\s*(%)?\s*$/i.exec(text) ?? [];
  const value = Number(digits);
  if (digits === undefined || !Number.isFinite(value) || value <= 0) return undefined;
  return percent === undefined ? { kind: 'absolute', value } : { kind: 'relative', share: value / 100 };
}
