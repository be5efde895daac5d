import { relative } from 'node:path';
import { writeBaseline } from '../../../compose/compare/baseline-file.ts';
import { bestOfSeveral } from '../../../compose/compare/best-of-several.ts';
import { collected, findSide } from '../../../compose/compare/find-side.ts';
import { openProject } from '../../../compose/config/project.ts';
import { projectRedaction } from '../../../compose/config/redaction.ts';
import { AssayError } from '../../../domain/errors.ts';
import { allMarks, distanceOf } from '../../../domain/marks.ts';
import type { CollectedSide } from '../../../report/compare/collected-side.ts';
import type { Question } from '../../../report/compare/comparison.ts';
import { checkRegressions } from '../../../report/compare/regressions.ts';
import { counted } from '../../../shared/format.ts';
import { didYouMean } from '../../../shared/suggest.ts';
import { baselineExitCode, regressionText } from '../check-baseline.ts';
import type { CliCommand, Invocation } from '../command.ts';
import { hasColor, write } from '../context.ts';
import { addFigureOptions, type FigureFlags, figureChoice, questionOption } from '../options/figures.ts';
import { shareOption, textOption } from '../options/values.ts';
import { sidePlaces, storeOption } from '../project-store.ts';

interface BaselineFlags extends FigureFlags {
  readonly name: string;
  readonly maxCostRise?: number;
  readonly anyBreak?: boolean;
  readonly question?: Question;
  readonly force?: boolean;
  readonly store?: string;
  readonly json?: boolean;
}

/** Sets a baseline, or holds a run against one. */
async function baselineAction(invocation: Invocation): Promise<number> {
  const [action = ''] = invocation.args;
  if (action === 'set') return setBaseline(invocation);
  if (action === 'check') return checkAgainst(invocation);
  const hint = didYouMean(action, ['set', 'check']) ?? 'Use `assay baseline set` or `assay baseline check`.';
  throw new AssayError('USAGE', `Unknown action "${action}".`, { hint });
}

async function setBaseline({ args, options: given, context }: Invocation): Promise<number> {
  const { name, store, json } = given as unknown as BaselineFlags;
  if (!/^\w[\w.-]*$/.test(name)) {
    throw new AssayError('USAGE', `Invalid baseline name "${name}".`, {
      hint: 'Use letters, digits, dots, dashes and underscores: the name becomes part of a file name.',
    });
  }
  const project = await openProject(context.cwd, context.env);
  await using places = sidePlaces(context, store, project);
  const found = await findSide(args[1] ?? 'latest', places);
  const side = await collected(found);
  if (side.run.origin?.kind === 'edit') {
    throw new AssayError('USAGE', `${side.label} tried an edited input, so it cannot be a baseline.`, {
      hint: 'Choose another run; `assay runs` lists them.',
    });
  }
  if (side.absent !== undefined) {
    const missing = `${side.absent} of ${counted(side.run.planned, 'planned trial')}`;
    throw new AssayError('RUN_INCOMPLETE', `${missing} of ${side.label} have no record, so it cannot be a baseline.`);
  }
  const judged = side.totals.passed + side.totals.failed;
  if (judged === 0) {
    throw new AssayError('NOTHING_TO_RUN', `No trial of ${side.label} was judged, so it cannot be a baseline.`, {
      hint: 'Choose another run; `assay runs` lists them.',
    });
  }
  refuseStandIns(side);
  const path = await writeBaseline(project.folder, name, side, projectRedaction(project, context.env));
  const stored = found.kind === 'run' ? found.stored : undefined;
  const warning = stored && (await bestOfSeveral(stored.run, stored.store));
  const summary = {
    name,
    runId: side.run.runId,
    cases: side.cases.length,
    judged,
    file: path,
    ...(warning && { warning }),
  };
  const text = `Baseline ${name}: ${counted(side.cases.length, 'case')} of ${side.run.runId}, saved in ${relative(context.cwd, path)}\n`;
  await write(context.stdout, json ? `${JSON.stringify(summary, null, 2)}\n` : text);
  if (warning !== undefined) await write(context.stderr, `warning: ${warning}\n`);
  return 0;
}

/** Later runs would be held against something else than the real tool. An arm with faults or attacks stands beside one without. */
function refuseStandIns({ label, controls }: CollectedSide): void {
  const kinds = [...new Set([...controls.values()].flatMap((each) => [...each]))];
  const distances = kinds.map((marks) => distanceOf(allMarks.filter((mark) => marks.includes(mark))));
  if (!distances.includes(1) && distances.includes(0)) return;
  const found = kinds.filter((marks) => marks !== '');
  throw new AssayError('USAGE', `Trials of ${label} are ${found.join(' or ')}, so it cannot be a baseline.`, {
    hint: 'Choose a run with the real tools; `assay runs` lists them.',
  });
}

async function checkAgainst({ args, options: given, context }: Invocation): Promise<number> {
  const options = given as unknown as BaselineFlags;
  const project = await openProject(context.cwd, context.env);
  await using places = sidePlaces(context, options.store, project);
  const before = await collected(await findSide(options.name, places));
  const now = await collected(await findSide(args[1] ?? 'latest', places));
  const { maxCostRise, anyBreak, force, question } = options;
  const rules = { ...figureChoice(options), maxCostRise, anyBreak, force, question };
  const check = checkRegressions(before, now, rules);
  const color = hasColor(context.stdout, context.env);
  await write(context.stdout, options.json ? `${JSON.stringify(check, null, 2)}\n` : regressionText(check, color));
  return baselineExitCode(check);
}

/** `assay baseline`: what later runs are held against. */
export const baseline: CliCommand = {
  configure(command) {
    command
      .argument('<set|check>', '`set` saves a run as the baseline, `check` compares a run with it')
      .argument('[run]', 'a run id or the beginning of one, `latest~1`, or a file of `assay run --json`', 'latest')
      .option('--name <name>', 'name of the baseline', textOption, 'default')
      .option('--max-cost-rise <share>', 'check: allowed increase in mean cost per trial, e.g. 20%', shareOption)
      .option('--any-break', 'check: report a broken assertion even if few trials show it (for deterministic tools)')
      .addOption(questionOption())
      .option('--force', 'check: compare although scenarios, judges or agents changed');
    addFigureOptions(command);
    command
      .option(...storeOption)
      .option('--json', 'print one JSON document')
      .addHelpText(
        'after',
        '\nThe baseline is saved in assay.baseline.json (with a name: assay.baseline.<name>.json). Commit that file.\nExit codes of check: 0 nothing got worse, 1 a regression, 2 not comparable,\n3 trials have no result, or nothing could be compared, and nothing got worse.\n',
      );
  },
  async run(invocation) {
    return baselineAction(invocation);
  },
};
