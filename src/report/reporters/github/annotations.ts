import type { ProblemGroup } from '../../../keep/store/store.ts';
import { counted } from '../../../shared/format.ts';
import { decidingCriteria, trialTitle } from '../../presentation/trial-text.ts';
import { othersText } from '../cluster-text.ts';
import type { StoredRun } from '../reporter.ts';
import { oneLine } from './inert-text.ts';

/** GitHub shows so many of each kind for a step. */
const shownOfEach = 10;
const readGroups = 200;
const shownCriteria = 3;

/** A line for each kind of failure, and for each reason why something could not be judged. */
export async function* annotationsOf({ store, summary }: StoredRun): AsyncGenerator<string, void> {
  const { run, totals } = summary;
  const groups = await store.readProblems(run.runId, readGroups);
  const failed = groups.filter(({ first }) => first.outcome === 'fail').slice(0, shownOfEach);
  const unjudged = groups.filter(({ first }) => first.outcome !== 'fail').slice(0, shownOfEach);
  for (const group of failed) yield annotation('error', group);
  for (const group of unjudged) yield annotation('warning', group);
  const shown = [...failed, ...unjudged].reduce((sum, { count }) => sum + count, 0);
  const hidden = totals.fail + totals.error - shown;
  if (hidden > 0) yield `::notice title=Assay::${counted(hidden, 'more trial')} did not pass: see the summary.\n`;
}

function annotation(level: 'error' | 'warning', { first, count }: ProblemGroup): string {
  const criteria = decidingCriteria(first)
    .slice(0, shownCriteria)
    .map(({ criterion, explanation }) => oneLine(`${criterion}: ${explanation}`));
  const lines = [oneLine(first.reason), ...criteria, `assay show ${first.trialId}${othersText(first, count)}`];
  const title = `Assay: ${oneLine(trialTitle(first), 200)}`;
  return `::${level} file=${property(oneLine(first.file))},line=1,title=${property(title)}::${data(lines.join('\n'))}\n`;
}

/** What follows the second `::` of a workflow command. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** The value of a property of a workflow command. */
function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
