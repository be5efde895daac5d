import { openProject } from '../../../compose/config/project.ts';
import { AssayError } from '../../../domain/errors.ts';
import type { ComparisonPlan } from '../../../report/compare/plan-comparison.ts';
import { type Block, list, text } from '../../../shared/blocks/block.ts';
import { counted } from '../../../shared/format.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';
import { numberOption, textOption } from '../options/values.ts';
import { storeOption } from '../project-store.ts';

/** `assay experiment plan`: how many repeats it takes to see a difference. */
export const planRepeats: CliCommand = {
  configure(command) {
    command
      .argument('<a>', 'a run that shows how much trials vary: an id, `latest`, a baseline, or a file')
      .argument('[b]', 'a second run, to measure how much the change differs between cases')
      .option(
        '--difference <x>',
        'difference to detect, in the unit of the figure (0.05: 5 points)',
        numberOption(0, 1e12, true),
      )
      .option('--metric <name>', 'figure to plan for', textOption, 'pass-rate')
      .option(...storeOption)
      .option('--json', 'print one JSON document');
  },
  async run({ args, options, context }) {
    const { sidePlaces } = await import('../project-store.ts');
    const { collected, findSide } = await import('../../../compose/compare/find-side.ts');
    const { planComparison } = await import('../../../report/compare/plan-comparison.ts');
    const project = await openProject(context.cwd, context.env);
    await using places = sidePlaces(context, options.store as string | undefined, project);
    const [a = '', b] = args;
    const sides = [await collected(await findSide(a, places))];
    if (b !== undefined) sides.push(await collected(await findSide(b, places)));
    const [first, second] = sides;
    if (!first) throw new AssayError('INTERNAL', 'The run to plan from could not be read.');
    const wanted = { metric: options.metric as string, difference: options.difference as number | undefined };
    const plan = planComparison(first, second, wanted);
    const text = options.json
      ? `${JSON.stringify(plan, null, 2)}\n`
      : await planText(plan, context.stdout.columns || undefined);
    await write(context.stdout, text);
    return plan.plan === null ? 3 : 0;
  },
};

async function planText(
  { metric, unit, difference, cases, unitKind, repeats, plan, notes }: ComparisonPlan,
  width: number | undefined,
): Promise<string> {
  const { boundText, effortText, planSizeText } = await import('../../../report/compare/figure-words.ts');
  const { drawText } = await import('../../../shared/blocks/draw-text.ts');
  const drawn = (title: string, blocks: readonly Block[] = []): string =>
    drawText([{ title, level: 1, blocks: [...blocks, list(notes)] }], { color: false, width });
  const wanted = `${boundText(difference, unit)}${unit === 'share' ? ' points' : ''}`;
  if (!plan) return drawn('No plan is possible.');
  const observed = `Observed: ${counted(cases, 'case')}, ${repeats === 1 ? 'one try' : `${repeats} tries`} each.`;
  const size = planSizeText(plan, { cases, unitKind, tries: repeats });
  const enough = plan.repeats === null ? `More repeats will not help; it takes at least ${size}` : `It takes ${size}`;
  return drawn(`To detect a difference of ${wanted} in ${metric} with 80 % power:`, [
    text(`${enough}${effortText(plan)}.`),
    text(observed),
  ]);
}
