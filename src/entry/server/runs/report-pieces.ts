import type { Project } from '../../../compose/config/project.ts';
import { casesOfRun } from '../../../compose/run/cases-of-run.ts';
import { findReporters } from '../../../compose/run/write-reports.ts';
import { type RunHeader, summarizeRun } from '../../../domain/run.ts';
import type { Store } from '../../../keep/store/store.ts';
import type { Reporter, StoredRun } from '../../../report/reporters/reporter.ts';

/** The reporter of a format; the console's is for terminals. */
export function reporterOf(format: string, { parts }: Project): Reporter | undefined {
  const [reporter] = findReporters(
    [format],
    parts.reporters.filter(({ name }) => name !== 'console'),
  );
  return reporter;
}

/** The comparison that the HTML page of a run opens with. */
export type ComparedPart = Pick<StoredRun, 'comparison' | 'variants' | 'opensWith'>;

interface ReportParts {
  readonly project: Project;
  readonly store: Store;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Each piece has its price on its way to the client. */
const pieceCharacters = 250_000;

/** A report as it is written, in pieces of some size. */
export async function* reportPieces(
  run: RunHeader,
  format: string,
  { project, store, env }: ReportParts,
  compared: ComparedPart = {},
): AsyncGenerator<Uint8Array, void> {
  const summary = summarizeRun(run, await store.countTrials(run.runId), Date.now());
  const caseOf = casesOfRun(run, project, env);
  const stored = { summary, store, caseOf, ...compared };
  const rendered = reporterOf(format, project)?.render(stored, { color: false }) ?? [];
  const encoder = new TextEncoder();
  let waiting = '';
  for await (const text of rendered) {
    waiting += text;
    if (waiting.length < pieceCharacters) continue;
    yield encoder.encode(waiting);
    waiting = '';
  }
  if (waiting !== '') yield encoder.encode(waiting);
}
