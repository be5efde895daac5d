import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const mostPictures = 50;

/** Pictures of pages among the files of a trial. */
export class Pictures {
  readonly #folder: string;
  readonly #isOn: boolean;
  #count = 0;

  constructor(folder: string, isOn: boolean) {
    this.#folder = folder;
    this.#isOn = isOn;
  }

  /** Keeps a picture; gives the name of its file, or undefined where it is not kept. */
  async keep(picture: Buffer): Promise<string | undefined> {
    if (!this.#isOn || this.#count >= mostPictures) return undefined;
    const name = `screenshot-${++this.#count}.jpg`;
    await writeFile(join(this.#folder, name), picture);
    return name;
  }
}
