import type { RunHeader } from '../../domain/run.ts';

/** Where the trials of a run come from, where it was not simply run. */
export function originText(origin: NonNullable<RunHeader['request']['origin']>): string {
  if (origin.kind === 'edit') return `input of trial ${origin.trialId}, edited; not evidence`;
  if (origin.kind === 'rescore') return `evaluated again from run ${origin.runId}`;
  if (origin.kind === 'rule') return `collected traces, judged by the rule ${origin.rule}`;
  return `${origin.kind === 'import' ? 'imported' : 'evaluated'} from ${origin.file} (${origin.format})`;
}
