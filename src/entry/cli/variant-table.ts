import { findSide, type SidePlaces } from '../../compose/compare/find-side.ts';
import { knownVariant } from '../../compose/compare/two-sides.ts';
import { AssayError } from '../../domain/errors.ts';
import type { RunHeader } from '../../domain/run.ts';
import type { Variant } from '../../domain/variant.ts';
import type { Store } from '../../keep/store/store.ts';
import type { CollectedSide } from '../../report/compare/collected-side.ts';
import { isChange } from '../../report/compare/figure-words.ts';
import { collectSidesBy } from '../../report/compare/side-collector.ts';
import { pairAnswer } from '../../report/compare/variants/pair-answers.ts';
import type { ComparedBy, VariantTable } from '../../report/compare/variants/variant-table.ts';
import { sidesOfRun, tableOfSides } from '../../report/compare/variants/variants-of-run.ts';
import { suggestion } from '../../shared/suggest.ts';
import type { CliContext } from './context.ts';
import { type FigureFlags, figureChoice } from './options/figures.ts';
import { type DocumentFlags, wantsPage, writeDocument, writePage } from './write-document.ts';

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

interface TableFlags extends FigureFlags, DocumentFlags {
  readonly by: ComparedBy;
  readonly reference?: string;
  readonly force?: boolean;
  readonly failOn?: 'worse' | 'not-better' | 'changed';
}

/** Writes the table of all variants and gives the exit code. */
export async function compareAllVariants(
  { sides, stored }: VariantsOfRun,
  flags: TableFlags,
  context: CliContext,
): Promise<number> {
  const { by, reference, force } = flags;
  const labels = sides.map(({ label }) => label);
  if (labels.length < 2)
    throw new AssayError('USAGE', `The run has one variant by ${by}.`, { hint: 'Compare two runs instead.' });
  if (reference !== undefined) knownVariant(reference, labels, by);
  checkMetrics(flags, sides);
  const table = tableOfSides(sides, stored?.run, { ...figureChoice(flags), by, reference, force });
  await writeDocument({ name: 'variants', content: table }, flags, context);
  if (wantsPage(flags)) await writePage('variants', stored, { variants: table }, flags, context);
  const exitCode = exitCodeOf(table, flags);
  return exitCode === 0 && sides.some(({ absent }) => absent !== undefined) ? 3 : exitCode;
}

/** A figure that no case has could never fail, so its name is probably wrong. */
export function checkMetrics(
  { metric = [] }: FigureFlags,
  sides: readonly CollectedSide[],
  metrics: readonly { readonly name: string }[] = [],
): void {
  if (metric.length === 0) return;
  const names = new Set<string>();
  for (const { cases } of sides) for (const { figures } of cases) for (const name of figures.keys()) names.add(name);
  const unknown = metric.find((name) => !names.has(name) && !metrics.some((known) => known.name === name));
  if (unknown === undefined || names.size === 0) return;
  throw new AssayError('USAGE', `There is no figure "${unknown}".`, { hint: suggestion(unknown, [...names]) });
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
