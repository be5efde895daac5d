import { relative } from 'node:path';
import { writeBaseline } from '../../../compose/compare/baseline-file.ts';
import { collected, findSide } from '../../../compose/compare/find-side.ts';
import { openProject } from '../../../compose/config/project.ts';
import { AssayError } from '../../../domain/errors.ts';
import { checkRegressions } from '../../../report/compare/regressions.ts';
import { counted } from '../../../shared/format.ts';
import { didYouMean } from '../../../shared/suggest.ts';
import { baselineExitCode, regressionText } from '../check-baseline.ts';
import type { CliCommand, Invocation } from '../command.ts';
import { hasColor, write } from '../context.ts';
import { addFigureOptions, type FigureFlags, figureChoice } from '../options/figures.ts';
import { shareOption, textOption } from '../options/values.ts';
import { sidePlaces, storeOption } from '../project-store.ts';

interface BaselineFlags extends FigureFlags {
  readonly name: string;
  readonly maxCostRise?: number;
  readonly anyBreak?: boolean;
  readonly force?: boolean;
  readonly store?: string;
  readonly json?: boolean;
}

/** Sets a baseline, or holds a run against one. */
async function baselineAction(invocation: Invocation): Promise<number> {
  const [action = ''] = invocation.args;
  if (action === 'set') return setBaseline(invocation);
  if (action === 'check') return checkAgainst(invocation);
  const hint = didYouMean(action, ['set', 'check']) ?? 'It can be set and checked.';
  throw new AssayError('USAGE', `A baseline cannot be "${action}".`, { hint });
}

async function setBaseline({ args, options: given, context }: Invocation): Promise<number> {
  const { name, store, json } = given as unknown as BaselineFlags;
  if (!/^\w[\w.-]*$/.test(name)) {
    throw new AssayError('USAGE', `"${name}" cannot be the name of a baseline.`, {
      hint: 'Use letters, digits, dots, dashes and underscores: it becomes part of the name of a file.',
    });
  }
  const project = await openProject(context.cwd, context.env);
  await using places = sidePlaces(context, store, project);
  const side = await collected(await findSide(args[1] ?? 'latest', places));
  const judged = side.totals.passed + side.totals.failed;
  if (judged === 0) {
    throw new AssayError(
      'NOTHING_TO_RUN',
      `Nothing was judged in ${side.label}, so that it says nothing to later runs.`,
      {
        hint: 'Choose another run: `assay runs` lists them.',
      },
    );
  }
  const path = await writeBaseline(project.folder, name, side);
  const summary = { name, runId: side.run.runId, cases: side.cases.length, judged, file: path };
  const text = `Baseline ${name}: ${counted(side.cases.length, 'case')} of ${side.run.runId}, kept in ${relative(context.cwd, path)}\n`;
  await write(context.stdout, json ? `${JSON.stringify(summary, null, 2)}\n` : text);
  return 0;
}

async function checkAgainst({ args, options: given, context }: Invocation): Promise<number> {
  const options = given as unknown as BaselineFlags;
  const project = await openProject(context.cwd, context.env);
  await using places = sidePlaces(context, options.store, project);
  const before = await collected(await findSide(options.name, places));
  const now = await collected(await findSide(args[1] ?? 'latest', places));
  const { maxCostRise, anyBreak, force } = options;
  const check = checkRegressions(before, now, { ...figureChoice(options), maxCostRise, anyBreak, force });
  const color = hasColor(context.stdout, context.env);
  await write(context.stdout, options.json ? `${JSON.stringify(check, null, 2)}\n` : regressionText(check, color));
  return baselineExitCode(check);
}

/** `assay baseline`: what later runs are held against. */
export const baseline: CliCommand = {
  configure(command) {
    command
      .argument('<set|check>', '`set` keeps a run as the baseline, `check` holds a run against it')
      .argument('[run]', 'a run id or the beginning of one, `latest~1`, or a file of `assay run --json`', 'latest')
      .option('--name <name>', 'of the baseline', textOption, 'default')
      .option('--max-cost-rise <share>', 'check: how much dearer a trial may be, such as 20%', shareOption)
      .option(
        '--any-break',
        'check: a check that broke counts, however few trials show it (tools that always do the same)',
      )
      .option('--force', 'check: in spite of changed scenarios, judges or agents');
    addFigureOptions(command);
    command
      .option(...storeOption)
      .option('--json', 'print one JSON document')
      .addHelpText(
        'after',
        '\nThe baseline is kept in assay.baseline.json (with a name: assay.baseline.<name>.json), to be checked in.\nExit codes of check: 0 nothing got worse, 1 a regression, 2 not comparable,\n3 nothing could be compared.\n',
      );
  },
  async run(invocation) {
    return baselineAction(invocation);
  },
};
