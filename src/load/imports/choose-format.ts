import { AssayError } from '../../domain/errors.ts';
import { suggestion } from '../../shared/suggest.ts';
import type { FoundImport } from './find-files.ts';
import { importFormats } from './formats/index.ts';
import type { ImportFormat } from './import-format.ts';
import type { Sample } from './sample.ts';

/** A format, or why there is none. */
type Choice = { readonly format: ImportFormat } | { readonly problem: string; readonly isWarning: boolean };

/** The format that the user asked for by name; undefined for `auto`. */
export function formatNamed(name: string): ImportFormat | undefined {
  if (name === 'auto') return undefined;
  const found = importFormats.find((format) => format.name === name);
  if (found) return found;
  const names = ['auto', ...importFormats.map((format) => format.name)];
  throw new AssayError('USAGE', `There is no format "${name}".`, { hint: suggestion(name, names) });
}

/** How a file is read, by what it begins with. In a folder, only what is told to be a transcript is read as text. */
export function chooseFormat(sample: Sample, found: FoundImport, wanted: ImportFormat | undefined): Choice {
  if (sample.isEmpty) return { problem: 'the file is empty', isWarning: !found.isNamed };
  if (sample.isBinary) return { problem: 'this is not a text file', isWarning: !found.isNamed };
  if (wanted) return { format: wanted };
  const format = importFormats.find((candidate) => candidate.recognises(sample));
  if (format && (found.isNamed || format.name !== 'text' || isTranscript(found))) return { format };
  return { problem: 'its format is not recognised; `--format` names it', isWarning: !found.isNamed };
}

function isTranscript({ file }: FoundImport): boolean {
  return /transcript[^/\\]*\.(?:txt|log)$|\.log$/i.test(file);
}
