import { InvalidArgumentError } from 'commander';
import { openProject } from '../../../compose/config/project.ts';
import { RunRedaction } from '../../../compose/config/redaction.ts';
import { version } from '../../../compose/program.ts';
import { summarizing } from '../../../compose/summaries/summarizing-store.ts';
import { AssayError } from '../../../domain/errors.ts';
import { formatProblem } from '../../../domain/problem.ts';
import { formatNamed } from '../../../load/imports/choose-format.ts';
import { findImports, ImportProblems } from '../../../load/imports/find-files.ts';
import { importFormats } from '../../../load/imports/formats/index.ts';
import { type Columns, columnRoles } from '../../../load/imports/formats/table/columns.ts';
import { type ImportReport, importRequest, importRun } from '../../../load/imports/import-run.ts';
import { counted } from '../../../shared/format.ts';
import { newRunId } from '../../../shared/ids.ts';
import { redactDeep } from '../../../shared/redaction/redaction.ts';
import { printable } from '../../../shared/text.ts';
import type { CliCommand } from '../command.ts';
import { type CliContext, write } from '../context.ts';
import { numberOption, textOption } from '../options/values.ts';
import { HeapGrowthLimit, Interrupt } from '../process.ts';
import { openStoreForRun, storeOption } from '../project-store.ts';

const shownFiles = 20;

/** `assay import`: transcripts and results made elsewhere become a run. */
export const importCommand: CliCommand = {
  configure(command) {
    const names = importFormats.map(({ name, summary }) => `  ${name.padEnd(22)} ${summary}`).join('\n');
    command
      .argument('[paths...]', 'files, or folders with files')
      .option('--config <file>', 'write the tests of a promptfoo config as scenarios, beside it', textOption)
      .option('-f, --format <name>', 'format of the files', textOption, 'auto')
      .option(
        '--columns <columns>',
        'columns of a table, such as case=task,outcome=passed; or `guessed`',
        columnsOption,
      )
      .option(
        '--pass-at <score>',
        'scores that are at least this pass (a number alone is not a verdict)',
        numberOption(-1_000_000, 1_000_000),
      )
      .option('--name <name>', 'name of the run', textOption)
      .option(...storeOption)
      .option('--json', 'print one JSON document')
      .addHelpText('after', `\nFormats (\`auto\` recognises each file by what it begins with):\n${names}\n`);
  },
  async run({ args, options, context }) {
    if (options.config !== undefined)
      return importConfig(options.config as string, args, options.json === true, context);
    if (args.length === 0) throw new AssayError('USAGE', 'No file is named.', { hint: 'See `assay import --help`.' });
    const columns = options.columns as Columns | 'guessed' | undefined;
    const isTable = columns !== undefined && options.format === 'auto';
    const format = formatNamed(isTable ? 'table' : (options.format as string));
    const project = await openProject(context.cwd, context.env);
    const { redact } = new RunRedaction(project, context.env);
    const problems = new ImportProblems();
    using interrupt = new Interrupt(() => context.stderr.write('\n  Stopping: what was read is being stored.\n'));
    using _heap = new HeapGrowthLimit();
    const startedAt = new Date();
    const report = await importRun({
      files: await findImports(args, context.cwd, problems),
      format,
      options: { passAt: options.passAt as number | undefined, columns },
      problems,
      signal: interrupt.signal,
      redact: (finished) => redactDeep(finished, redact),
      openStore: async () => summarizing(await openStoreForRun(context, options.store as string | undefined, project)),
      header: (plan, files) => ({
        runId: newRunId(startedAt),
        startedAt: startedAt.getTime(),
        planned: plan.trialCount,
        assayVersion: version,
        request: importRequest(args, files, options.name as string | undefined),
        scenarios: plan.scenarios(),
      }),
    });
    await printProblems(problems, context);
    await write(context.stdout, options.json ? documentText(report, problems) : reportText(report, problems));
    if (interrupt.signal.aborted) return 130;
    if (!report.summary) return 2;
    return problems.problemCount > 0 ? 3 : 0;
  },
};

/** Scenarios of a config; exit code 3 where tests were left out. */
async function importConfig(
  path: string,
  others: readonly string[],
  isJson: boolean,
  context: CliContext,
): Promise<number> {
  if (others.length > 0)
    throw new AssayError('USAGE', '--config and files with results cannot be imported together.', {
      hint: 'Run the command twice.',
    });
  const { writeNativeScenarios } = await import('../../../compose/cases/native-scenarios.ts');
  const project = await openProject(context.cwd, context.env);
  const { files, scenarios, cases, leftOut, warnings } = await writeNativeScenarios(path, context.cwd, project);
  const lines = [...warnings.map((problem) => `warning: ${formatProblem(problem)}\n`)];
  const missing = leftOut.map((problem) => `no equal: ${formatProblem(problem)}\n`);
  await write(context.stderr, [...lines, ...missing].join(''));
  const document = {
    schema: 'assay.import-config/1',
    files,
    scenarios,
    cases,
    leftOut: leftOut.map(({ at, message }) => ({ ...at, message })),
  };
  const text = [
    ...files.map((file) => `${printable(file)}\n`),
    `\n  ${counted(scenarios, 'scenario')} with ${counted(cases, 'case')}`,
    leftOut.length > 0
      ? `; ${counted(leftOut.length, 'part')} without an equal, so the tests with them were left out`
      : '',
    '\n',
  ];
  await write(context.stdout, isJson ? `${JSON.stringify(document, null, 2)}\n` : text.join(''));
  if (files.length === 0) return 2;
  return leftOut.length > 0 ? 3 : 0;
}

/** `case=task,outcome=passed`, or `guessed`. */
function columnsOption(text: string): Columns | 'guessed' {
  if (text.trim() === 'guessed') return 'guessed';
  const pairs = text.split(',').map((pair): [string, string] => {
    const [, role = '', column = ''] = /^\s*([^=]*?)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    if (column !== '' && columnRoles.some((name) => name === role)) return [role, column];
    throw new InvalidArgumentError(
      `"${pair.trim()}" is not one of ${columnRoles.map((name) => `${name}=…`).join(', ')}.`,
    );
  });
  return Object.fromEntries(pairs);
}

async function printProblems(problems: ImportProblems, context: CliContext): Promise<void> {
  const lines = problems.list.map((problem) => `${problem.isWarning ? 'warning: ' : ''}${formatProblem(problem)}\n`);
  const more = problems.unlistedCount > 0 ? `… and ${counted(problems.unlistedCount, 'more problem')}\n` : '';
  await write(context.stderr, `${lines.join('')}${more}`);
}

function reportText({ files, summary }: ImportReport, { problemCount }: ImportProblems): string {
  if (!summary) return 'Nothing was imported.\n';
  const { pass, fail, error, skipped, planned } = summary.totals;
  const listed = files
    .slice(0, shownFiles)
    .map(({ file, format, trials }) => `  ${printable(file)}: read as ${format}, ${counted(trials, 'trial')}\n`);
  const more = files.length > shownFiles ? `  … and ${counted(files.length - shownFiles, 'more file')}\n` : '';
  const parts = [
    `${pass} passed`,
    ...(fail > 0 ? [`${fail} failed`] : []),
    ...(error > 0 ? [`${error} could not be judged`] : []),
    ...(skipped > 0 ? [`${skipped} without a recorded outcome`] : []),
  ];
  const incomplete = files.reduce((sum, file) => sum + file.incomplete, 0);
  const missing = [
    ...(problemCount > 0 ? [`  ${counted(problemCount, 'part')} could not be read: trials may be missing\n`] : []),
    ...(incomplete > 0
      ? [
          `  ${counted(incomplete, 'trial')} not complete: see the gaps in ${incomplete === 1 ? 'its trace' : 'their traces'}\n`,
        ]
      : []),
  ];
  const totals = `  ${counted(planned, 'trial')}: ${parts.join(', ')}\n`;
  return `${listed.join('')}${more}\n${totals}${missing.join('')}  run ${summary.run.runId}\n`;
}

function documentText({ files, summary }: ImportReport, problems: ImportProblems): string {
  const run = summary?.run;
  const document = {
    schema: 'assay.import/1',
    runId: run?.runId ?? null,
    ...(run?.request.name !== undefined && { name: run.request.name }),
    totals: summary?.totals ?? { planned: 0, pass: 0, fail: 0, error: 0, skipped: 0, notRun: 0 },
    files,
    problems: problems.list.map(({ at, message, isWarning }) => ({ ...at, message, isWarning })),
    unlistedProblems: problems.unlistedCount,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
