import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CalibrationLabel, calibrationLabelSchema } from '../../../score/judge/calibration.ts';
import { isRecord } from '../../../shared/json.ts';
import { createFile, KeyLocks, replaceFile } from '../files/write-file.ts';

/** A rater's label of a trial; null removes it. */
interface LabelChange {
  readonly trialId: string;
  readonly rater: string;
  readonly label: CalibrationLabel['label'] | null;
  /** Undefined leaves the note as it is; an empty one takes it away. */
  readonly note?: string | undefined;
  /** Whether the verdict was in sight. */
  readonly sawVerdict?: boolean | undefined;
}

/** The labels in a text; lines that are none are passed over. */
export function labelsIn(text: string): CalibrationLabel[] {
  return text.split('\n').flatMap((line) => {
    const { trialId, label, rater, note, sawVerdict } = dataOf(line) ?? {};
    const parsed = calibrationLabelSchema.safeParse({ trialId, label, rater, note, sawVerdict });
    return parsed.success ? [parsed.data] : [];
  });
}

/** The text with one line for the trial and the rater, where they had one or else at the end; all others stay as they are. */
export function withLabel(text: string, change: LabelChange): string {
  const lines = text.split('\n');
  const own = lines.flatMap((line, index) => (isAbout(line, change) ? [index] : []));
  const [first] = own;
  const line = change.label === null ? undefined : lineOf(dataOf(lines[first ?? -1] ?? '') ?? {}, change);
  const kept = lines.flatMap((each, index) => {
    if (index === first && line !== undefined) return [each.endsWith('\r') ? `${line}\r` : line];
    return own.includes(index) ? [] : [each];
  });
  return first === undefined && line !== undefined ? appended(text, line) : kept.join('\n');
}

function appended(text: string, line: string): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  return text === '' || text.endsWith('\n') ? `${text}${line}${end}` : `${text}${end}${line}${end}`;
}

function isAbout(line: string, { trialId, rater }: LabelChange): boolean {
  const data = dataOf(line);
  return data?.trialId === trialId && (data.rater ?? '') === rater;
}

/** A blind label that stays the same stays blind; one that was given beside the verdict never becomes blind. */
function lineOf(before: Record<string, unknown>, change: LabelChange): string {
  const { trialId, rater, label, note } = change;
  const kept = note ?? before.note;
  const sawVerdict = before.sawVerdict === true || (change.sawVerdict === true && before.label !== label);
  return JSON.stringify({
    ...before,
    trialId,
    label,
    rater: rater === '' ? undefined : rater,
    note: kept === '' ? undefined : kept,
    sawVerdict: sawVerdict || undefined,
  });
}

function dataOf(line: string): Record<string, unknown> | undefined {
  try {
    const data: unknown = JSON.parse(line);
    return isRecord(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Where labels are kept in a project; `assay score calibrate` reads it. */
export const labelFileName = 'assay.labels.jsonl';

/** The labels that people gave, one line each. */
export class LabelFile {
  readonly #file: string;
  readonly #locks = new KeyLocks();

  constructor(folder: string) {
    this.#file = join(folder, labelFileName);
  }

  async read(): Promise<CalibrationLabel[]> {
    return labelsIn((await this.#text()) ?? '');
  }

  async change(change: LabelChange): Promise<void> {
    await this.#locks.run(this.#file, async () => {
      const before = await this.#text();
      const after = Buffer.from(withLabel(before ?? '', change));
      if (before === undefined) {
        if (after.length > 0) await createFile(this.#file, after);
      } else await replaceFile(this.#file, after);
    });
  }

  async #text(): Promise<string | undefined> {
    try {
      return await readFile(this.#file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }
}
