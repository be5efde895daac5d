import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CalibrationLabel } from '../../../score/judge/calibration.ts';
import { KeyLocks } from '../project/key-locks.ts';
import { createFile, replaceFile } from '../project/write-atomically.ts';
import { type LabelChange, labelsIn, withLabel } from './label-lines.ts';

/** Where labels are kept in a project; `assay calibrate` reads it. */
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
