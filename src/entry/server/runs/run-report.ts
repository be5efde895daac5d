import { casesOfRun } from '../../../compose/run/cases-of-run.ts';
import { findReporters } from '../../../compose/run/write-reports.ts';
import { summarizeRun } from '../../../domain/run.ts';
import { requireRun } from '../../../keep/store/store.ts';
import type { ServerContext } from '../context.ts';
import { download } from '../download.ts';

/** A report as a file, written while it is sent. */
export async function runReport(runId: string, format: string, context: ServerContext): Promise<Response> {
  const { store } = context;
  const project = await context.project();
  const { parts } = project;
  const [reporter] = findReporters(
    [format],
    parts.reporters.filter(({ name }) => name !== 'console'),
  );
  const run = await requireRun(store, runId);
  const summary = summarizeRun(run, await store.countTrials(run.runId), Date.now());
  const caseOf = casesOfRun(run, project, context.env);
  const pieces = reporter?.render({ summary, store, caseOf }, { color: false }) ?? [];
  return download(ReadableStream.from(encoded(pieces)), `${run.runId}-${reporter?.fileName}`);
}

async function* encoded(pieces: AsyncIterable<string> | readonly string[]): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  for await (const piece of pieces) yield encoder.encode(piece);
}
