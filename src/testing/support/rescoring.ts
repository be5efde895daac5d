import type { CommandResult } from './assay.ts';
import { assayInProcess as assay } from './assay-in-process.ts';

/** A trial as a run document has it. */
type TrialDocument = Readonly<Record<string, unknown>> & {
  readonly trialId: string;
  readonly caseId: string;
  readonly outcome: string;
  readonly reason: string;
};

/** Fields of a run document that these tests read. */
export interface RunDocument {
  readonly runId: string;
  readonly origin?: Readonly<Record<string, string>>;
  readonly totals: Readonly<Record<string, number>>;
  readonly trials: readonly TrialDocument[];
  readonly judgeVariance?: Readonly<Record<string, number | null>>;
}

interface Scored extends CommandResult {
  readonly document: RunDocument;
}

/** Calls the program with `--json` and reads the run that it prints. */
export async function scored(
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Scored> {
  const result = await assay([...args, '--json'], options);
  if (!result.stdout.startsWith('{')) throw new Error(`No document.\n${result.stderr}`);
  return { ...result, document: JSON.parse(result.stdout) as RunDocument };
}

/** Everything that is said of the trials, but for their own ids. */
export function contentOf({ trials }: RunDocument): Readonly<Record<string, unknown>>[] {
  return trials.map(({ trialId: _, ...content }) => content);
}
