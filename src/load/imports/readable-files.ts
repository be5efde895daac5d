import { chooseFormat } from './choose-format.ts';
import type { FoundImport } from './find-files.ts';
import type { ImportedTrial, ImportFormat } from './import-format.ts';
import { type ImportProblems, problemIn } from './import-problems.ts';
import { ImportSource } from './import-source.ts';
import { readSample } from './sample.ts';

/** A file of which it is known how it is read. */
export interface ReadableFile {
  readonly found: FoundImport;
  readonly format: ImportFormat;
}

interface FilesToRead {
  readonly files: readonly FoundImport[];
  /** Undefined: whatever each file turns out to be. */
  readonly format: ImportFormat | undefined;
  readonly problems: Pick<ImportProblems, 'add'>;
}

/** The files that can be read; of the others it is told why not. */
export async function readableFiles({ files, format: wanted, problems }: FilesToRead): Promise<ReadableFile[]> {
  const readable: ReadableFile[] = [];
  for (const found of files) {
    try {
      const sample = await readSample(found.path, found.file, found.bytes);
      const choice = chooseFormat(sample, found, wanted);
      if ('format' in choice) readable.push({ found, format: choice.format });
      else problems.add(problemIn(found, choice.problem, choice.isWarning));
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? String(error);
      problems.add(problemIn(found, `it cannot be read (${reason})`, false));
    }
  }
  return readable;
}

/** The trials of a file; one that can no longer be read ends there, and that is told. */
export async function* trialsOf(
  { found, format }: ReadableFile,
  problems: Pick<ImportProblems, 'add'>,
): AsyncGenerator<ImportedTrial, void> {
  const { file, path, bytes } = found;
  const source = new ImportSource({ file, path, bytes, problems });
  try {
    for await (const trial of format.read(source)) yield withReports(trial, format);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    source.problem(1, `it cannot be read to its end (${code})`);
  }
}

/** A trial that says what its file would have told; what Assay wrote itself says so already. */
function withReports(trial: ImportedTrial, { reports }: ImportFormat): ImportedTrial {
  if (reports.length === 0) return trial;
  const at = trial.trace.at(-1)?.at ?? 0;
  return { ...trial, trace: [...trial.trace, { type: 'reports', at, seenBy: 'engine', what: [...reports] }] };
}
