import { requireRun } from '../../../keep/store/store.ts';
import type { ServerContext } from '../context.ts';
import { download } from '../download.ts';
import { isLarge } from '../work/heavy-work.ts';
import { reporterOf, reportPieces } from './report-pieces.ts';

/** A report as a file, written while it is sent; that of a large run in another process. */
export async function runReport(
  runId: string,
  format: string,
  context: ServerContext,
  signal: AbortSignal,
): Promise<Response> {
  const { store, storeUrl, folder, env, heavyWork } = context;
  const project = await context.project();
  const fileName = reporterOf(format, project)?.fileName;
  const run = await requireRun(store, runId);
  const pieces = isLarge([run], context)
    ? heavyWork.stream({ kind: 'report', storeUrl, folder, env: { ...env }, run, format }, signal)
    : reportPieces(run, format, { project, store, env });
  return download(ReadableStream.from(pieces), `${run.runId}-${fileName}`);
}
