import type { StartRun } from '../../../../src/entry/server/api/runs.ts';

/** The fields of a new run, as typed. */
export interface RunForm {
  readonly paths: string;
  readonly tags: string;
  readonly repeat: number | null;
  readonly concurrency: number | null;
  readonly maxUsd: number | null;
  readonly name: string;
  readonly isJudged: boolean;
}

/** As the project's config has it. */
export const emptyRunForm: RunForm = {
  paths: '',
  tags: '',
  repeat: null,
  concurrency: null,
  maxUsd: null,
  name: '',
  isJudged: true,
};

/** The problems of the form, by field. */
export function runFormProblems(form: RunForm): { repeat?: string; concurrency?: string; maxUsd?: string } {
  return {
    ...(isCount(form.repeat) ? {} : { repeat: 'A whole number from 1 to 1,000' }),
    ...(isCount(form.concurrency) ? {} : { concurrency: 'A whole number from 1 to 1,000' }),
    ...(form.maxUsd === null || form.maxUsd > 0 ? {} : { maxUsd: 'More than 0' }),
  };
}

/** The request; what was left empty is left out. */
export function runWish(form: RunForm): StartRun {
  const paths = listed(form.paths);
  const tags = listed(form.tags);
  const name = form.name.trim();
  return {
    ...(paths.length > 0 ? { paths } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...(form.repeat === null ? {} : { repeat: form.repeat }),
    ...(form.concurrency === null ? {} : { concurrency: form.concurrency }),
    ...(form.maxUsd === null ? {} : { maxUsd: form.maxUsd }),
    ...(name === '' ? {} : { name }),
    ...(form.isJudged ? {} : { judge: false }),
  };
}

function isCount(value: number | null): boolean {
  return value === null || (Number.isInteger(value) && value >= 1 && value <= 1_000);
}

/** The parts of a text between commas. */
export function listed(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
