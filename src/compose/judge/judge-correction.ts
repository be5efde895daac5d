import * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import type { CollectedSide } from '../../report/compare/collected-side.ts';
import type { JudgeCorrection } from '../../report/compare/corrected-pass-rate.ts';
import { judgeKey, severalJudges } from '../../report/compare/deciding-judge.ts';
import { lazySchema } from '../../shared/lazy-schema.ts';
import { type JudgeErrors, leastDiscrimination } from '../../shared/stats/correct-judge.ts';
import { readCalibrations } from './calibrations.ts';

const count = z.number().int().min(0);
const confusionSchema = lazySchema(() =>
  z.object({ bothPass: count, bothFail: count, judgePassHumanFail: count, judgeFailHumanPass: count }),
);

/** Error rates of all judges that decided trials of these sides; refuses judges whose errors are not known. */
export async function judgeCorrection(folder: string, sides: readonly CollectedSide[]): Promise<JudgeCorrection> {
  if (sides.some(({ lacksVerdicts }) => lacksVerdicts)) {
    throw new AssayError('USAGE', 'A baseline does not contain verdicts of a judge, so they cannot be corrected.', {
      hint: 'Compare two runs of the store, or leave out --correct-judge.',
    });
  }
  const judges = new Set<string>();
  for (const { cases } of sides)
    for (const { verdicts } of cases) for (const judge of verdicts?.keys() ?? []) judges.add(judge);
  if (judges.size === 0) {
    throw new AssayError('USAGE', 'No judge decided a trial of these runs, so there is nothing to correct.', {
      hint: 'Leave out --correct-judge.',
    });
  }
  if (judges.has(severalJudges)) {
    throw new AssayError('USAGE', 'Several judges decided the same trials, so the errors of one do not explain them.', {
      hint: 'Leave out --correct-judge.',
    });
  }
  const kept = (await readCalibrations(folder)) ?? [];
  return new Map([...judges].map((key) => [key, errorsOf(key, kept)]));
}

function errorsOf(
  key: string,
  kept: NonNullable<Awaited<ReturnType<typeof readCalibrations>>>,
): JudgeErrors & { readonly model: string } {
  const found = kept.find(({ identity }) => judgeKey(identity) === key);
  const { model } = JSON.parse(key) as { model: string };
  const confusion = found && confusionSchema.safeParse(found.confusion);
  if (!confusion?.success) {
    throw new AssayError('USAGE', `The judge ${model} is not calibrated with its present rubric and prompt.`, {
      hint: 'Label some of its trials, and run `assay score calibrate`.',
    });
  }
  const { bothPass, bothFail, judgePassHumanFail, judgeFailHumanPass } = confusion.data;
  const errors = {
    falsePasses: { count: judgePassHumanFail, of: judgePassHumanFail + bothFail },
    falseFails: { count: judgeFailHumanPass, of: judgeFailHumanPass + bothPass },
  };
  if (leastDiscrimination(errors) <= 0) {
    throw new AssayError(
      'USAGE',
      `Too few labels, or too many errors: the judge ${model} may be no better than chance.`,
      {
        hint: `Label more trials that passed and more that failed; there are ${errors.falseFails.of} and ${errors.falsePasses.of}.`,
      },
    );
  }
  return { model, ...errors };
}
