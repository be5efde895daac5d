import { join, resolve } from 'node:path';
import { environmentRedaction } from '../../compose/config/redaction.ts';
import { writeReportFile } from '../../compose/run/write-reports.ts';
import { AssayError } from '../../domain/errors.ts';
import { type RunHeader, summarizeRun } from '../../domain/run.ts';
import type { Store } from '../../keep/store/store.ts';
import { documentFormats, documentPieces, type WrittenDocument } from '../../report/reporters/documents.ts';
import { htmlReporter } from '../../report/reporters/index.ts';
import type { StoredRun } from '../../report/reporters/reporter.ts';
import { writePieces } from '../../shared/redacted-files.ts';
import type { Redacted } from '../../shared/redaction/redacted.ts';
import { suggestion } from '../../shared/suggest.ts';
import { type CliContext, styleOf, write } from './context.ts';

/** Where a document goes, and in which forms. */
export interface DocumentFlags {
  /** Names of `documentFormats`, or `html`: the page of the run with the document in it. */
  readonly format?: readonly string[];
  readonly output?: string;
  readonly json?: boolean;
}

/** The page of a run with the document in it. */
const pageFormat = 'html';

/** The formats of a request; before anything is paid for, an unknown name is refused. */
export function formatsOf({ json, format }: DocumentFlags): readonly string[] {
  const names = json ? ['json'] : (format ?? ['console']);
  const available = [...Object.keys(documentFormats), pageFormat];
  const unknown = names.find((name) => !available.includes(name));
  if (unknown === undefined) return names;
  throw new AssayError('USAGE', `Unknown format "${unknown}".`, { hint: suggestion(unknown, available) });
}

export function wantsPage(flags: DocumentFlags): boolean {
  return formatsOf(flags).includes(pageFormat);
}

/** Writes a document in its formats: text for people and a single format to stdout, others into files. */
export async function writeDocument(
  document: WrittenDocument,
  flags: DocumentFlags,
  context: CliContext,
): Promise<void> {
  const { json, output } = flags;
  const formats = formatsOf(flags).filter((name) => name !== pageFormat);
  for (const format of formats) {
    if (json || format === 'console' || (output === undefined && formats.length === 1)) {
      const style = styleOf(context.stdout, context.env);
      for await (const piece of documentPieces(document, format, style)) await write(context.stdout, piece);
      continue;
    }
    const folder = resolve(context.cwd, output ?? '.');
    const path = join(folder, `${document.name}.${documentFormats[format]}`);
    await writePieces(path, redactedPieces(document, format, context.env), { isShared: true });
    await write(context.stderr, `  ${format}: ${path}\n`);
  }
}

async function* redactedPieces(
  document: WrittenDocument,
  format: string,
  env: CliContext['env'],
): AsyncGenerator<Redacted, void> {
  const redact = environmentRedaction(env);
  for await (const piece of documentPieces(document, format, { color: false })) yield redact(piece);
}

/** Writes the page of a run, which opens with the document. */
export async function writePage(
  name: WrittenDocument['name'],
  stored: { readonly run: RunHeader; readonly store: Store } | undefined,
  content: Pick<StoredRun, 'comparison' | 'variants' | 'ranking'>,
  { output }: DocumentFlags,
  { cwd, stderr }: CliContext,
): Promise<void> {
  const { run, store } = requireStored(name, stored);
  const summary = summarizeRun(run, await store.countTrials(run.runId), Date.now());
  const page = { ...htmlReporter, fileName: `${name}.html` };
  const opensWith = name === 'comparison' ? 'comparison' : 'variants';
  const path = await writeReportFile(page, { store, summary, ...content, opensWith }, resolve(cwd, output ?? '.'));
  await write(stderr, `  html: ${path}\n`);
}

/** The run of a page: one that comes from a file has no trials to show. */
export function requireStored<Stored>(name: WrittenDocument['name'], stored: Stored | undefined): Stored {
  if (stored !== undefined) return stored;
  throw new AssayError('USAGE', 'The run is not in the store, so its trials have no page.', {
    hint: `Write the ${name} as markdown or json instead.`,
  });
}
