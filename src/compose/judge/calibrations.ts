import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import type { JudgeResult } from '../../domain/judge-result.ts';
import {
  type Calibration,
  calibrationWarning,
  type JudgeIdentity,
  type LabelledAnswer,
} from '../../score/judge/calibration.ts';
import { lazySchema } from '../../shared/lazy-schema.ts';
import { writeWhole } from '../../shared/redacted-files.ts';
import { redactedText } from '../../shared/redaction/redacted.ts';
import { type Redact, redactedJson } from '../../shared/redaction/redaction.ts';

const fileName = 'assay.calibration.json';

const identitySchema = lazySchema(() =>
  z.object({
    mode: z.string(),
    model: z.string(),
    promptVersion: z.string(),
    rubricHash: z.string(),
  }),
);
const fileSchema = lazySchema(() => z.object({ calibrations: z.array(z.looseObject({ identity: identitySchema })) }));
type KeptCalibration = z.infer<typeof fileSchema>['calibrations'][number];

/** The judge that gave an answer; undefined when none did. */
export function identityOf(result: JudgeResult): JudgeIdentity | undefined {
  const { mode, model, promptVersion, rubricHash } = result;
  return model === undefined || rubricHash === undefined ? undefined : { mode, model, promptVersion, rubricHash };
}

/** The verdict of a judge on a trial, with those of all members of a panel. */
export function verdictOf({ state, panel = [] }: JudgeResult): Pick<LabelledAnswer, 'judge' | 'panel'> {
  return { judge: state, panel: panel.map((member) => member.state) };
}

/** The calibrated judges of a project; undefined when there are no calibrations. */
export async function readCalibrated(folder: string): Promise<readonly JudgeIdentity[] | undefined> {
  return (await readCalibrations(folder))?.map(({ identity }) => identity);
}

/** The calibrations of a project with their figures; undefined when there are none. */
export async function readCalibrations(folder: string): Promise<readonly KeptCalibration[] | undefined> {
  const text = await readFile(join(folder, fileName), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return fileSchema.parse(JSON.parse(text)).calibrations;
  } catch (error) {
    throw new AssayError('FILE_INVALID', `${fileName} is not valid.`, {
      hint: 'Recreate it with `assay score calibrate`.',
      cause: error,
    });
  }
}

/** Writes calibrations beside the config, to be committed; returns the path of the file. */
export async function writeCalibrations(
  folder: string,
  calibrations: readonly Calibration[],
  redact: Redact,
): Promise<string> {
  const file = join(folder, fileName);
  await writeWhole(file, redactedText`${redactedJson({ calibrations }, redact, 2)}\n`, { isShared: true });
  return file;
}

/** Warning about a judge that is not calibrated, in a project with calibrations. */
export function uncalibratedWarning(
  calibrated: readonly JudgeIdentity[] | undefined,
  result: JudgeResult,
): string | undefined {
  const identity = identityOf(result);
  return calibrated && identity ? calibrationWarning(calibrated, identity) : undefined;
}
