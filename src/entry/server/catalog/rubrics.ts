import { readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { discoverFiles } from '../../../load/scenarios/discover.ts';
import { decodeText, parseSource } from '../../../load/sources/source-file.ts';
import type { RubricList } from '../api/project.ts';
import { fileProblems, looksLikeRubric, problemsIn, rubricProblems } from '../files/check-text.ts';

type RubricItem = RubricList['items'][number];

const mostBytes = 1_000_000;
const mostFiles = 5_000;

/** The rubrics of a project; a file is read again when it has changed. */
export class RubricCatalog {
  readonly #folder: string;
  #known = new Map<string, { readonly stamp: string; readonly item: RubricItem | undefined }>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async read(): Promise<RubricItem[]> {
    const { files } = await discoverFiles(['.'], this.#folder);
    const entries = new Map(await Promise.all(files.slice(0, mostFiles).map(({ file }) => this.#entry(file))));
    this.#known = entries;
    return [...entries.values()].flatMap(({ item }) => item ?? []);
  }

  async #entry(file: string) {
    const path = join(this.#folder, file);
    const found = await stat(path).catch(() => undefined);
    const stamp = `${found?.mtimeMs}:${found?.size}:${found?.ino}`;
    const cached = this.#known.get(file);
    if (cached?.stamp === stamp) return [file, cached] as const;
    const isRead = found !== undefined && found.size <= mostBytes;
    return [file, { stamp, item: isRead ? await rubricItem(file.replaceAll('\\', '/'), path) : undefined }] as const;
  }
}

async function rubricItem(file: string, path: string): Promise<RubricItem | undefined> {
  try {
    const source = await parseSource(file, decodeText(file, await readFile(path)));
    if (!looksLikeRubric(source.value)) return undefined;
    const { criteria, title, name, passThreshold, pass_threshold } = source.value;
    const threshold = passThreshold ?? pass_threshold;
    return {
      file,
      title: [title, name].find((text) => typeof text === 'string' && text !== '')?.toString() ?? titleOf(file),
      criteria: Array.isArray(criteria) ? criteria.length : 0,
      passThreshold: typeof threshold === 'number' ? threshold : null,
      problems: fileProblems(file, rubricProblems(source)),
    };
  } catch (error) {
    // A file that does not parse can be recognised only by its name.
    if (!/rubric/i.test(basename(file))) return undefined;
    return {
      file,
      title: titleOf(file),
      criteria: 0,
      passThreshold: null,
      problems: fileProblems(file, problemsIn(error, file)),
    };
  }
}

function titleOf(file: string): string {
  return basename(file, extname(file));
}
