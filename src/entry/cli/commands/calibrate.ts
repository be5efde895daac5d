import { KeptFeedback } from '../../../compose/collect/kept-feedback.ts';
import { openProject, type Project } from '../../../compose/config/project.ts';
import { projectRedaction } from '../../../compose/config/redaction.ts';
import { identityOf, verdictOf, writeCalibrations } from '../../../compose/judge/calibrations.ts';
import { labelsOfTrials, readLabels } from '../../../compose/judge/labels.ts';
import { judgedTrialId } from '../../../compose/rules/rule-judge.ts';
import { rescoredTrialId } from '../../../compose/run/rescore-trials.ts';
import { AssayError } from '../../../domain/errors.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { requireRun, requireTrial, type Store } from '../../../keep/store/store.ts';
import { readText } from '../../../load/sources/source-file.ts';
import {
  type Calibration,
  type CalibrationLabel,
  calibrate as compare,
  type LabelledAnswer,
} from '../../../score/judge/calibration.ts';
import { type JudgeAgreement, judgeAgreements } from '../../../score/judge/judge-agreement.ts';
import { counted } from '../../../shared/format.ts';
import type { Alpha } from '../../../shared/stats/krippendorff-alpha.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';
import { openProjectStore, storeOption } from '../project-store.ts';

/** `assay score calibrate`: how far the judge agrees with people. */
export const calibrate: CliCommand = {
  configure(command) {
    command
      .argument(
        '[labels]',
        'JSON Lines: {"trialId": "…", "label": "pass" or "fail", "rater"?, "note"?}, or "case" and "scenario"? instead of "trialId"',
      )
      .option('--run <run>', 'the run that labels of cases are about', 'latest')
      .option('--feedback', 'labels of people that were sent to `assay collect`, for the traces that rules judged')
      .option(
        '--rescored <runs...>',
        'also compare the verdicts of runs of `assay score run`, such as with --judge-prompt long, on the same labels',
      )
      .option(...storeOption)
      .option('--json', 'print one JSON document')
      .addHelpText(
        'after',
        '\nThe result is saved in assay.calibration.json; later runs warn if a judge changed since.\n',
      );
  },
  async run({ args, options, context }) {
    const project = await openProject(context.cwd, context.env);
    const [file] = args;
    if ((file === undefined) !== (options.feedback === true))
      throw new AssayError('USAGE', 'Give a file of labels, or --feedback.', {
        hint: 'See `assay score calibrate --help`.',
      });
    const written = file === undefined ? [] : readLabels(file, await readText(file, context.cwd));
    await using store = await openProjectStore(context, options.store as string | undefined, project);
    const labels =
      file === undefined
        ? await sentLabels(project, store)
        : await labelsOfTrials(written, store, options.run as string);
    const rescored = (options.rescored as readonly string[] | undefined) ?? [];
    const answers = await labelledAnswers(labels, store, rescored);
    const calibrations = compare(answers);
    const agreements = judgeAgreements(answers);
    const saved = await writeCalibrations(project.folder, calibrations, projectRedaction(project, context.env));
    const text = options.json
      ? `${JSON.stringify({ calibrations, agreements }, null, 2)}\n`
      : `${[...calibrations.map(calibrationText), ...agreements.map(agreementText)].join('\n')}\nKept in ${saved}\n`;
    await write(context.stdout, text);
    return 0;
  },
};

/** Labels of traces that a rule judged with a model; those of other traces have nothing to be compared with. */
async function sentLabels(project: Project, store: Store): Promise<CalibrationLabel[]> {
  const sent = await new KeptFeedback(project.folder).read();
  const labels: CalibrationLabel[] = [];
  for (const rule of Object.keys(project.config.rules)) {
    for (const { traceId, label, rater } of sent) {
      const record = await store.findTrial(judgedTrialId(rule, traceId));
      if (record?.judge && identityOf(record.judge)) labels.push({ trialId: record.trialId, label, rater });
    }
  }
  if (labels.length > 0) return labels;
  throw new AssayError(
    'NOT_FOUND',
    `None of ${counted(sent.length, 'label')} is of a trace that a rule judged with a model.`,
    {
      hint: 'Send labels to `/v1/feedback` of `assay collect`, or give a file of labels.',
    },
  );
}

async function labelledAnswers(
  labels: readonly CalibrationLabel[],
  store: Store,
  rescoredRuns: readonly string[],
): Promise<LabelledAnswer[]> {
  const answers: LabelledAnswer[] = [];
  const labelled: CalibrationLabel[] = [];
  const add = ({ trialId, label, rater }: CalibrationLabel, { judge }: Pick<TrialRecord, 'judge'>): boolean => {
    const identity = judge ? identityOf(judge) : undefined;
    if (!judge || !identity) return false;
    answers.push({ trialId, rater, human: label, ...verdictOf(judge), identity });
    return true;
  };
  for (const label of labels) {
    const record = await requireTrial(store, label.trialId);
    const ofTrial = { ...label, trialId: record.trialId };
    if (!add(ofTrial, record))
      throw new AssayError('NOT_FOUND', `No judge answered in the trial "${label.trialId}".`, {
        hint: 'Label trials that were judged.',
      });
    labelled.push(ofTrial);
  }
  for (const name of rescoredRuns) {
    const { runId } = await requireRun(store, name);
    const added = answers.length;
    for (const label of labelled) {
      const record = await store.findTrial(rescoredTrialId(runId, label));
      if (record) add(label, record);
    }
    if (answers.length > added) continue;
    throw new AssayError('NOT_FOUND', `No labelled trial was judged again in the run "${runId}".`, {
      hint: 'Give a run of `assay score run` about the run whose trials are labelled.',
    });
  }
  return answers;
}

/** Two judges of the same trials, by the first part in which they differ. */
function agreementText({ judges: [one, other], agreement }: JudgeAgreement): string {
  const differing = (['promptVersion', 'model', 'mode', 'rubricHash'] as const).find(
    (part) => one[part] !== other[part],
  );
  const names = differing ? `${one[differing]} and ${other[differing]}` : 'Both judges';
  const { count, of, interval } = agreement;
  const range = `95 % interval ${share(interval.low)} to ${share(interval.high)}`;
  return `${names} gave the same verdict on ${count} of ${counted(of, 'trial')} (${share(count / of)}, ${range})\n`;
}

function calibrationText({
  identity,
  compared,
  unanswered,
  confusion,
  agreement,
  falsePasses,
  falseFails,
  kappa,
  alpha,
  disputed,
  raterPairs,
}: Calibration): string {
  const percent = ({ count, of, interval }: typeof agreement): string =>
    of === 0
      ? 'no data'
      : `${count} of ${of} (${share(count / of)}, 95 % interval ${share(interval.low)} to ${share(interval.high)})`;
  const kappaText =
    kappa === undefined
      ? 'undefined: all labels are the same'
      : `${kappa.kappa.toFixed(2)} (95 % interval ${kappa.interval.low.toFixed(2)} to ${kappa.interval.high.toFixed(2)})`;
  return [
    `${identity.mode} judge, ${identity.model}, prompt ${identity.promptVersion}, rubric ${identity.rubricHash.slice(0, 12)}`,
    `  compared        ${counted(compared, 'trial')}${unanswered > 0 ? `; no verdict of the judge in ${unanswered} more` : ''}${disputed > 0 ? `; people disagree evenly on ${disputed} more` : ''}`,
    `  agreement       ${percent(agreement)}`,
    `  Cohen's kappa   ${kappaText}`,
    ...raterPairs.map(raterPairLine),
    ...alphaLines(alpha),
    `  false passes    ${percent(falsePasses)}`,
    `  false fails     ${percent(falseFails)}`,
    '                  people: pass   fail',
    `  judge: pass     ${String(confusion.bothPass).padStart(12)} ${String(confusion.judgePassHumanFail).padStart(6)}`,
    `  judge: fail     ${String(confusion.judgeFailHumanPass).padStart(12)} ${String(confusion.bothFail).padStart(6)}`,
    '',
  ].join('\n');
}

/** `  ann, bob        0.82 (95 % interval 0.55 to 0.96; 27 of 30 trials alike)`. */
function raterPairLine({ raters, trials, agreed, kappa }: Calibration['raterPairs'][number]): string {
  const alike = `${agreed} of ${counted(trials, 'trial')} alike`;
  const found = kappa
    ? `${kappa.kappa.toFixed(2)} (95 % interval ${kappa.interval.low.toFixed(2)} to ${kappa.interval.high.toFixed(2)}; ${alike})`
    : `undefined: all labels are the same (${alike})`;
  return `  ${`kappa, ${raters.join(' and ')}`.padEnd(15)} ${found}`;
}

/** Only those that say something: most projects have one rater and one judge. */
function alphaLines({ people, judges, all }: Calibration['alpha']): string[] {
  const line = (name: string, found: Alpha | null): string[] =>
    found ? [`  ${name.padEnd(16)}${alphaText(found)}`] : [];
  const isSeveral = people !== null || judges !== null;
  return [
    ...line('alpha, people', people),
    ...line('alpha, judges', judges),
    ...(isSeveral ? line('alpha, all', all) : []),
  ];
}

function alphaText({ alpha, interval, units }: Alpha): string {
  const [low, high] = [interval.low.toFixed(2), interval.high.toFixed(2)];
  return `${alpha.toFixed(2)} (95 % interval ${low} to ${high}; ${counted(units, 'trial')} rated at least twice)`;
}

function share(value: number): string {
  return `${(value * 100).toFixed(0)} %`;
}
