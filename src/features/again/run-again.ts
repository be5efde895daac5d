import { AssayError } from '../../domain/errors.ts';
import { keptOptions, type RunOptions } from '../../domain/option-values.ts';
import type { CaseCounts, RunHeader, RunRequest } from '../../domain/run.ts';
import type { StartOptions } from '../../engine/feature.ts';
import { whyNotAgain } from '../../engine/why-not-again.ts';
import { requireRun, requireTrial, type Store } from '../../keep/store/store.ts';
import { wholeCounts } from '../../report/compare/evidence.ts';
import { filteredRows, someRow } from '../../shared/rows.ts';

/** The trials to run again: the cases of an earlier run that failed or were flaky, or all of them, or the case of one trial. */
type AgainChoice = Pick<RunOptions, 'from' | 'failed' | 'flaky' | 'trial'>;

/** The options of a run again: those of its run; refused with the reason where that is impossible. */
export async function requestAgain(
  choice: AgainChoice,
  { store, folder }: { readonly store: Store; readonly folder: string },
): Promise<StartOptions> {
  const record = choice.trial === undefined ? undefined : await requireTrial(store, choice.trial);
  const run = await requireRun(store, record?.runId ?? choice.from ?? 'latest');
  const reason = await whyNotAgain(run, folder, record?.file);
  if (reason !== undefined)
    throw new AssayError('NOTHING_TO_RUN', `${run.runId} cannot be run again. ${reason}`, {
      hint: 'Name another run, or scenario files.',
    });
  const kept = keptOptions(run.request, 'again');
  const { scenarios, only } = run.request;
  if (!record && !choice.failed && !choice.flaky) return { ...kept, scenarios, only };
  // The cases are named, so nothing else chooses among them.
  const { tags: _tags, tier: _tier, scenario: _scenario, eval: _eval, ...others } = kept;
  if (record) return { ...others, paths: [record.file], only: { runId: run.runId, cases: [caseOf(record)] } };
  return { ...others, only: await chosenCases(run, choice, store) };
}

async function chosenCases({ runId }: RunHeader, { failed, flaky }: AgainChoice, store: Store): Promise<ChosenCases> {
  const isChosen = ({ pass, fail }: CaseCounts): boolean => fail > 0 && (failed || (flaky === true && pass > 0));
  const counts = wholeCounts(await store.countByCase(runId));
  const chosen = [...filteredRows(counts, isChosen)];
  if (chosen.length > 0) return { runId, cases: chosen.map(caseOf) };
  const what = failed ? 'failed' : 'passed in some trials and failed in others';
  const hasErrors = someRow(counts, ({ unjudged }) => unjudged > 0);
  throw new AssayError('NOTHING_TO_RUN', `No case of ${runId} ${what}.`, {
    hint: hasErrors
      ? `Run those again that could not be judged: \`assay run --resume ${runId} --retry-errors\`.`
      : 'Name another run with --from, or leave out the option to run all cases.',
  });
}

type ChosenCases = NonNullable<RunRequest['only']>;

function caseOf({ file, scenario, caseId, variant }: ChosenCases['cases'][number]): ChosenCases['cases'][number] {
  return { file, scenario, caseId, variant };
}
