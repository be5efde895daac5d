import type { RunHeader } from '../../../domain/run.ts';
import { requireRun } from '../../../keep/store/store.ts';
import type { ServerContext } from '../context.ts';
import { download } from '../download.ts';
import { isLarge, isReachable } from '../work/heavy-work.ts';
import { type ComparedPart, reporterOf, reportPieces } from './report-pieces.ts';

/** A report as a file, written while it is sent; that of a large run in another process. */
export async function runReport(
  runId: string,
  format: string,
  context: ServerContext,
  signal: AbortSignal,
): Promise<Response> {
  const run = await requireRun(context.store, runId);
  const fileName = reporterOf(format, await context.project())?.fileName;
  return download(await sentReport(run, { format, compared: {} }, context, signal), `${run.runId}-${fileName}`);
}

/** The HTML page of a run that opens with what it is compared with. */
export async function comparedReport(
  run: RunHeader,
  compared: ComparedPart,
  context: ServerContext,
  signal: AbortSignal,
): Promise<Response> {
  const body = await sentReport(run, { format: 'html', compared }, context, signal);
  return download(body, `${run.runId}-${compared.opensWith}.html`);
}

async function sentReport(
  run: RunHeader,
  { format, compared }: { readonly format: string; readonly compared: ComparedPart },
  context: ServerContext,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { store, env, heavyWork } = context;
  const pieces =
    isLarge([run]) && isReachable(context)
      ? heavyWork.stream({ run, format, compared }, context, signal)
      : reportPieces(run, format, { project: await context.project(), store, env }, compared);
  return ReadableStream.from(pieces);
}
