import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import type { JudgeResult } from '../../domain/judge-result.ts';
import { type Calibration, calibrationWarning, type JudgeIdentity } from '../../score/judge/calibration.ts';

const fileName = 'assay.calibration.json';

const identitySchema = z.object({
  mode: z.string(),
  model: z.string(),
  promptVersion: z.string(),
  rubricHash: z.string(),
});
const fileSchema = z.object({ calibrations: z.array(z.looseObject({ identity: identitySchema })) });
type KeptCalibration = z.infer<typeof fileSchema>['calibrations'][number];

/** Which judge answered, as far as an answer tells; undefined when none did. */
export function identityOf(result: JudgeResult): JudgeIdentity | undefined {
  const { mode, model, promptVersion, rubricHash } = result;
  return model === undefined || rubricHash === undefined ? undefined : { mode, model, promptVersion, rubricHash };
}

/** The judges of a project that were compared with people; undefined when nobody ever did. */
export async function readCalibrated(folder: string): Promise<readonly JudgeIdentity[] | undefined> {
  return (await readCalibrations(folder))?.map(({ identity }) => identity);
}

/** The calibrations that a project keeps, with their figures as they were written; undefined when there are none. */
export async function readCalibrations(folder: string): Promise<readonly KeptCalibration[] | undefined> {
  const text = await readFile(join(folder, fileName), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return fileSchema.parse(JSON.parse(text)).calibrations;
  } catch (error) {
    throw new AssayError('FILE_INVALID', `${fileName} cannot be read.`, {
      hint: 'Make it anew with `assay calibrate`.',
      cause: error,
    });
  }
}

/** Keeps calibrations beside the config, to be checked in; gives the path of the file. */
export async function writeCalibrations(folder: string, calibrations: readonly Calibration[]): Promise<string> {
  const file = join(folder, fileName);
  await writeFile(`${file}.tmp`, `${JSON.stringify({ calibrations }, null, 2)}\n`);
  await rename(`${file}.tmp`, file);
  return file;
}

/** What to say of a judge in a project whose judges were compared with people. */
export function uncalibratedWarning(
  known: readonly JudgeIdentity[] | undefined,
  result: JudgeResult,
): string | undefined {
  const identity = identityOf(result);
  return known && identity ? calibrationWarning(known, identity) : undefined;
}
