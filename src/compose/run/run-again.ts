import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { CaseCounts, RunHeader, RunRequest } from '../../domain/run.ts';
import { keptOptions, type RunOptions } from '../../domain/run-options/index.ts';
import { requireRun, requireTrial, type Store } from '../../keep/store/store.ts';
import { wholeCounts } from '../../report/compare/evidence.ts';
import { counted } from '../../shared/format.ts';
import type { StartOptions } from './start-options.ts';

/** The trials to run again: the cases of an earlier run that failed or were flaky, or all of them, or the case of one trial. */
export type AgainChoice = Pick<RunOptions, 'from' | 'failed' | 'flaky' | 'trial'>;

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
  const chosen = wholeCounts(await store.countByCase(runId)).filter(isChosen);
  if (chosen.length > 0) return { runId, cases: chosen.map(caseOf) };
  const what = failed ? 'failed' : 'passed in some trials and failed in others';
  throw new AssayError('NOTHING_TO_RUN', `No case of ${runId} ${what}.`, {
    hint: 'Name another run with --from, or leave out the option to run all cases.',
  });
}

type ChosenCases = NonNullable<RunRequest['only']>;

function caseOf({ file, scenario, caseId, variant }: ChosenCases['cases'][number]): ChosenCases['cases'][number] {
  return { file, scenario, caseId, variant };
}

const originReasons = {
  import: 'Its trials were imported: they ran elsewhere.',
  evaluate: 'Its trials were scored from a trace that was recorded elsewhere.',
  rule: 'Its trials are collected traces, judged by a rule.',
  rescore: 'It scored the traces of another run again, and ran nothing.',
  edit: 'Its input was edited, and is in no file.',
} as const;

/** Why a run, or the trials of one of its files, cannot be run again; undefined where they can. */
export async function whyNotAgain(run: RunHeader, folder: string, file?: string): Promise<string | undefined> {
  const reason = reasonOf(run.request);
  if (reason !== undefined) return reason;
  const files = file === undefined ? [...new Set(run.scenarios.map((scenario) => scenario.file))] : [file];
  const gone = await missingFiles(files, folder);
  const [first] = gone;
  if (first === undefined) return undefined;
  if (gone.length === 1) return `Its file ${first} is gone.`;
  return `${counted(gone.length, 'file')} of it are gone, such as ${first}.`;
}

function reasonOf({ origin, experiment, improvement, recordTools }: RunRequest): string | undefined {
  if (origin) return originReasons[origin.kind];
  if (experiment) return 'It is an experiment: begin a new one, so its looks are planned before its first trial.';
  if (improvement) return `It is a part of the improvement ${improvement.id}, whose texts are in no file.`;
  if (recordTools !== undefined) return `It recorded tool calls in ${recordTools}: again, it would replace them.`;
  return undefined;
}

async function missingFiles(files: readonly string[], folder: string): Promise<string[]> {
  const isThere = (file: string) =>
    access(resolve(folder, file)).then(
      () => true,
      () => false,
    );
  const found = await Promise.all(files.map(isThere));
  return files.filter((_, index) => !found[index]);
}
