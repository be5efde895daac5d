import { join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { Reporter, StoredRun } from '../../report/reporters/reporter.ts';
import { writePieces } from '../../shared/redacted-files.ts';
import { type Redacted, storedText } from '../../shared/redaction/redacted.ts';
import { suggestion } from '../../shared/suggest.ts';
import { withoutControls } from '../../shared/text.ts';

/** Finds reporters by name, before the run, so a typo costs nothing. */
export function findReporters(names: readonly string[], reporters: readonly Reporter[]): Reporter[] {
  return names.map((name) => {
    const found = reporters.find((reporter) => reporter.name === name);
    if (found) return found;
    throw new AssayError('USAGE', `Unknown reporter "${name}".`, {
      hint: suggestion(
        name,
        reporters.map((reporter) => reporter.name),
      ),
    });
  });
}

/** The pieces of a report, in which texts of others cannot steer the program that shows them. */
async function* shownPieces(reporter: Reporter, run: StoredRun): AsyncGenerator<Redacted, void> {
  for await (const piece of reporter.render(run, { color: false })) yield storedText(withoutControls(piece));
}

/** Writes a report into a folder, whole or not at all; returns its path. */
export async function writeReportFile(reporter: Reporter, run: StoredRun, folder: string): Promise<string> {
  const path = join(folder, reporter.fileName);
  await writePieces(path, shownPieces(reporter, run), { isShared: true });
  return path;
}
