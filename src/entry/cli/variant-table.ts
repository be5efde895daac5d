import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findSide, type SidePlaces } from '../../compose/compare/find-side.ts';
import { knownVariant } from '../../compose/compare/two-sides.ts';
import { writeReportFile } from '../../compose/run/write-reports.ts';
import { AssayError } from '../../domain/errors.ts';
import { type RunHeader, summarizeRun } from '../../domain/run.ts';
import type { Variant } from '../../domain/variant.ts';
import type { Store } from '../../keep/store/store.ts';
import type { CollectedSide } from '../../report/compare/collected-side.ts';
import { isChange } from '../../report/compare/figure-words.ts';
import { collectSidesBy } from '../../report/compare/side-collector.ts';
import { pairAnswer } from '../../report/compare/variants/pair-answers.ts';
import type { ComparedBy, VariantTable } from '../../report/compare/variants/variant-table.ts';
import { sidesOfRun, tableOfSides } from '../../report/compare/variants/variants-of-run.ts';
import { htmlReporter } from '../../report/reporters/html/html.ts';
import { variantFormats } from '../../report/reporters/variants/index.ts';
import { suggestion } from '../../shared/suggest.ts';
import { type CliContext, styleOf, write } from './context.ts';
import { type FigureFlags, figureChoice } from './options/figures.ts';

/** The variants of a run, which is not stored if it comes from a file. */
export interface VariantsOfRun {
  readonly sides: readonly CollectedSide[];
  readonly stored: { readonly run: RunHeader; readonly store: Store } | undefined;
}

export async function variantsOf(what: string, by: keyof Variant, places: SidePlaces): Promise<VariantsOfRun> {
  const found = await findSide(what, places);
  if (found.kind === 'baseline') throw new AssayError('USAGE', 'The variants of a baseline cannot be compared.');
  const { stored, source } = found;
  const sides = stored
    ? await sidesOfRun(stored.run, stored.store, by)
    : [...(await collectSidesBy(source, by)).values()];
  return { sides, stored };
}

interface TableFlags extends FigureFlags {
  readonly by: ComparedBy;
  readonly reference?: string;
  readonly force?: boolean;
  readonly failOn?: 'worse' | 'not-better' | 'changed';
  readonly format?: readonly string[];
  readonly output?: string;
  readonly json?: boolean;
}

/** Writes the table of all variants and gives the exit code. */
export async function compareAllVariants(
  { sides, stored }: VariantsOfRun,
  flags: TableFlags,
  context: CliContext,
): Promise<number> {
  const labels = sides.map(({ label }) => label);
  checkRequest(labels, sides, flags);
  const choice = { ...figureChoice(flags), by: flags.by, reference: flags.reference, force: flags.force };
  const table = tableOfSides(sides, stored?.run, choice);
  await writeTable(table, flags, context);
  if (!flags.json && flags.format?.includes('html')) await writePage(table, stored, flags, context);
  const exitCode = exitCodeOf(table, flags);
  return exitCode === 0 && sides.some(({ absent }) => absent !== undefined) ? 3 : exitCode;
}

function checkRequest(
  labels: readonly string[],
  sides: readonly CollectedSide[],
  { by, reference, metric = [] }: TableFlags,
): void {
  if (labels.length < 2) {
    throw new AssayError('USAGE', `The run has one variant by ${by}.`, { hint: 'Compare two runs instead.' });
  }
  if (reference !== undefined) knownVariant(reference, labels, by);
  const names = new Set(sides.flatMap(({ cases }) => cases.flatMap(({ figures }) => [...figures.keys()])));
  const unknown = metric.find((name) => !names.has(name));
  if (unknown === undefined || names.size === 0) return;
  throw new AssayError('USAGE', `There is no figure "${unknown}".`, { hint: suggestion(unknown, [...names]) });
}

async function writeTable(
  table: VariantTable,
  { json, format, output }: TableFlags,
  context: CliContext,
): Promise<void> {
  const names = (json ? ['json'] : (format ?? ['console'])).filter((name) => name !== 'html');
  for (const name of names) {
    const found = variantFormats.find((each) => each.name === name);
    if (!found) continue;
    const render = await found.load();
    if (json || name === 'console' || (output === undefined && names.length === 1)) {
      await write(context.stdout, render(table, styleOf(context.stdout, context.env)));
      continue;
    }
    const folder = resolve(context.cwd, output ?? '.');
    await mkdir(folder, { recursive: true });
    const path = join(folder, found.fileName);
    await writeFile(path, render(table, { color: false }));
    await write(context.stderr, `  ${name}: ${path}\n`);
  }
}

/** The page of the run with the table in it. */
async function writePage(
  variants: VariantTable,
  stored: VariantsOfRun['stored'],
  { output }: TableFlags,
  { cwd, stderr }: CliContext,
): Promise<void> {
  if (!stored) {
    throw new AssayError('USAGE', 'The run is not in the store, so its trials have no page.', {
      hint: 'Write the table as markdown or json instead.',
    });
  }
  const { run, store } = stored;
  const summary = summarizeRun(run, await store.countTrials(run.runId), Date.now());
  const page = { ...htmlReporter, fileName: 'variants.html' };
  const path = await writeReportFile(
    page,
    { store, summary, variants, opensWith: 'variants' },
    resolve(cwd, output ?? '.'),
  );
  await write(stderr, `  html: ${path}\n`);
}

/** The main figure decides, or each figure of --metric. */
function exitCodeOf({ variants, question }: VariantTable, { failOn, metric }: TableFlags): number {
  const rows = variants.filter(({ isReference }) => !isReference);
  if (rows.every(({ notComparable }) => notComparable !== null)) return 2;
  const wanted = metric ?? [question];
  const answers = rows.flatMap(({ differences }) =>
    differences.filter(({ name }) => wanted.includes(name)).map(pairAnswer),
  );
  if (answers.length === 0) return 3;
  switch (failOn) {
    case 'worse':
      return answers.includes('worse') ? 1 : 0;
    case 'not-better':
      return answers.every((answer) => answer === 'better') ? 0 : 1;
    case 'changed':
      return answers.some(isChange) ? 1 : 0;
    default:
      return 0;
  }
}
